"""The running rack: machines with processes, files and a lease, and the network between them."""

from __future__ import annotations

import asyncio
import itertools
import math
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from lab.simrack.flows import Flows
from lab.simrack.gpu_health import strain
from lab.simrack.state import HostState, PortState, World

Sink = Callable[[bytes], None]


class Expired(Exception):
    """A program's own deadline came while it took its time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a command line ended, and what it printed where nobody read along.

    `skipped_s` is the part of `duration_s` for which nobody had to wait (see `Site.pace`).
    """

    rc: int
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: bool = False
    duration_s: float = 0.0
    skipped_s: float = 0.0


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
    watchers: list[asyncio.Future[None]] = field(default_factory=list)

    def now(self) -> float:
        """This machine's own clock, seconds since the epoch."""
        return time.time() + self.state.skew_s

    @contextmanager
    def loaded(self) -> Iterator[None]:
        """While the block runs, the GPUs are busy: links at full speed, power up."""
        self.loads += 1
        self._strain(ended=False)
        self._wake()
        try:
            yield
        finally:
            self._strain(ended=True)
            self.loads -= 1
            self._wake()

    def next_change(self) -> asyncio.Future[None]:
        """Done when a load begins or ends."""
        watcher = asyncio.get_running_loop().create_future()
        self.watchers.append(watcher)
        return watcher

    def _wake(self) -> None:
        woken, self.watchers = self.watchers, []
        for watcher in woken:
            if not watcher.done():
                watcher.set_result(None)

    def _strain(self, *, ended: bool) -> None:
        for gpu in self.state.on_bus:
            strain(gpu, ended=ended)

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
    from_gpu: bool = False
    skipped_s: float = 0.0


@dataclass(slots=True, kw_only=True)
class Site:
    """All machines and who listens where.

    `pace` is the part of what programs say they take that really passes: 1 behind SSH.
    """

    world: World
    pace: float = 1.0
    machines: dict[str, Machine] = field(default_factory=dict)
    names: dict[str, Machine] = field(default_factory=dict)
    flows: Flows = field(default_factory=Flows)
    listening: dict[tuple[str, int], Waiting] = field(default_factory=dict)
    pids: Iterator[int] = field(default_factory=lambda: itertools.count(20_000))

    @classmethod
    def of(cls, world: World, pace: float = 1.0) -> Site:
        site = cls(world=world, pace=pace)
        for name, state in world.hosts.items():
            machine = Machine(state=state, site=site)
            site.machines[name] = machine
            site.names.update(dict.fromkeys(state.names, machine))
        return site


@dataclass(slots=True, kw_only=True)
class Call:
    """One run of one program: its arguments, where it runs, and what it prints.

    `spawn` runs another command line on the same machine, with an environment of its own.
    `deadline_s` is that of the innermost `timeout`, infinite without one.
    """

    machine: Machine
    process: Process
    argv: tuple[str, ...]
    env: Mapping[str, str]
    spawn: Spawn
    deadline_s: float = math.inf
    started: float = field(default_factory=time.monotonic)
    skipped_s: float = 0.0
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

    @property
    def took_s(self) -> float:
        """How long it has been running, with what was skipped."""
        return time.monotonic() - self.started + self.skipped_s

    async def pause(self, seconds: float) -> None:
        """Take this long, at the site's pace; Expired where the deadline comes first.

        Pauses that overlap count once.
        """
        before, pace = self.skipped_s, self.site.pace
        waits = min(seconds, max(0.0, self.deadline_s - self.took_s))
        await asyncio.sleep(waits * pace)
        self.skipped_s = max(self.skipped_s, before + waits * (1 - pace))
        if waits < seconds:
            raise Expired

    async def pause_to_look(self, seconds: float) -> None:
        """Wait between two looks at the hardware: until a load begins or ends, and for that long at
        most. Expired where the deadline comes first.

        At a faster pace a load would be over before the next look, and on many hosts looks alone
        would keep the processor busy: so this time is never shortened.
        """
        waits = min(seconds, max(0.0, self.deadline_s - self.took_s))
        await asyncio.wait([self.machine.next_change()], timeout=waits)
        if self.took_s >= self.deadline_s:
            raise Expired

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
