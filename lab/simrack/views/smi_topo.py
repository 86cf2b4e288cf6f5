"""`nvidia-smi topo -m`: the way between every two devices of a host."""

from __future__ import annotations

from lab.simrack.devices import GpuState, PortState
from lab.simrack.state import HostState

UNDERLINED, PLAIN = "\x1b[4m", "\x1b[0m"
RAIL, SOCKET, APART = "PIX", "NODE", "SYS"
_LEGEND = """
Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes
  NODE = Connection traversing PCIe as well as the interconnect between Host Bridges of a NUMA node
  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)
  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)
  PIX  = Connection traversing at most a single PCIe bridge
  NV#  = Connection traversing a bonded set of # NVLinks

NIC Legend:

"""


def matrix(host: HostState) -> str:
    """GPUs by the driver's index, then NICs by name; sockets have half of the slots each."""
    gpus, ports = host.shown, host.fitted
    names = [f"GPU{at}" for at in range(len(gpus))] + [f"NIC{at}" for at in range(len(ports))]
    columns = [*names, "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"]
    lines = [f"\t{UNDERLINED}" + "\t".join(columns) + PLAIN]
    devices: list[GpuState | PortState] = [*gpus, *ports]
    for name, device in zip(names, devices, strict=True):
        cells = [" X " if one is device else _way(host, device, one) for one in devices]
        near = ["\t", "", ""]
        if isinstance(device, GpuState):
            socket = _socket(host, device)
            near = [f"{socket * 56}-{socket * 56 + 55}", f"{socket}", "\tN/A"]
        lines.append("\t".join([name, *cells, *near]))
    legend = [f"  NIC{at}: {port.device}" for at, port in enumerate(ports)]
    return "\n".join(lines) + "\n" + _LEGEND + "\n".join(legend) + "\n\n"


def _way(host: HostState, one: GpuState | PortState, other: GpuState | PortState) -> str:
    if isinstance(one, GpuState) and isinstance(other, GpuState):
        up = sum(link.up for link in one.links)
        return f"NV{up}" if up else SOCKET
    if _slot(host, one) == _slot(host, other):
        port = one if isinstance(one, PortState) else other
        return (port.card.nears if isinstance(port, PortState) else "") or RAIL
    return SOCKET if _socket(host, one) == _socket(host, other) else APART


def _slot(host: HostState, device: GpuState | PortState) -> int:
    """GPU n and NIC n hang on one switch; where there are fewer NICs, several GPUs share one."""
    if isinstance(device, PortState):
        device = device.physical or device
        return device.rail if device in host.ports and device.rail >= 0 else -1
    return host.gpus.index(device) * max(len(host.ports), 1) // len(host.gpus)


def _socket(host: HostState, device: GpuState | PortState) -> int:
    return int(_slot(host, device) * 2 >= max(len(host.ports), 1))
