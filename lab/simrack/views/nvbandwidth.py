"""`nvbandwidth -j -t TEST`: copies between the GPUs of a host, in the JSON that jsoncpp writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import permutations

from lab.simrack.devices import GpuState
from lab.simrack.machine import Call
from lab.simrack.nvlink_traffic import count_copy, pair_share, rack_of, stir
from lab.simrack.state import HostState, World

VERSION, CUDA_RUNTIME = "v0.8", 13000
SEGFAULT = 139
COPIED_BYTES = 48 * 512 * (1 << 20)
"""What one pair copies: three samples of sixteen copies of a buffer of 512 MiB."""
TAKES_S = 0.9
"""Wall time of one test: long enough for somebody to look at the links meanwhile."""
D2D = "device_to_device_memcpy_read_ce"
H2D = "host_to_device_memcpy_ce"
DESCRIPTIONS = {
    D2D: "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)",
    H2D: "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
}
THROUGH_HOST = 0.05
"""What is left of the bandwidth between GPUs that no NVLink joins: copies go by way of the host."""
Matrix = list[list[float | None]]


async def run(call: Call) -> int:
    tests = _tests(call.argv)
    if "-j" not in call.argv or not tests:
        return call.fail("ERROR: simrack has nvbandwidth only as: nvbandwidth -j -t TEST\n")
    if "nvbandwidth" in call.host.crashing:
        return call.fail("Segmentation fault (core dumped)\n", SEGFAULT)
    error = cuda_error(call.host)
    if error:
        call.write(_styled(call, {"error": f"{error} in expression cuInit(0) in main()"}))
        return 1
    with call.machine.loaded():
        await call.pause(TAKES_S * len(tests))
    if D2D in tests:
        _count(call.world, call.host.shown)
    cases = [_case(call.world, call.host, test) for test in tests]
    devices = [f"{index}: {gpu.product} ({_bus(gpu)})" for index, gpu in enumerate(call.host.shown)]
    call.write(_styled(call, {"GPU Device list": devices, "testcases": cases}))
    return 0


def _count(world: World, gpus: Sequence[GpuState]) -> None:
    """What the copies of the test move over the links of GPUs that NVLink joins."""
    for source, target in permutations(gpus, 2):
        if source.domain == target.domain:
            count_copy(world, source, target, COPIED_BYTES)
    for rack in {rack_of(world, gpu) for gpu in gpus}:
        stir(world, rack)


def _tests(argv: Sequence[str]) -> list[str]:
    """What stands behind `-t` up to the next option."""
    rest = list(argv[argv.index("-t") + 1 :]) if "-t" in argv else []
    stop = next((at for at, word in enumerate(rest) if word.startswith("-")), len(rest))
    return rest[:stop]


def cuda_error(host: HostState) -> str:
    """Why CUDA does not start on a host; empty where it does."""
    gpus = host.shown
    if host.driver_trouble == "library-mismatch":
        return (
            "[CUDA_ERROR_SYSTEM_DRIVER_MISMATCH] system has unsupported display driver / cuda "
            "driver combination"
        )
    if not gpus:
        return "[CUDA_ERROR_NO_DEVICE] no CUDA-capable device is detected"
    if any(gpu.lost for gpu in gpus):
        return "[CUDA_ERROR_UNKNOWN] unknown error"
    if not all(gpu.fabric.joined for gpu in gpus):
        return "[CUDA_ERROR_SYSTEM_NOT_READY] system not yet initialized"
    return ""


def _bus(gpu: GpuState) -> str:
    domain, bus, rest = gpu.pci.split(":")
    return f"{domain:0>8}:{bus}:{rest.split('.')[0]}"


def _case(world: World, host: HostState, test: str) -> dict[str, object]:
    if test not in DESCRIPTIONS:
        return {"name": test, "status": "Not Found"}
    if host.copies_fail and test == D2D:
        return {"name": test, "status": "Error in testcase - Unexpected bandwidth value"}
    gpus = host.shown
    matrix = d2d(world, host.name, gpus) if test == D2D else [h2d(world, host.name, gpus)]
    cells = [[None if cell is None else f"{cell:.6g}" for cell in row] for row in matrix]
    total = sum(float(cell) for row in cells for cell in row if cell is not None)
    return {
        "bandwidth_description": DESCRIPTIONS[test],
        "bandwidth_matrix": [[cell or "N/A" for cell in row] for row in cells],
        "name": test,
        "status": "Passed",
        "sum": round(total, 4),
    }


def d2d(world: World, host: str, gpus: Sequence[GpuState]) -> Matrix:
    """GB/s that the row's GPU reads from the column's; the slower end sets the pace."""
    return [
        [
            None
            if one is other
            else world.product.d2d_gbytes
            * _between(world, one, other)
            * world.noise(host, "d2d", one.slot, other.slot)
            for other in gpus
        ]
        for one in gpus
    ]


def h2d(world: World, host: str, gpus: Sequence[GpuState]) -> list[float | None]:
    return [
        world.product.h2d_gbytes
        * gpu.copy_factor
        * _pcie_share(world, gpu)
        * world.noise(host, "h2d", gpu.slot)
        for gpu in gpus
    ]


def _pcie_share(world: World, gpu: GpuState) -> float:
    """What part of the host's bandwidth the PCIe links on the way leave; where the host has its own
    NVLink to the GPU (C2C), they carry no copies."""
    if world.product.clustered:
        return 1.0
    lanes = min(gpu.pcie_width, gpu.switch_width) / 16
    return float(lanes * 2.0 ** (gpu.pcie_gen - 5))


def _between(world: World, reader: GpuState, source: GpuState) -> float:
    """What part of the copy bandwidth a pair reaches: the slower end's, or that of the host."""
    if reader.domain != source.domain:
        return THROUGH_HOST
    slowest = min(reader.copy_factor, source.copy_factor) * pair_share(world, reader, source)
    return max(slowest * reader.slow_to.get(source.slot, 1.0), THROUGH_HOST)


def _styled(call: Call, body: dict[str, object]) -> str:
    """Keys in order, indented by three blanks, an open brace on a line of its own."""
    whole = {
        "CUDA Runtime Version": CUDA_RUNTIME,
        "Driver Version": call.host.driver,
        "git_version": VERSION,
        "version": VERSION.removeprefix("v"),
        **body,
    }
    text = json.dumps({"nvbandwidth": whole}, indent=3, sort_keys=True, separators=(",", " : "))
    return text + "\n\n"
