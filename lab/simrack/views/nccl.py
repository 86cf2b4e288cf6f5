"""nccl-tests under mpirun: one rank a GPU."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from lab.simrack.machine import Call, Machine
from lab.simrack.nccl_setup import OLD_TESTS
from lab.simrack.views import nccl_log, nccl_traffic, nccl_trouble
from lab.simrack.views.nccl_log import Rank
from lab.simrack.views.nccl_speed import bus_bandwidth
from lab.simrack.views.nccl_table import Measured, Table

TAKES_S, TAKES_PER_RANK_S = 0.8, 0.001
JOB_FAILED = 1
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    begin: int
    end: int
    factor: int
    iterations: int
    warmup: int
    check: bool
    cycles: int

    def sizes(self) -> Iterator[int]:
        size = self.begin
        while size <= self.end:
            yield size
            size *= max(self.factor, 2)


async def run(
    call: Call,
    placed: Sequence[tuple[Machine, int]],
    count: int,
    program: Sequence[str],
    env: Mapping[str, Mapping[str, str]],
) -> int:
    """A job of `count` ranks on the machines given; `env` is what the launcher passes on, by
    host."""
    try:
        options = _options(program)
    except ValueError as error:
        return call.fail(f"invalid arguments: {error}\n", JOB_FAILED)
    job = Job(call=call, name=program[0].rsplit("/", 1)[-1], options=options)
    hosts = [machine.state for machine, _ in placed]
    if any(host.nccl.mpi == "stuck" for host in hosts):
        await call.pause(TAKES_S)
        return call.fail(nccl_trouble.STUCK, JOB_FAILED)
    ranks, short = _ranks(call, placed, count, env)
    if any(host.nccl.mpi == "apart" for host in hosts):
        for rank in ranks:
            job.print(job.head([replace(rank, number=0)]))
            job.print(job.table([rank]))
        return 0
    job.print(job.head(ranks))
    if short:
        return call.fail(short, JOB_FAILED)
    clustered = nccl_log.over_nvlinks(call.world.product.clustered, ranks)
    job.print(nccl_log.text(ranks, clustered))
    broken = nccl_trouble.of(job.name, ranks, clustered)
    if broken is not None and broken.hangs:
        await call.pause(math.inf)
    if broken is not None:
        job.print(broken.stdout)
        return call.fail(broken.stderr, broken.rc)
    swept = await _work(call, [machine for machine, _ in placed], program, len(ranks))
    if swept:
        return call.fail(nccl_trouble.mpi_end(0, swept), JOB_FAILED)
    moved = sum(options.sizes()) * options.iterations * options.cycles
    nccl_traffic.count(call.world, ranks, moved, clustered)
    job.print(job.table(ranks))
    return JOB_FAILED if job.wrong(ranks) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run of one program, and what it prints of it."""

    call: Call
    name: str
    options: Options

    def print(self, text: str) -> None:
        self.call.write(text)

    def head(self, ranks: Sequence[Rank]) -> str:
        """Up to the devices. The ranks are those that have a GPU."""
        options, setup = self.options, self.call.host.nccl
        step = options.factor if options.factor > 1 else 1 << 20
        kind = "factor" if options.factor > 1 else "bytes"
        begun = (
            ""
            if setup.tests == OLD_TESTS
            else f"# nccl-tests version {setup.tests} nccl-headers={setup.code} "
            f"nccl-library={setup.code}\n# Collective test starting: {self.name}\n"
        )
        return (
            f"{begun}# nThread 1 nGpus 1 minBytes {options.begin} maxBytes {options.end} "
            f"step: {step}({kind}) warmup iters: {options.warmup} iters: {options.iterations} "
            f"agg iters: 1 validation: {int(options.check)} graph: 0\n#\n# Using devices\n"
            f"{''.join(map(_rank_line, ranks))}"
        )

    def wrong(self, ranks: Sequence[Rank]) -> int:
        return sum(rank.gpu.wrong for rank in ranks) if self.options.check else 0

    def table(self, ranks: Sequence[Rank]) -> str:
        """Every size once in each cycle."""
        members = [(rank.gpu, rank.machine.state) for rank in ranks]
        rows = [
            Measured(
                size=size,
                busbw=(
                    bus_bandwidth(self.call.world, self.name, members, size, f"out {cycle}"),
                    bus_bandwidth(self.call.world, self.name, members, size, f"in {cycle}"),
                ),
                wrong=self.wrong(ranks),
            )
            for cycle in range(self.options.cycles)
            for size in self.options.sizes()
        ]
        old = self.call.host.nccl.tests == OLD_TESTS
        check = self.options.check
        return Table(program=self.name, ranks=len(ranks), check=check, old=old).text(rows)


def _rank_line(rank: Rank) -> str:
    domain, bus, rest = rank.gpu.pci.split(":")
    device = f"{domain[-4:]}:{bus}:{rest.split('.')[0]}"
    return (
        f"#  Rank {rank.number:2d} Group  0 Pid {rank.pid:6d} on "
        f"{rank.machine.state.name:>10} device {rank.device:2d} [{device}] {rank.gpu.product}\n"
    )


async def _work(call: Call, machines: Sequence[Machine], program: Sequence[str], ranks: int) -> str:
    """Keep every host busy with a process that carries the run id; the host that was swept."""
    pause = call.pause(TAKES_S + TAKES_PER_RANK_S * ranks)
    waits: dict[asyncio.Future[object], str] = {asyncio.ensure_future(pause): ""}
    with ExitStack() as busy:
        for machine in machines:
            busy.enter_context(machine.loaded())
            process = busy.enter_context(machine.process(tuple(program), call.env))
            waits[asyncio.ensure_future(process.ended.wait())] = machine.state.name
        try:
            ended, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()
    for task in ended:
        task.result()  # Expired, where the deadline came first
    return next(filter(None, (waits[task] for task in ended)), "")


def _options(program: Sequence[str]) -> Options:
    values = {"-b": "32M", "-e": "32M", "-f": "1", "-n": "20", "-w": "1", "-c": "1", "-N": "1"}
    values |= dict(zip(program[1::2], program[2::2], strict=False))
    return Options(
        begin=_size(values["-b"]),
        end=_size(values["-e"]),
        factor=int(values["-f"]),
        iterations=int(values["-n"]),
        warmup=int(values["-w"]),
        check=values["-c"] != "0",
        cycles=int(values["-N"]),
    )


def _size(text: str) -> int:
    return int(text[:-1]) * _UNITS[text[-1]] if text[-1:] in _UNITS else int(text)


def _ranks(
    call: Call,
    placed: Sequence[tuple[Machine, int]],
    count: int,
    env: Mapping[str, Mapping[str, str]],
) -> tuple[list[Rank], str]:
    """The ranks in order; or what a rank says that finds no GPU for itself."""
    ranks: list[Rank] = []
    for machine, slots in placed:
        passed = env[machine.state.name]
        visible = passed.get("CUDA_VISIBLE_DEVICES", "")
        by_uuid = {gpu.uuid: gpu for gpu in machine.state.shown}
        named = [by_uuid[uuid] for uuid in visible.split(",") if uuid in by_uuid]
        shown = named if visible else machine.state.shown
        for local in range(min(slots, count - len(ranks))):
            if local >= len(shown):
                return ranks, (
                    f"Invalid number of GPUs: {local + 1} requested but only {len(shown)} were "
                    "found.\nPlease check the number of processes and GPUs per process.\n"
                    f"{nccl_trouble.mpi_end(len(ranks), machine.state.name)}"
                )
            ranks.append(
                Rank(
                    number=len(ranks),
                    machine=machine,
                    device=local,
                    gpu=shown[local],
                    pid=next(call.site.pids),
                    env=passed,
                )
            )
    return ranks, ""
