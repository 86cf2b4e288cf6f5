"""The kernel's log since boot, as `dmesg` prints it: what follows from the hardware's state.

`SOURCES` derive messages from the state of a host; `HostSetup.messages` adds what no state holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lab.simrack.cards import PciLink
from lab.simrack.host_setup import BOOT_S, DRIVER_S, UNKNOWN, Message, xid
from lab.simrack.machine import Call, Machine
from lab.simrack.state import HostState

Source = Callable[[HostState], Iterator[Message]]
LOG_FLAGS = {"-x", "--decode"}
GENERATION_GTS = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}
LANE_GBPS = {1: 2.0, 2: 4.0, 3: 7.876, 4: 15.753, 5: 31.506, 6: 63.015}
"""What a PCIe lane carries beside its coding, as the kernel reckons it (drivers/pci/pci.h)."""
FULL_LANES, FULL_GENERATION = 16, 5
FULL_SLOT = PciLink()


def kernel_log(machine: Machine) -> list[Message]:
    """Every message that is still in the ring buffer, in order."""
    host = machine.state
    found = [*(message for source in SOURCES for message in source(host)), *host.setup.messages]
    found.sort(key=lambda message: message.at_s)
    return [message for message in found if message.at_s >= host.setup.log_begins_s]


async def dmesg(call: Call) -> int:
    decoded = bool(LOG_FLAGS & set(call.argv[1:]))
    for message in kernel_log(call.machine):
        level = f"kern  :{message.level:<6}: " if decoded else ""
        call.write(f"{level}[{message.at_s:>12.6f}] {message.text}\n")
    return 0


def _boot(host: HostState) -> Iterator[Message]:
    yield Message(
        text=f"Linux version {host.kernel} (build@b) (gcc 13.3.0) #1 SMP PREEMPT_DYNAMIC",
        level="notice",
        at_s=BOOT_S,
    )


def _driver(host: HostState) -> Iterator[Message]:
    if host.gpus and host.driver_trouble != "not-loaded":
        text = f"NVRM: loading NVIDIA UNIX Open Kernel Module for aarch64  {host.driver}"
        yield Message(text=f"{text}  Release Build", at_s=DRIVER_S)


def _pcie(host: HostState) -> Iterator[Message]:
    """What the PCI core says of a device whose link came up with less than it can."""
    for gpu in host.on_bus:
        if (gpu.pcie_width, gpu.pcie_gen) != (FULL_LANES, FULL_GENERATION):
            upstream = gpu.pci.replace(":01:", ":00:")
            yield Message(
                text=f"pci {gpu.pci}: {_limited(gpu.pcie_width, gpu.pcie_gen, upstream)}",
                at_s=0.812345,
            )


def _limited(width: int, generation: int, upstream: str) -> str:
    gbps, link = _link(width, generation)
    capable, full = _link(FULL_LANES, FULL_GENERATION)
    return (
        f"{gbps:.3f} Gb/s available PCIe bandwidth, limited by {link} at {upstream} "
        f"(capable of {capable:.3f} Gb/s with {full})"
    )


def _link(width: int, generation: int) -> tuple[float, str]:
    gts = GENERATION_GTS[generation]
    return LANE_GBPS[generation] * width, f"{gts:.1f} GT/s PCIe x{width} link"


def _lost(host: HostState) -> Iterator[Message]:
    for gpu in host.on_bus:
        if gpu.lost:
            yield xid(gpu, 79, "GPU has fallen off the bus.", who=UNKNOWN)
            yield Message(text=f"NVRM: GPU {gpu.pci}: GPU has fallen off the bus.", level="err")
            changed = "from 0x0 (None) to 0x2 (Node Reboot Required)"
            yield xid(gpu, 154, f"GPU recovery action changed {changed}")


def _memory(host: HostState) -> Iterator[Message]:
    """Errors of memory: contained ones cost a program, a row that has no spare costs the GPU."""
    for gpu in host.on_bus:
        if gpu.ecc.get("dram_uncorrectable") and gpu.ecc_known:
            yield xid(
                gpu, 94, "Contained: DRAM Error, RST: No, D-RST: No", who="pid=4242, name=python3"
            )
        if gpu.remap_pending:
            yield xid(gpu, 63, "Row Remapper: New row marked for remapping, reset gpu to activate.")
        if gpu.remap_failed:
            yield xid(gpu, 64, "Row Remapper: Remapping failed, no spare row is left in the bank")


def _nics(host: HostState) -> Iterator[Message]:
    """What mlx5_core says of each card that it has brought up."""
    for port in host.fitted:
        address, card = host.pci_of(port), port.card
        domain = address.partition(":")[0]
        yield _mlx5(address, f"firmware version: {port.firmware}", 4.220)
        if port.physical:
            continue
        if card.slot.gbps < FULL_SLOT.gbps:
            yield _mlx5(address, _less(card.slot, f"{domain}:02:00.0"), 4.221)
        elif card.bridge.gbps < FULL_SLOT.gbps:
            yield _mlx5(address, _less(card.bridge, f"{domain}:01:00.0"), 4.221)
        else:
            gbps, link = _link(FULL_LANES, FULL_GENERATION)
            yield _mlx5(address, f"{gbps:.3f} Gb/s available PCIe bandwidth ({link})", 4.221)


def _mlx5(address: str, text: str, at_s: float) -> Message:
    return Message(text=f"mlx5_core {address}: {text}", at_s=at_s)


def _less(slower: PciLink, upstream: str) -> str:
    return _limited(slower.width, slower.generation, upstream)


SOURCES: Sequence[Source] = (_boot, _driver, _pcie, _nics, _lost, _memory)
