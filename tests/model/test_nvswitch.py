"""Where a GPU's NVLinks end."""

from __future__ import annotations

from pathlib import Path

from fixtures.model.loading import load_inventory
from fixtures.model.nvswitch import NUMBERING, access_port, chips_of_rack

INVENTORIES = Path(__file__).parents[2] / "inventories"


def test_each_link_of_a_gpu_ends_at_a_chip_of_its_own_rack() -> None:
    inventory = load_inventory("rack42", INVENTORIES)
    found = chips_of_rack(inventory, "r03")
    assert len(found) == 18
    assert (found[0].tray, found[0].name) == ("r03-sw01", "ASIC 1")
    assert (found[7].tray, found[7].name) == ("r03-sw04", "ASIC 2")


def test_racks_without_switch_trays_have_no_chips() -> None:
    assert chips_of_rack(load_inventory("hgx8", INVENTORIES), "r01") == ()


def test_every_gpu_of_a_rack_has_its_own_port_at_each_tray() -> None:
    rack = chips_of_rack(load_inventory("rack7", INVENTORIES), "r01")
    ports = [(chip.tray, access_port(chip, gpu, 72)) for chip in rack for gpu in range(72)]
    assert len(set(ports)) == 72 * 18
    assert {port for _, port in ports} == {f"acp{n}" for n in range(1, 145)}


def test_the_numbering_is_shown_as_provisional() -> None:
    assert NUMBERING.provisional
