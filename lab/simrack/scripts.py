"""`sh`, for the transport's three constant scripts, which are answered without being run.

They come as `sh -c SCRIPT NAME ARGUMENT…`; the name in `$0` says which one it is:
`rackgate-bundle`, `rackgate-sweep`, `rackgate-lease`. Any other script is refused with status 127.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from lab.simrack.machine import Call, Lease, Machine

Script = Callable[[Call, Sequence[str]], Awaitable[int]]
KILL_AFTER_S = 2
USAGE, HELD, NOT_RUN = 64, 3, 127


async def sh(call: Call) -> int:
    name = call.argv[3] if len(call.argv) > 3 else ""
    script = SCRIPTS.get(name)
    if call.argv[1:2] != ("-c",) or script is None:
        return call.fail(f"simrack: runs no scripts but {', '.join(SCRIPTS)}\n", NOT_RUN)
    return await script(call, call.argv[4:])


async def bundle(call: Call, arguments: Sequence[str]) -> int:
    """NONCE LIMIT (DEADLINE ARGC ARG…)…: all at once, framed in the order asked."""
    nonce, limit = arguments[0], int(arguments[1])
    commands = _commands(arguments[2:])
    env = {**call.env, "RACKGATE_RUN": nonce.split(":", 1)[0]}
    mark = f"RACKGATE1 {nonce}"
    lines = [f"{mark} {call.machine.now():.9f} {len(commands)}\n".encode()]
    outcomes = await asyncio.gather(*(call.spawn(words, env) for words in commands))
    for index, outcome in enumerate(outcomes):
        out, err = outcome.stdout[:limit], outcome.stderr[:limit]
        cut = int(len(out) < len(outcome.stdout) or len(err) < len(outcome.stderr))
        frame = (
            f"{mark} {index} {outcome.rc} {int(outcome.timed_out)} {cut} "
            f"{outcome.duration_s:.2f} {len(out)} {len(err)}\n"
        )
        lines += [frame.encode(), out, err, b"\n"]
    lines.append(f"{mark} end\n".encode())
    call.write_bytes(b"".join(lines))
    return 0


def _commands(arguments: Sequence[str]) -> list[tuple[str, ...]]:
    commands = []
    rest = list(arguments)
    while rest:
        deadline, count = rest[0], int(rest[1])
        argv = rest[2 : 2 + count]
        commands.append(("timeout", "-k", str(KILL_AFTER_S), deadline, *argv))
        rest = rest[2 + count :]
    return commands


async def sweep(call: Call, arguments: Sequence[str]) -> int:
    """RUN_ID [KEY]: end what carries them in its environment, and name it; never itself."""
    run, key = arguments[0], arguments[1] if len(arguments) > 1 else ""
    for process in list(call.machine.processes.values()):
        env = process.env
        mine = env.get("RACKGATE_RUN") == run and key in ("", env.get("RACKGATE_KEY"))
        if mine and process is not call.process:
            call.write(f"{process.pid} {process.comm}\n")
            process.ended.set()
    return 0


async def lease(call: Call, arguments: Sequence[str]) -> int:
    """take|renew|release OWNER RUN_ID TTL_S; kept in memory, by this machine's own clock."""
    if len(arguments) != 4:
        text = "rackgate: lease needs: take|renew|release OWNER RUN_ID TTL_S\n"
        return call.fail(text, USAGE)
    act, owner, run, ttl = arguments
    if act not in ("take", "renew", "release"):
        return call.fail(f"rackgate: lease cannot '{act}'\n", USAGE)
    rc, text = _lease(call.machine, act, owner, run, int(ttl))
    call.write(text + "\n")
    return rc


def _lease(machine: Machine, act: str, owner: str, run: str, ttl: int) -> tuple[int, str]:
    held, now = machine.lease, int(machine.now())
    mine = held is not None and (held.owner, held.run) == (owner, run)
    taken = Lease(owner=owner, run=run, expires=now + ttl)
    if act == "take":
        if held is not None and not mine and held.expires > now:
            return HELD, f"held {held.owner} {held.run} {held.expires}"
        machine.lease = taken
        return 0, f"replaced {held.run}" if held is not None and not mine else "taken"
    if not mine:
        return 0, "none"
    machine.lease = taken if act == "renew" else None
    return 0, "renewed" if act == "renew" else "released"


SCRIPTS: dict[str, Script] = {
    "rackgate-bundle": bundle,
    "rackgate-sweep": sweep,
    "rackgate-lease": lease,
}
