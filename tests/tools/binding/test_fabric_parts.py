"""GUIDs and descriptions of a fabric become the ports that the cut sheet names."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.tools.binding.fabric_parts import FabricParts
from tests.areas.answers import shipped
from tests.model import tiny


def test_host_ports_are_found_by_guid() -> None:
    inventory = shipped("rack7")
    nic = inventory.hosts["r01-ct01"].nics[2]
    assert FabricParts(inventory).host_port(nic.guid) == nic.port
    assert FabricParts(inventory).host_port("1122334455667788") is None


@pytest.mark.parametrize("said", ["leaf1", "LEAF1 ", "MF0;leaf1:MQM9700/U1"])
def test_a_switch_without_a_known_guid_is_found_by_its_description(
    tmp_path: Path, said: str
) -> None:
    parts = FabricParts(tiny.load(tmp_path))
    assert parts.switch_port("00000000000000ff", said, 33) == "leaf1/33"
    assert parts.switch("00000000000000ff", "Quantum Mellanox Technologies") is None


def test_a_known_guid_is_not_overruled_by_a_name(tmp_path: Path) -> None:
    row = "leaf1,rack A U40,LS1,0xb8e9240300aa0001,,,\n"
    inventory = tiny.load(tmp_path, tiny.Edit("tiny/parts.csv", "", row))
    parts = FabricParts(inventory)
    assert parts.switch("b8e9240300aa0001", "anything") == "leaf1"
    assert parts.switch("b8e9240300aa0002", "leaf1") is None
    assert inventory.label_of("leaf1/7") == "rack A U40 port 7"
    assert inventory.serial_of("leaf1") == "LS1"
