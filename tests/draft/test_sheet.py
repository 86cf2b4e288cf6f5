"""Hosts of a cut sheet, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.model.errors import InventoryError
from fixtures.model.plan import read_plan
from plugins.draft.sheet import natural, read_sheet

HEAD = "cable,kind,a,b,address,port,rack\n"


def sheet(folder: Path, *rows: str) -> Path:
    path = folder / "hall.csv"
    path.write_text(HEAD + "".join(f"{row}\n" for row in rows))
    return path


def test_hosts_are_what_cables_end_at_with_their_address_and_rack(tmp_path: Path) -> None:
    found = read_sheet(sheet(
        tmp_path,
        "C1,host,n1/mlx5_10/1,leaf-1/1,,,", "C2,host,n1/mlx5_9/1,leaf-2/1,,,",
        "T1,trunk,r1-sw1/p1,r2-sw1/p1,,,", "F1,fabric,leaf-1/33,spine-1/1,,,",
        "M1,management,n1/eth0,m-1/1,10.0.0.1,2222,r1", "M2,management,n1/bmc,m-1/2,,,",
    ))  # fmt: skip
    assert list(found.places) == ["n1", "r1-sw1", "r2-sw1"]
    place = found.places["n1"]
    assert (place.address, place.port, place.rack) == ("10.0.0.1", 2222, "r1")
    assert place.nics == ("mlx5_9", "mlx5_10")
    assert (found.places["r1-sw1"].address, found.places["r1-sw1"].port) == ("r1-sw1", 0)


def test_management_cables_are_no_part_of_the_plan(tmp_path: Path) -> None:
    path = sheet(tmp_path, "C1,host,n1/mlx5_0/1,leaf-1/1,,,", "M1,management,n1/eth0,m-1/1,,,")
    plan = read_plan(path, ["n1"])
    assert [cable.id for cable in plan.cables] == ["C1"]
    assert "m-1" not in plan.graph


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["C1,host,n1/mlx5_0/1,leaf-1/1,10.0.0.1,,"], "stand in rows of kind management"),
        (["M1,management,n1/e,m/1,10.0.0.1,,", "M2,management,n1/f,m/2,10.0.0.2,,"], "second addr"),
        (["M1,management,n1/e,m/1,10.0.0.1,0,"], "not a TCP port"),
        (["C1,host,n1/mlx5_0,leaf-1/1,,,"], "a port of a NIC is host/device/1"),
        (["F1,fabric,leaf-1/33,spine-1/1,,,"], "no host to ask"),
        (
            ["C1,host,n1/mlx5_0/1,leaf-1/1,,,", "X1,mgmt,n1/e,m/1,,,"],
            "expected host, trunk, fabric or management",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(rows: list[str], said: str, tmp_path: Path) -> None:
    with pytest.raises(InventoryError, match=said) as caught:
        read_sheet(sheet(tmp_path, *rows))
    assert "hall.csv" in str(caught.value)


def test_numbers_in_names_count_as_numbers() -> None:
    assert sorted(["mlx5_10", "mlx5_9", "mlx5_bond_0"], key=natural)[0] == "mlx5_9"
