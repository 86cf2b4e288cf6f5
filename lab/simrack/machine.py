"""The running rack: machines with processes, files and a lease, and the network between them."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from lab.simrack.state import HostState, PortState, World

Sink = Callable[[bytes], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a command line ended, and what it printed where nobody read along."""

    rc: int
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: bool = False
    duration_s: float = 0.0


Spawn = Callable[[Sequence[str], Mapping[str, str]], Awaitable[Outcome]]


@dataclass(slots=True, kw_only=True)
class Process:
    """A program that runs on a machine, findable by the run id in its environment."""

    pid: int
    argv: tuple[str, ...]
    env: Mapping[str, str]
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def comm(self) -> str:
        return self.argv[0].rsplit("/", 1)[-1][:15]


@dataclass(slots=True, kw_only=True)
class Lease:
    owner: str
    run: str
    expires: int


@dataclass(slots=True, kw_only=True)
class Machine:
    """One host while the rack runs. `loads` counts the GPU programs that run right now.

    `files` are those that programs wrote; `tree` is procfs and sysfs, filled at the first look.
    """

    state: HostState
    site: Site
    files: dict[str, str] = field(default_factory=dict)
    tree: dict[str, str | Callable[[], str]] = field(default_factory=dict)
    processes: dict[int, Process] = field(default_factory=dict)
    lease: Lease | None = None
    loads: int = 0

    def now(self) -> float:
        """This machine's own clock, seconds since the epoch."""
        return time.time() + self.state.skew_s

    @contextmanager
    def loaded(self) -> Iterator[None]:
        """While the block runs, the GPUs are busy: links at full speed, power up."""
        self.loads += 1
        try:
            yield
        finally:
            self.loads -= 1

    @contextmanager
    def process(self, argv: tuple[str, ...], env: Mapping[str, str]) -> Iterator[Process]:
        process = Process(pid=next(self.site.pids), argv=argv, env=env)
        self.processes[process.pid] = process
        try:
            yield process
        finally:
            self.processes.pop(process.pid, None)


@dataclass(slots=True, kw_only=True)
class Waiting:
    """A perftest server that waits at a TCP port for its client."""

    argv: tuple[str, ...]
    port: PortState
    client: asyncio.Future[PortState]
    result: asyncio.Future[str]


@dataclass(slots=True, kw_only=True)
class Site:
    """All machines and who listens where."""

    world: World
    machines: dict[str, Machine] = field(default_factory=dict)
    names: dict[str, Machine] = field(default_factory=dict)
    listening: dict[tuple[str, int], Waiting] = field(default_factory=dict)
    pids: Iterator[int] = field(default_factory=lambda: itertools.count(20_000))

    @classmethod
    def of(cls, world: World) -> Site:
        site = cls(world=world)
        for name, state in world.hosts.items():
            machine = Machine(state=state, site=site)
            site.machines[name] = machine
            site.names.update(dict.fromkeys(state.names, machine))
        return site


@dataclass(slots=True, kw_only=True)
class Call:
    """One run of one program: its arguments, where it runs, and what it prints.

    `spawn` runs another command line on the same machine, with an environment of its own.
    """

    machine: Machine
    process: Process
    argv: tuple[str, ...]
    env: Mapping[str, str]
    spawn: Spawn
    sink: Sink | None = None
    stdout: list[bytes] = field(default_factory=list)
    stderr: list[bytes] = field(default_factory=list)

    @property
    def host(self) -> HostState:
        return self.machine.state

    @property
    def site(self) -> Site:
        return self.machine.site

    @property
    def world(self) -> World:
        return self.machine.site.world

    def write(self, text: str) -> None:
        """Print on standard output, at once where somebody reads along."""
        self.write_bytes(text.encode())

    def write_bytes(self, data: bytes) -> None:
        if self.sink is None:
            self.stdout.append(data)
        else:
            self.sink(data)

    def fail(self, text: str, rc: int = 1) -> int:
        """Print on standard error; returns the exit status."""
        self.stderr.append(text.encode())
        return rc
