"""The embedded inventories are what their generator writes, and they load."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.model.loading import load_inventory
from lab.simrack.embedded import files

INVENTORIES = Path(__file__).parents[2] / "inventories"


@pytest.mark.parametrize("name", sorted(files()))
def test_embedded_file_is_what_its_generator_writes(name: str) -> None:
    assert (INVENTORIES / name).read_text(encoding="utf-8") == files()[name]


@pytest.mark.parametrize(
    ("name", "hosts", "gpus", "cables"),
    [
        ("rack42", 216, 576, 576 + 640 + 28 * 9),
        ("rack7", 27, 72, 72 + 64),
        ("hgx8", 8, 64, 64 + 128),
        ("softroce", 4, 0, 0),
    ],
)
def test_embedded_inventory_loads(name: str, hosts: int, gpus: int, cables: int) -> None:
    inventory = load_inventory(name, INVENTORIES)
    assert len(inventory.hosts) == hosts
    assert sum(len(tray.gpus) for tray in inventory.trays) == gpus
    assert len(inventory.plan.cables) == cables


def test_rack42_is_rail_optimised() -> None:
    plan = load_inventory("rack42", INVENTORIES).plan
    assert plan.hops("r01-ct01/mlx5_0/1", "r02-ct14/mlx5_0/1") == 1
    assert plan.hops("r01-ct01/mlx5_0/1", "r02-ct15/mlx5_0/1") == 3
    assert plan.far_end("r01-sw03/sw1p7s1") == "r08-sw03/sw1p1s1"
