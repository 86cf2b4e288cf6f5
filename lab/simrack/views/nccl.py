"""nccl-tests under mpirun: one rank a GPU, in the text layout of release 2.17."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from lab.simrack.devices import GpuState
from lab.simrack.machine import Call, Machine
from lab.simrack.nvlink_traffic import count_collective
from lab.simrack.views.nccl_speed import bus_bandwidth
from lab.simrack.views.nvbandwidth import SEGFAULT

VERSION, LIBRARY, LIBRARY_CODE = "2.17.6", "2.28.3+cuda13.0", 22803
TAKES_S, TAKES_PER_RANK_S = 0.8, 0.001
ELEMENT_BYTES = 4
TEST_FAILURE, JOB_FAILED = 3, 1
COLLECTIVES: Mapping[str, tuple[float, bool]] = {
    "all_reduce_perf": (2.0, True),
    "all_gather_perf": (1.0, False),
    "reduce_scatter_perf": (1.0, True),
    "alltoall_perf": (1.0, False),
}
"""Program: busbw is algbw times this times (n-1)/n, and whether it reduces. nccl-tests,
doc/PERFORMANCE.md."""
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    number: int
    machine: Machine
    device: int
    gpu: GpuState
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    begin: int
    end: int
    factor: int
    iterations: int
    warmup: int
    check: bool

    def sizes(self) -> Iterator[int]:
        size = self.begin
        while size <= self.end:
            yield size
            size *= max(self.factor, 2)


async def run(
    call: Call, placed: Sequence[tuple[Machine, int]], count: int, program: Sequence[str]
) -> int:
    try:
        options = _options(program)
    except ValueError as error:
        return call.fail(f"invalid arguments: {error}\n", JOB_FAILED)
    name = program[0].rsplit("/", 1)[-1]
    ranks, short = _ranks(call, placed, count)
    call.write(_head(name, options))
    if short:
        return call.fail(short, JOB_FAILED)
    call.write("".join(_rank_line(rank) for rank in ranks))
    call.write(f"NCCL version {LIBRARY}\n")
    if crashed := next((rank for rank in ranks if rank.gpu.rank_crashes), None):
        return call.fail(_crash(crashed), SEGFAULT)
    broken = next((rank for rank in ranks if _trouble(rank.gpu)), None)
    if broken:
        return _failure(call, name, broken)
    swept = await _work(call, [machine for machine, _ in placed], program, len(ranks))
    if swept:
        return call.fail(_mpi_end(0, swept), JOB_FAILED)
    count_collective(
        call.world, [rank.gpu for rank in ranks], sum(options.sizes()) * options.iterations
    )
    return _report(call, name, ranks, options)


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
    values = {"-b": "32M", "-e": "32M", "-f": "1", "-n": "20", "-w": "1", "-c": "1"}
    values |= dict(zip(program[1::2], program[2::2], strict=False))
    return Options(
        begin=_size(values["-b"]),
        end=_size(values["-e"]),
        factor=int(values["-f"]),
        iterations=int(values["-n"]),
        warmup=int(values["-w"]),
        check=values["-c"] != "0",
    )


def _size(text: str) -> int:
    return int(text[:-1]) * _UNITS[text[-1]] if text[-1:] in _UNITS else int(text)


def _ranks(call: Call, placed: Sequence[tuple[Machine, int]], count: int) -> tuple[list[Rank], str]:
    """The ranks in order; or what a rank says that finds no GPU for itself."""
    ranks: list[Rank] = []
    for machine, slots in placed:
        shown = machine.state.shown
        for local in range(min(slots, count - len(ranks))):
            if local >= len(shown):
                return ranks, (
                    f"Invalid number of GPUs: {local + 1} requested but only {len(shown)} were "
                    "found.\nPlease check the number of processes and GPUs per process.\n"
                    f"{_mpi_end(len(ranks), machine.state.name)}"
                )
            ranks.append(
                Rank(
                    number=len(ranks),
                    machine=machine,
                    device=local,
                    gpu=shown[local],
                    pid=next(call.site.pids),
                )
            )
    return ranks, ""


def _head(name: str, options: Options) -> str:
    step = options.factor if options.factor > 1 else 1 << 20
    kind = "factor" if options.factor > 1 else "bytes"
    return (
        f"# nccl-tests version {VERSION} nccl-headers={LIBRARY_CODE} "
        f"nccl-library={LIBRARY_CODE}\n# Collective test starting: {name}\n"
        f"# nThread 1 nGpus 1 minBytes {options.begin} maxBytes {options.end} "
        f"step: {step}({kind}) warmup iters: {options.warmup} iters: {options.iterations} "
        f"agg iters: 1 validation: {int(options.check)} graph: 0\n#\n# Using devices\n"
    )


def _rank_line(rank: Rank) -> str:
    domain, bus, rest = rank.gpu.pci.split(":")
    device = f"{domain[-4:]}:{bus}:{rest.split('.')[0]}"
    return (
        f"#  Rank {rank.number:2d} Group  0 Pid {rank.pid:6d} on "
        f"{rank.machine.state.name:>10} device {rank.device:2d} [{device}] {rank.gpu.product}\n"
    )


def _trouble(gpu: GpuState) -> str:
    if gpu.lost:
        return "Test CUDA failure common.cu:1208 'unknown error'"
    if not gpu.fabric.joined:
        return "Test CUDA failure common.cu:1208 'system not yet initialized'"
    return ""


def _failure(call: Call, name: str, rank: Rank) -> int:
    host = rank.machine.state.name
    source = f"{name.removesuffix('_perf')}.cu:90"
    lines = [
        f"{host}: {_trouble(rank.gpu)}",
        *(f" .. {host} pid {rank.pid}: Test failure {at}" for at in (source, "common.cu:1012")),
    ]
    call.write("".join(f"{line}\n" for line in lines))
    return call.fail(_mpi_end(rank.number, host), TEST_FAILURE)


def _crash(rank: Rank) -> str:
    """What a rank and its launcher say when it dies of a bad address."""
    host = rank.machine.state.name
    rule = "-" * 74
    return (
        f"[{host}:{rank.pid}] *** Process received signal ***\n"
        f"[{host}:{rank.pid}] Signal: Segmentation fault (11)\n"
        f"[{host}:{rank.pid}] *** End of error message ***\n{rule}\n"
        f"mpirun noticed that process rank {rank.number} with PID {rank.pid} on node {host} exited "
        f"on signal 11 (Segmentation fault).\n{rule}\n"
    )


def _mpi_end(rank: int, host: str) -> str:
    rule = "-" * 74
    return (
        f"{rule}\nmpirun detected that one or more processes exited with non-zero status, thus "
        f"causing\nthe job to be terminated. The first process to do so was:\n\n"
        f"  Process name: [[52417,1],{rank}] on {host}\n  Exit code:    {TEST_FAILURE}\n{rule}\n"
    )


def _report(call: Call, name: str, ranks: Sequence[Rank], options: Options) -> int:
    factor, reduces = COLLECTIVES[name]
    factor *= (len(ranks) - 1) / len(ranks)
    wrong = sum(rank.gpu.wrong for rank in ranks) if options.check else 0
    redop = "sum" if reduces else "none"
    gpus = [rank.gpu for rank in ranks]
    lines, cells = [_table_head()], []
    for size in options.sizes():
        count = size // ELEMENT_BYTES
        if name != "all_reduce_perf":
            count //= len(ranks)
        groups = []
        for place in ("out", "in"):
            busbw = bus_bandwidth(call.world, name, gpus, size, place)
            cells.append(busbw)
            algbw = busbw / factor if factor else busbw
            groups.append(_group(size, algbw, busbw if factor else 0.0, wrong, options.check))
        lines.append(f"{size:12d}  {count:12d}     float  {redop:>6}      -1{''.join(groups)}\n")
    mean = sum(cells) / len(cells) if factor and cells else 0.0
    bad = wrong * len(cells)
    lines.append(f"# Out of bounds values : {bad} {'FAILED' if bad else 'OK'}\n")
    lines.append(f"# Avg bus bandwidth    : {mean:g} \n#\n")
    lines.append(f"# Collective test concluded: {name}\n")
    call.write("".join(lines))
    return JOB_FAILED if bad else 0


def _table_head() -> str:
    left = "  ".join(("{:>10}", "{:>12}", "{:>8}", "{:>6}", "{:>6}"))
    group = "  {:>7}  {:>6}  {:>6}  {:>6}"
    first = left.format("size", "count", "type", "redop", "root")
    second = left.format("(B)", "(elements)", "", "", "")
    names = group.format("time", "algbw", "busbw", "#wrong")
    units = group.format("(us)", "(GB/s)", "(GB/s)", "")
    return (
        f"#\n# {left.format('', '', '', '', '')}           out-of-place                       "
        f"in-place          \n# {first}{names}{names} \n# {second}{units}{units} \n"
    )


def _group(size: int, algbw: float, busbw: float, wrong: int, check: bool) -> str:
    micros = size / algbw / 1e3
    checked = f"{float(wrong):6g}" if check else "   N/A"
    return f"  {_number(micros, 7)}  {_number(algbw, 6)}  {_number(busbw, 6)}  {checked}"


def _number(value: float, width: int) -> str:
    """As many decimals as fit: two, one, or none."""
    for decimals in (2, 1, 0):
        text = f"{value:{width}.{decimals}f}"
        if len(text) <= width:
            return text
    return f"{value:{width}.1e}"
