"""What perftest says of the GPU whose memory it moves, with `--use_cuda=N`."""

from __future__ import annotations

from lab.simrack.devices import GpuState
from lab.simrack.state import HostState

NOT_READY, NO_DEVICE = 802, 100
"""CUDA_ERROR_SYSTEM_NOT_READY: the NVLink fabric is not set up; CUDA_ERROR_NO_DEVICE (cuda.h)."""


def refused(host: HostState, number: int) -> str:
    """Why the GPU cannot be used; empty where it can."""
    seen = _seen(host)
    if not seen:
        return f" cuInit(0) returned {NO_DEVICE}\n Couldn't allocate GPU memory\n"
    if number >= len(seen):
        return f" No such device ID ({number}) exists in system\n"
    if not seen[number].fabric.joined:
        return f" cuInit(0) returned {NOT_READY}\n Couldn't allocate GPU memory\n"
    return ""


def chosen(host: HostState, number: int, size: int) -> str:
    """The GPUs that CUDA has, by address, and the buffer in one of them."""
    seen = _seen(host)
    listed = "".join(
        f"CUDA device {at}: PCIe address is {gpu.pci.split(':', 1)[1].split('.')[0].upper()}\n"
        for at, gpu in enumerate(seen)
    )
    return (
        f"initializing CUDA\nListing all CUDA devices in system:\n{listed}\n"
        f"Picking device No. {number}\n"
        f"[pid = 4711, dev = {number}] device name = [{seen[number].product}]\n"
        "creating CUDA Ctx\nmaking it the current CUDA Ctx\n"
        f"cuMemAlloc() of a {2 * size} GPU buffer\n"
        f"allocated GPU buffer address at 00007f5c{size:08x} pointer=0x7f5c{size:08x}\n"
    )


def _seen(host: HostState) -> list[GpuState]:
    return [gpu for gpu in host.shown if not gpu.lost]
