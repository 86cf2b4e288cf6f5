"""The transport's constant scripts, answered without running them: bundle, sweep, lease.

They come as `sh -c SCRIPT NAME ARGUMENT…`; the name in `$0` says which one it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from lab.simrack.execute import Outcome, execute
from lab.simrack.machine import Lease, Machine

Script = Callable[[Machine, Sequence[str]], Awaitable[Outcome]]
KILL_AFTER_S = 2


async def bundle(machine: Machine, arguments: Sequence[str]) -> Outcome:
    """NONCE LIMIT (DEADLINE ARGC ARG…)…: all at once, framed in the order asked."""
    nonce, limit = arguments[0], int(arguments[1])
    commands = _commands(arguments[2:])
    mark = f"RACKGATE1 {nonce}"
    lines = [f"{mark} {machine.now():.9f} {len(commands)}\n".encode()]
    outcomes = await asyncio.gather(*(execute(machine, words) for words in commands))
    for index, outcome in enumerate(outcomes):
        out, err = outcome.stdout[:limit], outcome.stderr[:limit]
        cut = int(len(out) < len(outcome.stdout) or len(err) < len(outcome.stderr))
        frame = (
            f"{mark} {index} {outcome.rc} {int(outcome.timed_out)} {cut} "
            f"{outcome.duration_s:.2f} {len(out)} {len(err)}\n"
        )
        lines += [frame.encode(), out, err, b"\n"]
    lines.append(f"{mark} end\n".encode())
    return Outcome(rc=0, stdout=b"".join(lines), stderr=b"")


def _commands(arguments: Sequence[str]) -> list[tuple[str, ...]]:
    commands = []
    rest = list(arguments)
    while rest:
        deadline, count = rest[0], int(rest[1])
        argv = rest[2 : 2 + count]
        commands.append(("timeout", "-k", str(KILL_AFTER_S), deadline, *argv))
        rest = rest[2 + count :]
    return commands


async def sweep(machine: Machine, arguments: Sequence[str]) -> Outcome:
    """RUN_ID [KEY]: end what carries them in its environment, and name it."""
    run, key = arguments[0], arguments[1] if len(arguments) > 1 else ""
    named = []
    for process in list(machine.processes.values()):
        env = process.env
        if env.get("RACKGATE_RUN") == run and key in ("", env.get("RACKGATE_KEY")):
            named.append(f"{process.pid} {process.comm}\n")
            process.ended.set()
    return Outcome(rc=0, stdout="".join(named).encode(), stderr=b"")


async def lease(machine: Machine, arguments: Sequence[str]) -> Outcome:
    """take|renew|release OWNER RUN_ID TTL_S; kept in memory, by this machine's own clock."""
    if len(arguments) != 4:
        text = "rackgate: lease needs: take|renew|release OWNER RUN_ID TTL_S\n"
        return Outcome(rc=64, stdout=b"", stderr=text.encode())
    act, owner, run, ttl = arguments
    rc, text = _lease(machine, act, owner, run, int(ttl))
    if rc == 64:
        return Outcome(rc=rc, stdout=b"", stderr=text.encode())
    return Outcome(rc=rc, stdout=f"{text}\n".encode(), stderr=b"")


def _lease(machine: Machine, act: str, owner: str, run: str, ttl: int) -> tuple[int, str]:
    held, now = machine.lease, int(machine.now())
    mine = held is not None and (held.owner, held.run) == (owner, run)
    taken = Lease(owner=owner, run=run, expires=now + ttl)
    if act == "take":
        if held is not None and not mine and held.expires > now:
            return 3, f"held {held.owner} {held.run} {held.expires}"
        machine.lease = taken
        return 0, f"replaced {held.run}" if held is not None and not mine else "taken"
    if act not in ("renew", "release"):
        return 64, f"rackgate: lease cannot '{act}'\n"
    if not mine:
        return 0, "none"
    machine.lease = taken if act == "renew" else None
    return 0, "renewed" if act == "renew" else "released"


SCRIPTS: dict[str, Script] = {
    "rackgate-bundle": bundle,
    "rackgate-sweep": sweep,
    "rackgate-lease": lease,
}
