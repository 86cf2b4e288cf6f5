"""What `nvidia-smi` knows of one GPU, as the values of its elements and columns."""

from __future__ import annotations

from collections.abc import Mapping

from lab.simrack.devices import NO_CLUSTER, FabricState, GpuState
from lab.simrack.gpu_health import Running, running
from lab.simrack.products import GpuProduct
from lab.simrack.state import HostState, World

LOST = "GPU is lost"
ECC = (
    *("sram_correctable", "sram_uncorrectable_parity", "sram_uncorrectable_secded"),
    *("dram_correctable", "dram_uncorrectable"),
)
FLAGS = (
    *("route_recovery_in_progress", "route_unhealthy", "access_timeout_recovery"),
    "incorrect_configuration",
)
"""Fields of the fabric's health, each raised or not."""
REASONS: Mapping[str, int] = {
    "gpu_idle": 0x1,
    "sw_power_cap": 0x4,
    "hw_slowdown": 0x8,
    "sw_thermal_slowdown": 0x20,
    "hw_thermal_slowdown": 0x40,
    "hw_power_brake_slowdown": 0x80,
}
"""Why a clock is not higher, with the bits of the mask (nvml.h: nvmlClocksEventReason…)."""
BRAKED_US = 131_072_000_000
"""How long the power brake has held: a day and a half."""
SRAM_EXCEEDED = 4
"""More uncorrectable errors of SRAM than these are too many."""


def fields_of(
    world: World, host: HostState, gpu: GpuState, index: int, *, busy: bool
) -> dict[str, object]:
    product = world.product
    state = running(world, gpu, busy=busy)
    fields: dict[str, object] = {
        **_identity(product, host, gpu, index),
        **_position(product, host, gpu),
        **_pci(product, gpu, busy),
        **_power(world, gpu, state),
        **_load(product, gpu, state, busy),
        **_memory(product, gpu),
        **_fabric(product, gpu),
    }
    if gpu.lost:
        fields.update(dict.fromkeys(_SILENT, LOST))
    return fields


_SILENT = (
    *("fb_total", "fb_reserved", "fb_used", "fb_free", "gpu_util", "memory_util"),
    *ECC,
    *(f"ever_{name}" for name in ECC),
    *("temp", "tlimit", "draw", "clock", "memory_clock"),
    *("fabric_state", "fabric_status", "clique", "cluster"),
    *("health", "bandwidth", *FLAGS),
)
"""What the driver cannot read from a GPU that it has lost; the rest it remembers."""


def _identity(product: GpuProduct, host: HostState, gpu: GpuState, index: int) -> dict[str, object]:
    return {
        "product": gpu.product,
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
        "processes": _processes(gpu),
    }


def _processes(gpu: GpuState) -> str:
    """The element with what somebody else runs on the GPU, indented as it stands in the output."""
    inner = [
        "<process_info>",
        "\t<pid>4242</pid>",
        "\t<type>C</type>",
        f"\t<process_name>{gpu.process}</process_name>",
        "\t<used_memory>1024 MiB</used_memory>",
        "</process_info>",
    ]
    lines = "".join(f"\t\t\t{line}\n" for line in inner) if gpu.process else ""
    return f"<processes>\n{lines}\t\t</processes>"


def _memory(product: GpuProduct, gpu: GpuState) -> dict[str, object]:
    """Memory errors, and the rows that were or will be remapped; each row is in a bank of its own.

    What happened since the driver was loaded is all that ever happened to a new GPU.
    """
    used = gpu.rows_correctable + gpu.rows_uncorrectable + int(gpu.remap_pending)
    return {
        **_errors(gpu),
        "pending": "Yes" if gpu.remap_pending else "No",
        "remap_failed": "Yes" if gpu.remap_failed else "No",
        "rows_waiting": int(gpu.remap_pending),
        "rows_corr": gpu.rows_correctable,
        "rows_unc": gpu.rows_uncorrectable,
        "banks_max": product.remap_banks - used,
        "banks_used": used,
    }


def _errors(gpu: GpuState) -> dict[str, object]:
    """Errors since the driver was loaded, ever, and both as the sums that a query prints."""
    now = {name: gpu.ecc.get(name, 0) for name in ECC}
    ever = {name: now[name] + gpu.health.old_errors.get(name, 0) for name in ECC}
    sram = sum(count for name, count in ever.items() if name.startswith("sram_unc"))
    shown: dict[str, object] = {
        **now,
        **{f"ever_{name}": count for name, count in ever.items()},
        "corrected": sum(count for name, count in now.items() if name.endswith("_correctable")),
        "uncorrected": sum(count for name, count in now.items() if "_uncorrectable" in name),
    }
    known = shown if gpu.ecc_known else dict.fromkeys(shown, "N/A")
    return {**known, "sram_exceeded": "Yes" if sram > SRAM_EXCEEDED else "No"}


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
        "gen": gpu.pcie_gen if busy else 1,
        "width": gpu.pcie_width,
        "max_device_gen": product.max_device_gen,
    }


def _power(world: World, gpu: GpuState, state: Running) -> dict[str, object]:
    product = world.product
    module = product.module_limit_w
    return {
        "temp": f"{state.temperature_c} C",
        "tlimit": f"{state.margin_c} C",
        "draw": f"{state.draw_w:.2f} W",
        "memory_draw": f"{state.draw_w * 0.18:.2f} W",
        "limit": gpu.limit_w,
        "default_limit": float(product.limit_w),
        "module_draw": f"{state.draw_w * 2.3:.2f} W" if module else "N/A",
        "module_limit": f"{module:.2f} W" if module else "N/A",
        "module_min": "500.00 W" if module else "N/A",
        "clock": f"{state.clock_mhz} MHz",
        "memory_clock": f"{product.memory_mhz} MHz",
        "memory_mhz": product.memory_mhz,
        "boost": product.boost_mhz,
    }


def _load(product: GpuProduct, gpu: GpuState, state: Running, busy: bool) -> dict[str, object]:
    used = product.memory_mib // 2 if busy else 0
    mask = sum(bit for reason, bit in REASONS.items() if reason in state.reasons)
    return {
        **{name: "Active" if name in state.reasons else "Not Active" for name in REASONS},
        "reasons": f"0x{mask:016x}",
        "braked_us": BRAKED_US if gpu.health.braked == "always" else 0,
        "fb_total": f"{product.memory_mib} MiB",
        "fb_reserved": "742 MiB",
        "fb_used": f"{used} MiB",
        "fb_free": f"{product.memory_mib - 742 - used} MiB",
        "bar1": product.bar1_mib,
        "gpu_util": "98 %" if busy else "0 %",
        "memory_util": "61 %" if busy else "0 %",
    }


def _fabric(product: GpuProduct, gpu: GpuState) -> dict[str, object]:
    fabric = gpu.fabric
    judged = fabric.joined and product.clustered and fabric.reported
    slow = fabric.degraded or any(link.trained != link.rate for link in gpu.links)
    summary = "Unhealthy" if fabric.ailing else "Limited Capacity" if slow else "Healthy"
    return {
        "fabric_state": fabric.state,
        "fabric_status": fabric.status,
        "clique": fabric.clique if fabric.joined else 0,
        "cluster": fabric.cluster if fabric.joined else NO_CLUSTER,
        "health": (fabric.summary or summary) if judged else "N/A",
        "bandwidth": ("Degraded" if slow else "Full") if judged else "N/A",
        **{flag: _raised(fabric, flag) if judged else "N/A" for flag in FLAGS},
    }


def _raised(fabric: FabricState, flag: str) -> str:
    """What is wrong with the configuration has a name; the other flags are true or false."""
    if flag == "incorrect_configuration":
        return "No Partition" if flag in fabric.ailing else "N/A"
    return "True" if flag in fabric.ailing else "False"
