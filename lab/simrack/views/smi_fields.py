"""What `nvidia-smi` knows of one GPU, as the values of its elements and columns."""

from __future__ import annotations

from lab.simrack.products import GpuProduct
from lab.simrack.state import NO_CLUSTER, GpuState, HostState, World

LOST = "GPU is lost"
_LOADED_SHARE = 0.8
"""Share of its power limit that a busy GPU draws."""


def fields_of(
    world: World, host: HostState, gpu: GpuState, index: int, *, busy: bool
) -> dict[str, object]:
    product = world.product
    fields: dict[str, object] = {
        **_identity(product, host, gpu, index),
        **_position(product, host, gpu),
        **_pci(product, gpu, busy),
        **_load(world, gpu, busy),
        **_fabric(product, gpu),
    }
    if gpu.lost:
        fields.update(dict.fromkeys(_SILENT, LOST))
    return fields


_SILENT = (
    *("fb_total", "fb_reserved", "fb_used", "fb_free", "gpu_util", "memory_util", "ecc"),
    *("temp", "tlimit", "draw", "clock", "memory_clock"),
    *("fabric_state", "fabric_status", "clique", "cluster"),
    *("health", "bandwidth", "unhealthy", "misconfigured"),
)
"""What the driver cannot read from a GPU that it has lost; the rest it remembers."""


def _identity(product: GpuProduct, host: HostState, gpu: GpuState, index: int) -> dict[str, object]:
    return {
        "product": product.name,
        "architecture": product.architecture,
        "addressing": "ATS" if product.clustered else "None",
        "c2c": "Enabled" if product.clustered else "Disabled",
        "serial": gpu.serial,
        "uuid": gpu.uuid,
        "pdi": f"0x{gpu.uuid[4:12]}{gpu.uuid[-8:]}",
        "index": index,
        "vbios": gpu.vbios,
        "board_part": product.board_part,
        "gpu_part": product.gpu_part,
        "image": product.image,
        "driver": host.driver,
        "recovery": "Drain and Reset" if gpu.remap_pending else "None",
        "pending": "Yes" if gpu.remap_pending else "No",
        "rows_waiting": int(gpu.remap_pending),
        "banks_max": product.remap_banks - int(gpu.remap_pending),
    }


def _position(product: GpuProduct, host: HostState, gpu: GpuState) -> dict[str, object]:
    """platformInfo: known to GPUs of a rack with an NVLink spine, not to those of a server."""
    known = product.clustered
    return {
        "chassis": host.rack_serial if known else "N/A",
        "slot": host.slot if known else "N/A",
        "tray": host.tray if known else "N/A",
        "host_id": 1 if known else "N/A",
        "peer_type": "Switch Connected",
        "module": gpu.module,
        "fabric_guid": f"0x{gpu.uuid[-12:]}{gpu.module:04x}",
    }


def _pci(product: GpuProduct, gpu: GpuState, busy: bool) -> dict[str, object]:
    domain, bus, rest = gpu.pci.upper().split(":")
    device = rest.split(".")[0]
    return {
        "domain": domain[-4:],
        "bus": bus,
        "device": device,
        "bus_id": f"{domain:0>8}:{bus}:{rest}",
        "board_id": f"0x{int(domain[-4:] + bus, 16) << 8:x}",
        "device_id": product.device_id,
        "sub_system_id": product.sub_system_id,
        "max_gen": 5,
        "gen": 5 if busy else 1,
        "max_device_gen": product.max_device_gen,
    }


def _load(world: World, gpu: GpuState, busy: bool) -> dict[str, object]:
    product = world.product
    draw = world.noise(gpu.part, "draw", spread=0.05) * (
        gpu.limit_w * _LOADED_SHARE if busy else product.idle_w
    )
    degrees = round((52 if busy else 29) * world.noise(gpu.part, "heat", spread=0.08))
    module = product.module_limit_w
    used = product.memory_mib // 2 if busy else 0
    return {
        "idle": "Not Active" if busy else "Active",
        "fb_total": f"{product.memory_mib} MiB",
        "fb_reserved": "742 MiB",
        "fb_used": f"{used} MiB",
        "fb_free": f"{product.memory_mib - 742 - used} MiB",
        "bar1": product.bar1_mib,
        "gpu_util": "98 %" if busy else "0 %",
        "memory_util": "61 %" if busy else "0 %",
        "ecc": "0",
        "temp": f"{degrees} C",
        "tlimit": f"{87 - degrees} C",
        "draw": f"{draw:.2f} W",
        "memory_draw": f"{draw * 0.18:.2f} W",
        "limit": gpu.limit_w,
        "default_limit": float(product.limit_w),
        "module_draw": f"{draw * 2.3:.2f} W" if module else "N/A",
        "module_limit": f"{module:.2f} W" if module else "N/A",
        "module_min": "500.00 W" if module else "N/A",
        "clock": f"{product.boost_mhz if busy else 120} MHz",
        "memory_clock": f"{product.memory_mhz} MHz",
        "memory_mhz": product.memory_mhz,
        "boost": product.boost_mhz,
    }


def _fabric(product: GpuProduct, gpu: GpuState) -> dict[str, object]:
    fabric = gpu.fabric
    joined = (fabric.state, fabric.status) == ("Completed", "Success")
    judged = joined and product.clustered
    slow = any(rate != product.link_gbytes for rate in gpu.links)
    return {
        "fabric_state": fabric.state,
        "fabric_status": fabric.status,
        "clique": fabric.clique if joined else 0,
        "cluster": fabric.cluster if joined else NO_CLUSTER,
        "health": ("Limited Capacity" if slow else "Healthy") if judged else "N/A",
        "bandwidth": ("Degraded" if slow else "Full") if judged else "N/A",
        "unhealthy": "False" if judged else "N/A",
        "misconfigured": "N/A",
    }
