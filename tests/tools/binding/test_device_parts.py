"""Whatever a tool calls a device, it becomes the part of the inventory, or is said to be none."""

from __future__ import annotations

import json

import pytest

from fixtures.model.errors import RackError, ToolFailed, Unreadable
from fixtures.model.inventory import Host
from fixtures.tools.binding.device_parts import DeviceParts
from fixtures.tools.hosts import nic_pci
from fixtures.transport.base import CommandResult
from tests.areas.answers import answer, facts, shipped
from tests.areas.test_nic_slots import sysfs
from tests.tools.captures import capture

LINK = {"port": 1, "state": "ACTIVE", "physical_state": "LINK_UP"}


@pytest.fixture
def tray() -> Host:
    return shipped("rack7").hosts["r01-ct01"]


def uevents(addresses: dict[str, str]) -> CommandResult:
    return answer(
        "".join(
            f"{nic_pci.ROOT}/{name}/device/uevent:PCI_SLOT_NAME={address}\n"
            for name, address in addresses.items()
        )
    )


def parts(tray: Host, **answers: CommandResult) -> DeviceParts:
    swapped = [tray.nics[at].guid for at in (1, 0, 2, 3)]
    named = {f"mlx5_{number}": guid for number, guid in enumerate(swapped)}
    links = [{"ifname": "mlx5_0", "netdev": "ib0", **LINK}, {"ifname": "mlx5_9", **LINK}]
    given = {
        "ib-sysfs": answer(sysfs(named)),
        "nic-pci": uevents({"mlx5_0": "0000:03:00.0", "mlx5_9": "0000:9a:00.0"}),
        "rdma-link": answer(json.dumps(links)),
    }
    return DeviceParts(facts(tray, {**given, **answers}))


def test_a_gpu_is_found_by_any_spelling_of_its_address(tray: Host) -> None:
    slot = tray.gpus[0]
    assert parts(tray).of_pci(slot.pci.upper()) == slot.part
    assert parts(tray).of_pci(f"0000{slot.pci}") == slot.part


def test_a_renamed_nic_is_found_by_address_name_and_netdev(tray: Host) -> None:
    found = parts(tray)
    assert found.of_device("mlx5_0") == "r01-ct01/mlx5_1/1"
    assert found.of_pci("03:00.0") == "r01-ct01/mlx5_1"
    assert found.of_netdev("ib0") == "r01-ct01/mlx5_1/1"
    assert found.of_guid(f"0x{tray.nics[1].guid.upper()}") == "r01-ct01/mlx5_1/1"


def test_a_stranger_is_no_part(tray: Host) -> None:
    found = parts(tray)
    assert found.of_pci("0000:9a:00.0") is None
    assert (found.of_device("mlx5_9"), found.of_netdev("eno1")) == (None, None)
    assert found.of_guid("1122334455667788") is None
    assert found.of_switch_port("acp1") is None


def test_not_knowing_is_not_being_a_stranger(tray: Host) -> None:
    with pytest.raises(ToolFailed):
        parts(tray, **{"rdma-link": answer("", "Operation not permitted", rc=1)}).of_netdev("ib0")
    with pytest.raises(RackError, match="nic-pci"):
        DeviceParts(facts(tray, {})).of_pci("0000:03:00.0")


def test_a_switch_tray_names_its_own_ports() -> None:
    switch = next(h for h in shipped("rack7").hosts.values() if h.kind == "switch")
    assert DeviceParts(facts(switch, {})).of_switch_port("acp17") == f"{switch.name}/acp17"


def test_soft_devices_lie_on_no_bus() -> None:
    assert nic_pci.parse(capture("nic-pci", "empty.txt")) == {}
    assert nic_pci.parse(capture("nic-pci", "healthy.txt")) == {
        "mlx5_0": "0000:03:00.0",
        "mlx5_1": "0012:03:00.1",
    }


def test_two_addresses_of_one_device_are_refused() -> None:
    text = capture("nic-pci", "healthy.txt")
    with pytest.raises(Unreadable, match="mlx5_0 has two addresses"):
        nic_pci.parse(text + text)


def test_an_address_that_lost_its_domain_is_refused() -> None:
    line = "/sys/class/infiniband/mlx5_0/device/uevent:PCI_SLOT_NAME=03:00.0\n"
    with pytest.raises(Unreadable, match="expected 0000:03:00"):
        nic_pci.parse(line)
