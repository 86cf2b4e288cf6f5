"""Running one command line on a machine: wrappers off, program looked up, deadline kept.

The wrappers are those of the transport: `sudo -n`, `env NAME=VALUE …`, `setsid -w`, and
`timeout -k GRACE SECONDS`, in any order. Exit statuses are theirs: 124 after the deadline, 127 for
a program that is not there, 143 for one that a sweep has ended.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from lab.simrack.machine import Call, Expired, Machine, Outcome, Sink
from lab.simrack.programs import PROGRAMS, Program

TIMED_OUT, NOT_FOUND, TERMINATED, USAGE, INTERNAL_ERROR = 124, 127, 143, 125, 70
LOG = logging.getLogger("lab.simrack")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A command line without its wrappers; `wrapper` is the innermost one, or `sh`."""

    argv: tuple[str, ...]
    env: dict[str, str]
    deadline_s: float | None
    wrapper: str
    as_root: bool = False


def unwrap(words: Sequence[str], inherited: Mapping[str, str]) -> Line:
    """Take the wrappers off; raises ValueError where a wrapper has nothing to run."""
    argv, env, wrapper = list(words), dict(inherited), "sh"
    deadline: float | None = None
    as_root = False
    while argv and argv[0] in ("sudo", "env", "setsid", "timeout"):
        wrapper = argv.pop(0)
        as_root = as_root or wrapper == "sudo"
        while argv and argv[0].startswith("-"):
            option = argv.pop(0)
            if wrapper == "timeout" and option in ("-k", "-s") and argv:
                argv.pop(0)
        while wrapper == "env" and argv and "=" in argv[0]:
            name, _, value = argv.pop(0).partition("=")
            env[name] = value
        if wrapper == "timeout" and argv:
            deadline = float(argv.pop(0).rstrip("s"))
    if not argv:
        raise ValueError(f"{wrapper}: nothing to run")
    return Line(argv=tuple(argv), env=env, deadline_s=deadline, wrapper=wrapper, as_root=as_root)


async def execute(
    machine: Machine,
    words: Sequence[str],
    env: Mapping[str, str] | None = None,
    sink: Sink | None = None,
) -> Outcome:
    """Run to the end. `sink` gets standard output as it comes; else it is in the outcome."""
    try:
        line = unwrap(words, env or {})
    except ValueError as error:
        return Outcome(rc=USAGE, stderr=f"{error}\n".encode())
    if line.as_root and machine.state.setup.sudo_asks:
        return Outcome(rc=1, stderr=b"sudo: a password is required\n")
    program = _program(machine, line)
    if program is None:
        return Outcome(rc=NOT_FOUND, stderr=_not_found(line).encode())
    with machine.process(line.argv, line.env) as process:
        call = Call(
            machine=machine,
            process=process,
            argv=line.argv,
            env=line.env,
            sink=sink,
            spawn=partial(execute, machine),
            deadline_s=math.inf if line.deadline_s is None else line.deadline_s,
        )
        rc = await _within(call, program, line.deadline_s)
    return Outcome(
        rc=rc,
        stdout=b"".join(call.stdout),
        stderr=b"".join(call.stderr),
        timed_out=rc == TIMED_OUT and line.deadline_s is not None,
        duration_s=call.took_s,
        skipped_s=call.skipped_s,
    )


async def answer(machine: Machine, words: Sequence[str], sink: Sink | None = None) -> Outcome:
    """Run what somebody outside asked for; our own mistakes are logged and end with status 70."""
    running = asyncio.ensure_future(execute(machine, words, sink=sink))
    await asyncio.wait((running,))
    failure = running.exception()
    if failure is None:
        return running.result()
    LOG.error("%s: %r", machine.state.name, words, exc_info=failure)
    text = f"simrack: internal error ({failure!r}); its log says more\n"
    return Outcome(rc=INTERNAL_ERROR, stderr=text.encode())


async def _within(call: Call, program: Program, deadline_s: float | None) -> int:
    """The program's exit status, or that of what has ended it."""
    running = asyncio.ensure_future(program(call))
    swept = asyncio.ensure_future(call.process.ended.wait())
    done, left = await asyncio.wait(
        (running, swept), timeout=deadline_s, return_when=asyncio.FIRST_COMPLETED
    )
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    if running in done and not isinstance(running.exception(), Expired):
        return running.result()
    return TERMINATED if swept in done else TIMED_OUT


def _program(machine: Machine, line: Line) -> Program | None:
    name = line.argv[0].rsplit("/", 1)[-1]
    if name in machine.state.missing:
        return None
    if name in machine.state.hanging:
        return _sleep
    entry = PROGRAMS.get(name)
    if entry is None or machine.state.os not in entry.systems:
        return None
    return entry.program


async def _sleep(call: Call) -> int:
    """What a hung program does: nothing, until its deadline or a sweep ends it."""
    await call.pause(math.inf)
    return 0


def _not_found(line: Line) -> str:
    name = line.argv[0]
    if line.wrapper == "timeout":
        return f"timeout: failed to run command '{name}': No such file or directory\n"
    if line.wrapper == "sudo":
        return f"sudo: {name}: command not found\n"
    if line.wrapper in ("env", "setsid"):
        return f"{line.wrapper}: '{name}': No such file or directory\n"
    return f"sh: 1: {name}: not found\n"
