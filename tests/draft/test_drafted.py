"""A cut sheet and honest answers give the inventory that the rack was made from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fixtures.model.inventory import Inventory
from fixtures.model.inventory_schema import SshSchema
from fixtures.model.loading import load_inventory
from plugins.draft import changes, files
from plugins.draft.files import Files
from plugins.draft.shape import Drafted, draft
from tests.draft.racks import asked, sheet_of
from tests.simrack.bench import INVENTORIES, bench

SSH = SshSchema(key="id", known_hosts="new/known_hosts")


def drafted(name: str, folder: Path, *faults: str, silent: tuple[str, ...] = ()) -> Drafted:
    rack = bench(name, *faults)
    sheet = sheet_of(rack.inventory, folder / "new.csv")
    return draft(sheet, asked(rack, sheet, silent=silent), INVENTORIES / "profiles")


def written(found: Drafted, folder: Path) -> Inventory:
    out = Files(inventory=folder / "new.yaml")
    (folder / "id").touch()
    out.write(files.contents(out, found, SSH, {}, "2026-12-01"))
    return load_inventory(str(out.inventory), INVENTORIES)


@pytest.mark.parametrize("name", ["rack7", "hgx8"])
def test_a_draft_is_the_inventory_that_the_rack_was_made_from(name: str, tmp_path: Path) -> None:
    found = drafted(name, tmp_path)
    old, new = load_inventory(name, INVENTORIES), written(found, tmp_path)
    assert changes.known(new) == changes.known(old)
    assert (new.product, new.profile.name) == (old.product, old.profile.name)
    assert new.racks == old.racks
    assert new.partitions == old.partitions
    assert new.unpartitioned == old.unpartitioned
    assert new.firmware == old.firmware
    bought = {host.name: replace(host, label="", gpus=(), nics=()) for host in old.hosts.values()}
    assert {
        host.name: replace(host, label="", gpus=(), nics=()) for host in new.hosts.values()
    } == bought
    slots = [[(g.part, g.pci) for g in h.gpus] for h in new.hosts.values()]
    assert slots == [[(g.part, g.pci) for g in h.gpus] for h in old.hosts.values()]
    rails = [[(n.port, n.rail, n.link_layer, n.vfs) for n in h.nics] for h in new.hosts.values()]
    assert rails == [
        [(n.port, n.rail, n.link_layer, n.vfs) for n in h.nics] for h in old.hosts.values()
    ]
    assert changes.against_sheet(found) == []
    assert new.policy.max_effect == "observe"


def test_what_a_tray_lacks_is_drafted_as_bought_and_said(tmp_path: Path) -> None:
    found = drafted(
        "rack7", tmp_path, "gpu.missing@r01-ct04/gpu2", "nic.missing@r01-ct05/mlx5_1/1",
        silent=("r01-ct06", "r01-sw03"),
    )  # fmt: skip
    new, old = written(found, tmp_path), load_inventory("rack7", INVENTORIES)
    assert [g.pci for g in new.hosts["r01-ct04"].gpus] == [
        g.pci for g in old.hosts["r01-ct04"].gpus
    ]
    assert (new.hosts["r01-ct06"].kind, len(new.hosts["r01-ct06"].gpus)) == ("compute", 4)
    assert new.hosts["r01-sw03"].kind == "switch"
    assert new.partitions == old.partitions
    assert new.serial_of("r01-ct06") == ""
    assert changes.against_sheet(found) == [
        "r01-ct04/gpu2: no GPU at 0018:01:00.0, where hosts like this one have it",
        "r01-ct05/mlx5_1/1: the sheet has a cable for it, the host has no such device; it has, "
        "without a cable: none",
    ]


def test_a_product_without_a_profile_is_said(tmp_path: Path) -> None:
    rack = bench("hgx8")
    sheet = sheet_of(rack.inventory, tmp_path / "new.csv")
    (tmp_path / "profiles").mkdir()
    found = draft(sheet, asked(rack, sheet), tmp_path / "profiles")
    assert changes.against_sheet(found)[0].startswith("no profile is shipped for NVIDIA H100")


def test_hosts_that_nobody_can_say_anything_of_are_left_out_and_named(tmp_path: Path) -> None:
    switches = tuple(f"r01-sw{number:02}" for number in range(1, 10))
    found = drafted("rack7", tmp_path, silent=switches)
    assert found.left_out == switches
    assert "r01-sw01: left out" in changes.against_sheet(found)[0]


def test_a_version_that_few_have_is_not_drafted_and_is_named(tmp_path: Path) -> None:
    found = drafted("rack7", tmp_path, "gpu.wrong_vbios@r01-ct02/gpu0")
    (line,) = changes.against_sheet(found)
    assert line.startswith("r01-ct02: vbios ")
    assert "most have 97.00.B9.00.69" in line
    assert written(found, tmp_path).firmware.vbios == ["97.00.B9.00.69"]


def test_two_that_say_that_they_are_one_are_both_left_blank(tmp_path: Path) -> None:
    serial = load_inventory("rack7", INVENTORIES).serial_of("r01-ct01")
    found = drafted("rack7", tmp_path, f"tray.wrong_serial@r01-ct02:serial={serial}")
    assert changes.against_sheet(found) == [
        f"r01-ct01, r01-ct02: all say that they are {serial}; left blank"
    ]
    new = written(found, tmp_path)
    assert (new.serial_of("r01-ct01"), new.serial_of("r01-ct02")) == ("", "")
    assert new.serial_of("r01-ct03")


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("tray.swapped@r01-ct07", ["r01-ct07: is the tray that was r01-ct08 (",
                                   "r01-ct08: is the tray that was r01-ct07 ("]),
        ("gpu.swapped@r01-ct02/gpu1", ["r01-ct02/gpu1: is what was r01-ct02/gpu3 (",
                                       "r01-ct02/gpu3: is what was r01-ct02/gpu1 ("]),
        ("nic.wrong_guid@r01-ct01/mlx5_1/1", ["r01-ct01/mlx5_1/1: another part: b8e9240300010101"]),
        ("tray.wrong_serial@r01-ct03", ["r01-ct03: another part: 1821225001003 -> "]),
        ("gpu.missing@r01-ct04/gpu2", ["r01-ct04/gpu2: says nothing; it was "]),
        ("kernel.mismatch@r01-ct05", ["r01-ct05: kernel "]),
    ],
)  # fmt: skip
def test_a_second_draft_says_what_was_swapped(fault: str, said: list[str], tmp_path: Path) -> None:
    before = load_inventory("rack7", INVENTORIES)
    lines = changes.since(before, changes.as_bought(drafted("rack7", tmp_path, fault), before))
    assert [line[: len(start)] for line, start in zip(lines, said, strict=True)] == said


def test_what_did_not_answer_has_not_changed(tmp_path: Path) -> None:
    before = load_inventory("rack7", INVENTORIES)
    found = drafted("rack7", tmp_path, silent=("r01-ct03", "r01-sw01"))
    assert changes.since(before, changes.as_bought(found, before)) == []


def test_an_update_changes_the_cells_of_what_was_swapped_and_no_other(tmp_path: Path) -> None:
    written(drafted("rack7", tmp_path), tmp_path)
    out = Files(inventory=tmp_path / "new.yaml")
    out.parts.write_text("# by hand\n" + out.parts.read_text() + "leaf-r0-1,U40,MT1,,,\n")
    out.known_hosts.write_text("r01-ct01 ssh-ed25519 QQ==\n")
    text = out.parts.read_text()
    before = load_inventory(str(out.inventory), INVENTORIES)
    found = drafted("rack7", tmp_path, "nic.wrong_guid@r01-ct01/mlx5_1/1", silent=("r01-ct09",))
    said = files.identities(changes.as_bought(found, before))
    out.write(files.updated(out, said, {}))
    assert out.parts.read_text() == text.replace("b8e9240300010101", "b8e9240399990001")
    assert out.known_hosts.read_text() == "r01-ct01 ssh-ed25519 QQ==\n"
