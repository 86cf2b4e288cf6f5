"""The cut sheet: far ends, and how many switches lie between two ports."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.model.plan import EMPTY, Plan, read_plan
from tests.model.tiny import CABLES, Edit, load, refusal

HOSTS = ("ct1", "ct2", "sw1", "sw2")


def plan(folder: Path, *lines: str) -> Plan:
    path = folder / "cables.csv"
    path.write_text("cable,kind,a,b,c,d\n" + "\n".join(lines), encoding="utf-8")
    return read_plan(path, HOSTS)


@pytest.mark.parametrize(
    ("source", "target", "hops"),
    [
        ("ct1/mlx5_0/1", "ct2/mlx5_0/1", 1),
        ("ct1/mlx5_1/1", "ct2/mlx5_1/1", 3),
        ("ct1/mlx5_0/1", "ct2/mlx5_1/1", None),
        ("ct1/mlx5_0/1", "ct1/mlx5_0/1", 1),
        ("ct1/mlx5_0/1", "ct9/mlx5_0/1", None),
        ("spine1/1", "ct1/mlx5_1/1", 1),
    ],
)
def test_hops_are_the_switches_on_the_way(
    tmp_path: Path, source: str, target: str, hops: int | None
) -> None:
    assert load(tmp_path).plan.hops(source, target) == hops


def test_two_layers_of_spines_are_five_hops(tmp_path: Path) -> None:
    tree = plan(
        tmp_path, "C1,host,ct1/m/1,l1/1,,", "C2,host,ct2/m/1,l2/1,,", "F1,fabric,l1/9,s1/1,,",
        "F2,fabric,l2/9,s2/1,,", "F3,fabric,s1/9,core/1,,", "F4,fabric,s2/9,core/2,,",
    )  # fmt: skip
    assert tree.hops("ct1/m/1", "ct2/m/1") == 5


def test_a_split_cable_joins_two_hosts_to_one_switch(tmp_path: Path) -> None:
    split = plan(tmp_path, "C1,host,ct1/m/1,ct2/m/1,leaf/1,", "C2,host,ct1/n/1,leaf/2,ct2/n/1,")
    for port in ("ct1/m/1", "ct2/m/1"):
        assert split.far_end(port) == "leaf/1"
    assert split.far_end("ct2/n/1") == "leaf/2"
    assert split.far_end("leaf/1") == "ct1/m/1"
    assert split.cables[0].ends == ("ct1/m/1", "ct2/m/1", "leaf/1")
    assert split.hops("ct1/m/1", "ct2/m/1") == 1
    assert split.hops("ct1/m/1", "ct2/n/1") == 1


def test_a_split_cable_between_switches_joins_them_all(tmp_path: Path) -> None:
    split = plan(
        tmp_path, "C1,host,ct1/m/1,l1/1,,", "C2,host,ct2/m/1,l2/1,,", "F1,fabric,spine/1,l1/9,l2/9,"
    )
    assert split.hops("ct1/m/1", "ct2/m/1") == 3


def test_the_other_end_of_a_split_cable_is_checked(tmp_path: Path) -> None:
    edit = Edit(
        "tiny/cables.csv", CABLES, "cable,kind,a,b,c\nC1,host,ct1/mlx5_0/1,leaf/1,ct2/m/1\n"
    )
    assert refusal(tmp_path, edit, Edit("tiny.yaml", ", leaf1/2", "")).startswith(
        "tiny/cables.csv:2: cable C1 ends at ct2/m/1, but that host has no such port"
    )


def test_a_trunk_is_on_no_way_between_nics(tmp_path: Path) -> None:
    trunk = plan(tmp_path, "T1,trunk,sw1/a,sw2/a,,", "C1,host,ct1/m/1,leaf/1,,")
    assert trunk.far_end("sw2/a") == "sw1/a"
    assert trunk.hops("sw1/a", "ct1/m/1") is None


def test_hosts_back_to_back_have_no_switch(tmp_path: Path) -> None:
    direct = plan(tmp_path, "C1,host,ct1/m/1,ct2/m/1,,")
    assert direct.far_end("ct1/m/1") == "ct2/m/1"
    assert direct.hops("ct1/m/1", "ct2/m/1") is None


def test_without_a_plan_nothing_is_known() -> None:
    assert EMPTY.far_end("ct1/m/1") is None
    assert EMPTY.hops("ct1/m/1", "ct2/m/1") is None


def test_a_cut_sheet_of_the_largest_sites_loads(tmp_path: Path) -> None:
    sheet = tmp_path / "cables.csv"
    rows = (
        f"C{n:06d},fabric,leaf-{n:06d}-of-the-hall/1,spine-{n:06d}-of-the-hall/2\n"
        for n in range(100_000)
    )
    sheet.write_text("cable,kind,a,b\n" + "".join(rows))
    assert sheet.stat().st_size > 5_000_000
    assert len(read_plan(sheet).cables) == 100_000
