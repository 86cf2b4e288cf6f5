"""`ssh PEER COMMAND` between hosts, and `mpirun` with the programs that it can start."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

from lab.simrack.machine import Call, Machine
from lab.simrack.views import nccl
from lab.simrack.views.nccl_table import COLLECTIVES

SSH_FAILED, LAUNCH_FAILED = 255, 1
_SSH_WITH_VALUE = "BbcDEeFIiJLlmOopQRSWw"
_MPI_VALUES = {
    **dict.fromkeys(("--mca", "-mca", "--gmca", "--prtemca", "--pmixmca"), 2),
    **dict.fromkeys(("-np", "-n", "--n", "--np", "--host", "-host", "-H", "--map-by"), 1),
    **dict.fromkeys(("-map-by", "--bind-to", "-bind-to", "-x", "-N", "--hostfile"), 1),
}


async def ssh(call: Call) -> int:
    """Only `true` and `hostname` can be run: what a launcher's check asks for."""
    options, words = _ssh_words(call.argv[1:])
    if not words:
        return call.fail("usage: ssh [-o option] destination [command]\n", SSH_FAILED)
    name = words[0].rpartition("@")[2]
    machine = call.site.names.get(name)
    if machine is None:
        text = f"ssh: Could not resolve hostname {name}: Name or service not known\n"
        return call.fail(text, SSH_FAILED)
    trouble = await _reach(call, machine, name, float(options.get("ConnectTimeout", "inf")))
    if trouble:
        return call.fail(trouble + "\n", SSH_FAILED)
    if words[1:] == ["hostname"]:
        call.write(f"{machine.state.own_name}\n")
    elif words[1:] not in (["true"], []):
        return call.fail(f"simrack: peers run only true and hostname, not {words[1:]}\n", 127)
    return 0


def _ssh_words(arguments: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option[1:2] in _SSH_WITH_VALUE and rest:
            value = option[2:] or rest.pop(0)
            if option.startswith("-o"):
                name, _, text = value.partition("=")
                options[name] = text
    return options, rest


async def _reach(call: Call, machine: Machine, name: str, timeout_s: float) -> str:
    """What ssh says when it cannot get in, or nothing; a mute host costs the timeout."""
    host = machine.state
    if host.reach == "refused":
        return f"ssh: connect to host {name} port 22: Connection refused"
    if host.reach == "mute":
        await call.pause(timeout_s)
        return "Connection timed out during banner exchange"
    if host.key_changed:
        return "Host key verification failed."
    if host.peers_refused and machine is not call.machine:
        return f"root@{name}: Permission denied (publickey)."
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A command line of mpirun: where the ranks go, in order, and what they run.

    `own` is what the ranks of a host get besides, where it is in an application context of its own.
    """

    ranks: int
    hosts: tuple[tuple[str, int], ...]
    program: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    own: dict[str, dict[str, str]] = field(default_factory=dict)


def parse(argv: Sequence[str]) -> Job:
    """All application contexts together; raises ValueError where there is nothing to run, or too
    few slots. `--map-by` of the first holds for all."""
    first, *others = [list(words) for colon, words in groupby(argv[1:], ":".__eq__) if not colon]
    job = _context(first, [])
    per_node = [word for flag, word in pairwise(first) if flag == "--map-by"]
    for words in others:
        one = _context(words, per_node)
        hosts = dict(one.hosts)
        own = {**{host: dict(job.env) for host, _ in job.hosts}, **job.own}
        own |= dict.fromkeys(hosts, one.env)
        job = replace(job, ranks=job.ranks + one.ranks, hosts=(*job.hosts, *one.hosts), own=own)
    return job


def _context(words: list[str], map_by: Sequence[str]) -> Job:
    values: dict[str, str] = {"map-by": map_by[0]} if map_by else {}
    env: dict[str, str] = {}
    rest = list(words)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        taken = [rest.pop(0) for _ in range(min(_MPI_VALUES.get(option, 0), len(rest)))]
        if option == "-x":
            name, _, value = taken[0].partition("=")
            env[name] = value
        elif len(taken) == 1:
            values[option.lstrip("-")] = taken[0]
    if not rest:
        raise ValueError("No executable was specified on the mpirun command line.")
    listed = values.get("host") or values.get("H") or "localhost"
    per_node = values.get("map-by", "").split(":")
    hosts = [_slots(item, per_node) for item in listed.split(",")]
    ranks = int(values.get("np") or values.get("n") or sum(slots for _, slots in hosts))
    if ranks > sum(slots for _, slots in hosts):
        raise ValueError(
            f"There are not enough slots available in the system to satisfy the {ranks} slots "
            "that were requested by the application"
        )
    return Job(ranks=ranks, hosts=tuple(hosts), program=tuple(rest), env=env)


def _slots(item: str, map_by: Sequence[str]) -> tuple[str, int]:
    """`r01-ct01:4`, and at most what `--map-by ppr:N:node` puts on each."""
    name, _, count = item.partition(":")
    slots = int(count) if count else 1
    return name, min(slots, int(map_by[1])) if map_by[0] == "ppr" else slots


async def mpirun(call: Call) -> int:
    try:
        job = parse(call.argv)
    except ValueError as error:
        return call.fail(f"{'-' * 74}\n{error}\n{'-' * 74}\n", LAUNCH_FAILED)
    machines = [(call.site.names.get(name), name, slots) for name, slots in job.hosts]
    said = await asyncio.gather(*(_start(call, m, name) for m, name, _ in machines))
    trouble = [line for line in said if line]
    if trouble:
        return call.fail("".join(f"{line}\n" for line in trouble) + _NO_DAEMON, LAUNCH_FAILED)
    placed = [
        (machine, slots)
        for machine, _, slots in machines
        if machine is not None and (machine is call.machine or not machine.state.left_out)
    ]
    program = job.program[0].rsplit("/", 1)[-1]
    if program == "hostname":
        names = [machine.state.own_name for machine, slots in placed for _ in range(slots)]
        call.write("".join(f"{name}\n" for name in names[: job.ranks]))
        return 0
    without = next((m.state.name for m, _ in placed if program in m.state.missing), "")
    if program not in COLLECTIVES or without:
        at = without or placed[0][0].state.name
        return call.fail(_NO_PROGRAM.format(host=at, program=job.program[0]), LAUNCH_FAILED)
    ranks = min(job.ranks, sum(slots for _, slots in placed))
    env = {
        machine.state.name: _filled(job.own.get(name, job.env), call.env)
        for machine, name, _ in machines
        if machine is not None
    }
    return await nccl.run(call, placed, ranks, job.program, env)


def _filled(env: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """What stands without a value on the command line is the launcher's own."""
    return {name: value or own.get(name, "") for name, value in env.items()}


async def _start(call: Call, machine: Machine | None, name: str) -> str:
    """Start the launcher's daemon on a host, as mpirun does over ssh."""
    if machine is None:
        return f"ssh: Could not resolve hostname {name}: Name or service not known"
    if machine is call.machine:
        return ""
    return await _reach(call, machine, name, float("inf"))


_NO_DAEMON = f"""{"-" * 74}
ORTE was unable to reliably start one or more daemons.
This usually is caused by: a host that cannot be reached, or a missing orted.
{"-" * 74}
"""
_NO_PROGRAM = f"""{"-" * 74}
mpirun was unable to find the specified executable file, and therefore did not launch the job.

Node:       {{host}}
Executable: {{program}}
{"-" * 74}
"""
