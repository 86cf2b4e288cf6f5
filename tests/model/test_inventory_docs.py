"""docs/inventory.md: its example loads, and it lists every key with its default."""

from __future__ import annotations

import re
import shutil
from datetime import date
from pathlib import Path
from typing import get_args

import pytest

from fixtures.model import inventory_schema as inventory
from fixtures.model import profile_schema as profile
from fixtures.model.loading import load_inventory
from fixtures.model.profile_schema import REFERENCES, CountName, Per, Schema
from fixtures.model.waivers import WaiverSchema, load_waivers

ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs" / "inventory.md").read_text(encoding="utf-8")
SECTIONS: list[type[Schema]] = [
    inventory.InventorySchema, inventory.SshSchema, inventory.HostsSchema, inventory.NicSchema,
    inventory.RackSchema, inventory.PartitionSchema, inventory.FirmwareSchema,
    inventory.PowerSchema, inventory.AcceptanceSchema, inventory.PolicySchema,
    inventory.LauncherSchema, inventory.ObserverSchema, profile.ProfileSchema,
    profile.CountSchema, profile.MetricSchema, profile.LimitSchema, WaiverSchema,
]  # fmt: skip


def keys(schema: type[Schema]) -> dict[str, str]:
    """Key to default as the page writes it; empty where any words will do."""
    found = {}
    for name, info in schema.model_fields.items():
        default = info.default
        shown = f"`{str(default).lower() if isinstance(default, bool) else default}`"
        plain = isinstance(default, (bool, int, str)) and default not in ("", None)
        found[info.alias or name] = "required" if info.is_required() else shown if plain else ""
    return found


def tables() -> list[dict[str, str]]:
    """Key to default of each table of the page."""
    found: list[dict[str, str]] = [{}]
    for line in DOC.splitlines():
        if line.startswith("| `"):
            cells = [cell.strip() for cell in line.split("|")]
            found[-1][cells[1].strip("`")] = cells[3]
        elif found[-1]:
            found.append({})
    return found


@pytest.mark.parametrize("schema", SECTIONS, ids=lambda schema: schema.__name__)
def test_the_page_lists_every_key_and_no_other(schema: type[Schema]) -> None:
    wanted = keys(schema)
    table = next((table for table in tables() if set(table) == set(wanted)), None)
    assert table is not None, f"no table of docs/inventory.md has exactly {', '.join(wanted)}"
    assert {key: table[key] for key, default in wanted.items() if default} == {
        key: default for key, default in wanted.items() if default
    }


@pytest.mark.parametrize("word", [*REFERENCES, *get_args(CountName), *get_args(Per)])
def test_the_page_names_every_word(word: str) -> None:
    assert f"`{word}`" in DOC


def test_the_example_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yaml, parts, cables, waivers = re.findall(r"```\w+\n(.*?)```", DOC, flags=re.DOTALL)
    home = tmp_path / "home"
    for name, text in {
        "hall3.yaml": yaml, "hall3/parts.csv": parts, "hall3/cables.csv": cables,
        "waivers.yaml": waivers, "hall3/known_hosts": "", "home/.ssh/acceptance_ed25519": "",
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "inventories" / "profiles", tmp_path / "profiles")
    monkeypatch.setenv("HOME", str(home))
    loaded = load_inventory("hall3", tmp_path)
    assert [host.peer_address for host in loaded.trays] == [
        "n01.data.example",
        "n02.data.example",
    ]
    assert loaded.plan.hops("n01/mlx5_0/1", "n02/mlx5_0/1") == 3
    assert len(load_waivers(tmp_path / "waivers.yaml", loaded, date(2026, 12, 31)).active) == 1
