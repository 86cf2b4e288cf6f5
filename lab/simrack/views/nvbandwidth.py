"""`nvbandwidth -j -t TEST`: copies between the GPUs of a host, in the JSON that jsoncpp writes."""

from __future__ import annotations

import json
from collections.abc import Sequence

from lab.simrack.machine import Call
from lab.simrack.state import GpuState, World

VERSION, CUDA_RUNTIME = "v0.8", 13000
TAKES_S = 0.9
"""Wall time of one test: long enough for somebody to look at the links meanwhile."""
D2D = "device_to_device_memcpy_read_ce"
H2D = "host_to_device_memcpy_ce"
DESCRIPTIONS = {
    D2D: "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)",
    H2D: "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
}
Matrix = list[list[float | None]]


async def run(call: Call) -> int:
    tests = _tests(call.argv)
    if "-j" not in call.argv or not tests:
        return call.fail("ERROR: simrack has nvbandwidth only as: nvbandwidth -j -t TEST\n")
    error = _cuda_error(call.host.shown)
    if error:
        call.write(_styled(call, {"error": f"{error} in expression cuInit(0) in main()"}))
        return 1
    with call.machine.loaded():
        await call.pause(TAKES_S * len(tests))
    cases = [_case(call.world, call.host.name, call.host.shown, test) for test in tests]
    devices = [
        f"{index}: {call.world.product.name} ({_bus(gpu)})"
        for index, gpu in enumerate(call.host.shown)
    ]
    call.write(_styled(call, {"GPU Device list": devices, "testcases": cases}))
    return 0


def _tests(argv: Sequence[str]) -> list[str]:
    """What stands behind `-t` up to the next option."""
    rest = list(argv[argv.index("-t") + 1 :]) if "-t" in argv else []
    stop = next((at for at, word in enumerate(rest) if word.startswith("-")), len(rest))
    return rest[:stop]


def _cuda_error(gpus: Sequence[GpuState]) -> str:
    if not gpus:
        return "[CUDA_ERROR_NO_DEVICE] no CUDA-capable device is detected"
    if any(gpu.lost for gpu in gpus):
        return "[CUDA_ERROR_UNKNOWN] unknown error"
    if any((g.fabric.state, g.fabric.status) != ("Completed", "Success") for g in gpus):
        return "[CUDA_ERROR_SYSTEM_NOT_READY] system not yet initialized"
    return ""


def _bus(gpu: GpuState) -> str:
    domain, bus, rest = gpu.pci.split(":")
    return f"{domain:0>8}:{bus}:{rest.split('.')[0]}"


def _case(world: World, host: str, gpus: Sequence[GpuState], test: str) -> dict[str, object]:
    if test not in DESCRIPTIONS:
        return {"name": test, "status": "Not Found"}
    matrix = d2d(world, host, gpus) if test == D2D else [h2d(world, host, gpus)]
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
            * min(share(world, one), share(world, other))
            * world.noise(host, "d2d", one.slot, other.slot)
            for other in gpus
        ]
        for one in gpus
    ]


def h2d(world: World, host: str, gpus: Sequence[GpuState]) -> list[float | None]:
    return [
        world.product.h2d_gbytes * gpu.copy_factor * world.noise(host, "h2d", gpu.slot)
        for gpu in gpus
    ]


def share(world: World, gpu: GpuState) -> float:
    """What part of its copy bandwidth the GPU reaches: its own factor, and its links."""
    links = sum(rate or 0.0 for rate in gpu.links)
    return gpu.copy_factor * links / (world.product.links * world.product.link_gbytes)


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
