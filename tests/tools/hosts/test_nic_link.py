"""The PCIe links above a NIC: what the narrowest of them leaves, and what nobody can say."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.hosts import nic_link, nic_pci

DEVICE = "/sys/class/infiniband/mlx5_0/device"


def link(folder: str, width: int, speed: str, top: int = 16) -> str:
    return (
        f"{folder}/current_link_width:{width}\n{folder}/current_link_speed:{speed}\n"
        f"{folder}/max_link_width:{top}\n{folder}/max_link_speed:32.0 GT/s PCIe\n"
    )


UEVENT = f"{DEVICE}/uevent:PCI_SLOT_NAME=0000:03:00.0\n"
FULL = "32.0 GT/s PCIe"


@pytest.mark.parametrize(
    ("lines", "share"),
    [
        (link(DEVICE, 16, FULL) + link(f"{DEVICE}/..", 16, FULL), 1.0),
        (link(DEVICE, 16, FULL), 1.0),
        (link(DEVICE, 8, FULL) + link(f"{DEVICE}/..", 8, FULL), 0.5),
        (link(DEVICE, 16, "16.0 GT/s PCIe"), 0.5),
        (link(DEVICE, 16, FULL) + link(f"{DEVICE}/../..", 8, FULL), 0.5),
        (link(DEVICE, 16, FULL) + link(f"{DEVICE}/..", 16, "64.0 GT/s PCIe", 32), 1.0),
        (link(DEVICE, 16, FULL) + f"{DEVICE}/../current_link_speed:Unknown\n", 1.0),
        (f"{DEVICE}/current_link_width:16\n", None),
    ],
)
def test_the_narrowest_link_decides(lines: str, share: float | None) -> None:
    assert nic_link.parse(UEVENT + lines)["mlx5_0"].share == share
    assert nic_pci.parse(UEVENT + lines) == {"mlx5_0": "0000:03:00.0"}


def test_a_soft_device_has_no_link() -> None:
    assert nic_link.parse("") == {}


def test_a_bridge_has_an_address_of_its_own() -> None:
    """What the bridge is called is not what the NIC is called."""
    bridge = f"{DEVICE}/../uevent:PCI_SLOT_NAME=0000:02:00.0\n"
    assert nic_pci.parse(bridge + UEVENT) == {"mlx5_0": "0000:03:00.0"}


def test_another_file_is_refused() -> None:
    with pytest.raises(Unreadable, match="expected a file of a device"):
        nic_link.parse("/sys/class/net/eth0/device/current_link_width:16\n")


def test_a_virtual_function_names_the_card_that_it_is_one_of() -> None:
    folder = "/sys/class/infiniband/mlx5_9/device"
    function = (
        f"{folder}/uevent:PCI_SLOT_NAME=0000:03:00.1\n"
        f"{folder}/physfn/uevent:DRIVER=mlx5_core\n"
        f"{folder}/physfn/uevent:PCI_SLOT_NAME=0000:03:00.0\n"
    )
    assert nic_pci.physical(UEVENT + function) == {"mlx5_9": "0000:03:00.0"}
    assert nic_pci.parse(UEVENT + function) == {
        "mlx5_0": "0000:03:00.0", "mlx5_9": "0000:03:00.1"
    }  # fmt: skip
    with pytest.raises(Unreadable, match="two addresses"):
        nic_pci.physical(function + function)
