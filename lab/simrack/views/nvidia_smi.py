"""nvidia-smi: `-q -x` and `-L`; `nvlink` and `--query-gpu` by way of modules of their own."""

from __future__ import annotations

import time
from functools import cache

from lab.simrack.devices import GpuState
from lab.simrack.machine import Call
from lab.simrack.state import HostState, World
from lab.simrack.views import smi_elements as elements
from lab.simrack.views import smi_nvlink, smi_query, smi_topo
from lab.simrack.views.outline import to_xml
from lab.simrack.views.smi_fields import fields_of

OFF_THE_BUS, INVALID_ARGUMENT, NO_DEVICE, VERSION_MISMATCH = 15, 2, 6, 18
CUDA = "13.0"
_NO_DRIVER = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that "
    "the latest NVIDIA driver is installed and running.\n\n"
)
_MISMATCH = (
    "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.105\n"
)
_HEADER = '<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v13.dtd">\n'


async def run(call: Call) -> int:
    arguments = list(call.argv[1:])
    if call.host.driver_trouble == "library-mismatch":
        call.write(_MISMATCH)
        return VERSION_MISMATCH
    if not call.host.gpus or call.host.driver_trouble:
        call.write(_NO_DRIVER)
        return 9
    if not call.host.shown:
        call.write("No devices were found\n")
        return NO_DEVICE
    if sorted(arguments) == ["-q", "-x"]:
        call.write(
            query(call.world, call.host, busy=call.machine.loads > 0, now=call.machine.now())
        )
        return OFF_THE_BUS if any(gpu.lost for gpu in call.host.shown) else 0
    if arguments == ["-L"]:
        for index, gpu in enumerate(call.host.shown):
            call.write(_line(index, gpu))
        return 0
    if any(word.startswith("--query-gpu=") for word in arguments):
        return await smi_query.run(call)
    if arguments == ["topo", "-m"]:
        call.write(smi_topo.matrix(call.host))
        return 0
    if arguments[:1] == ["nvlink"] and (links := smi_nvlink.answer(arguments[1:])):
        call.write(smi_nvlink.show(call.world.product, call.host, links))
        return 0
    call.write(f"Invalid combination of input arguments: {' '.join(arguments)}\n")
    return INVALID_ARGUMENT


def _line(index: int, gpu: GpuState) -> str:
    return f"GPU {index}: {gpu.product} (UUID: {gpu.uuid})\n"


def query(world: World, host: HostState, *, busy: bool, now: float) -> str:
    """`nvidia-smi -q -x`: everything about every GPU that the driver enumerates."""
    stamp = time.strftime("%a %b %e %H:%M:%S %Y", time.gmtime(now))
    parts = [
        _HEADER,
        "<nvidia_smi_log>\n",
        f"\t<timestamp>{stamp}</timestamp>\n",
        f"\t<driver_version>{host.driver}</driver_version>\n",
        f"\t<cuda_version>{CUDA}</cuda_version>\n",
        f"\t<attached_gpus>{len(host.shown)}</attached_gpus>\n",
    ]
    for index, gpu in enumerate(host.shown):
        template = _template(gpu.lost)
        parts.append(template.format_map(fields_of(world, host, gpu, index, busy=busy)))
    parts.append("</nvidia_smi_log>\n")
    return "".join(parts)


@cache
def _template(lost: bool) -> str:
    outline = [
        elements.IDENTITY,
        elements.LOAD,
        elements.MEMORY,
        elements.REMAPPED_ROWS_LOST if lost else elements.REMAPPED_ROWS,
        elements.POWER,
        elements.FABRIC,
    ]
    return '\t<gpu id="{bus_id}">\n' + to_xml("\n".join(outline), 2) + "\t</gpu>\n"
