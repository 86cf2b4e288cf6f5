"""A NIC's card as sysfs shows it: PCI links up to the root port, and the port's partition table."""

from __future__ import annotations

from lab.simrack.cards import GTS, MAX_GENERATION, MAX_WIDTH, PciLink
from lab.simrack.devices import PortState
from lab.simrack.state import HostState

NIC_ID, VIRTUAL_ID, BRIDGE_ID = "15B3:1021", "15B3:101E", "15B3:1979"
PKEY_ENTRIES = 128


def files(host: HostState, port: PortState, folder: str) -> dict[str, str]:
    """By path, with `folder` the device's below /sys/class/infiniband."""
    device, card, pci = f"{folder}/device", port.card, host.pci_of(port)
    domain = pci.partition(":")[0]
    bridge, above = f"{device}/..", f"{device}/../.."
    keys = [*card.pkeys, *[0] * (PKEY_ENTRIES - len(card.pkeys))]
    table = {f"{folder}/ports/1/pkeys/{at}": f"0x{key:04x}\n" for at, key in enumerate(keys)}
    if port.physical:
        return {**table, **_virtual(device, pci, host.pci_of(port.physical))}
    return {
        **table,
        f"{device}/uevent": _uevent("mlx5_core", NIC_ID, pci),
        **_link(device, card.slot),
        f"{bridge}/uevent": _uevent("pcieport", BRIDGE_ID, f"{domain}:02:00.0"),
        **_link(bridge, card.slot),
        f"{above}/uevent": _uevent("pcieport", BRIDGE_ID, f"{domain}:01:00.0"),
        **_link(above, card.bridge),
    }


def _virtual(device: str, pci: str, physical: str) -> dict[str, str]:
    """A virtual function's link says nothing: its registers are zero."""
    return {
        f"{device}/uevent": _uevent("mlx5_core", VIRTUAL_ID, pci),
        f"{device}/physfn/uevent": _uevent("mlx5_core", NIC_ID, physical),
        f"{device}/current_link_speed": "Unknown\n",
        f"{device}/current_link_width": "0\n",
        f"{device}/max_link_speed": "Unknown\n",
        f"{device}/max_link_width": "0\n",
    }


def _uevent(driver: str, ids: str, address: str) -> str:
    kind = "20700" if driver == "mlx5_core" else "60400"
    return f"DRIVER={driver}\nPCI_CLASS={kind}\nPCI_ID={ids}\nPCI_SLOT_NAME={address}\n"


def _link(folder: str, link: PciLink) -> dict[str, str]:
    return {
        f"{folder}/current_link_speed": f"{GTS[link.generation]} GT/s PCIe\n",
        f"{folder}/current_link_width": f"{link.width}\n",
        f"{folder}/max_link_speed": f"{GTS[MAX_GENERATION]} GT/s PCIe\n",
        f"{folder}/max_link_width": f"{MAX_WIDTH}\n",
    }
