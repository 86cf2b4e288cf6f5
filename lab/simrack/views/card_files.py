"""A NIC's card as sysfs shows it: PCI links up to the root port, and the port's partition table."""

from __future__ import annotations

from lab.simrack.cards import GTS, MAX_GENERATION, MAX_WIDTH, PciLink
from lab.simrack.devices import PortState

NIC_ID, BRIDGE_ID = "15B3:1021", "15B3:1979"
PKEY_ENTRIES = 128


def files(port: PortState, folder: str, index: int) -> dict[str, str]:
    """By path, with `folder` the device's below /sys/class/infiniband."""
    device, card = f"{folder}/device", port.card
    bridge, above = f"{device}/..", f"{device}/../.."
    keys = [*card.pkeys, *[0] * (PKEY_ENTRIES - len(card.pkeys))]
    return {
        f"{device}/uevent": _uevent("mlx5_core", NIC_ID, f"{index:04x}:03:00.0"),
        **_link(device, card.slot),
        f"{bridge}/uevent": _uevent("pcieport", BRIDGE_ID, f"{index:04x}:02:00.0"),
        **_link(bridge, card.slot),
        f"{above}/uevent": _uevent("pcieport", BRIDGE_ID, f"{index:04x}:01:00.0"),
        **_link(above, card.bridge),
        **{f"{folder}/ports/1/pkeys/{at}": f"0x{key:04x}\n" for at, key in enumerate(keys)},
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
