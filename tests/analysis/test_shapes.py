"""Whatever is planted in a matrix of pairs, with noise and holes in it, is named first."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.analysis.blame import Finding, findings
from fixtures.analysis.outliers import outliers
from fixtures.model.parts import ends, host_of
from tests.analysis.rack import row
from tests.analysis.site import GPUS, HOSTS, PORTS, TRAYS, leaf_of, site

FLOOR, HEALTHY, LOW = 90.0, 100.0, 60.0
BOARD = [f"r01-ct01/gpu{n}" for n in range(8)]
TOPOLOGY = site()
seeds = st.integers(0, 10**9)
few = settings(max_examples=25, deadline=None)


def matrix(parts: Iterable[str]) -> list[str]:
    return [f"{a}->{b}" for a, b in permutations(parts, 2)]


def ring(ports: list[str]) -> list[str]:
    return [f"{a}->{b}" for a, b in zip(ports, [*ports[1:], ports[0]], strict=True)]


TRAY = [cell for host in HOSTS for cell in matrix(g for g in GPUS if host_of(g) == host)]
RINGS = [cell for rail in "01" for cell in ring([p for p in PORTS if p[-3] == rail])]
BETWEEN_HOSTS = matrix(HOSTS)
BETWEEN_RACKS = matrix(TRAYS)


def blame(
    cells: Iterable[str], is_low: Callable[[str], bool], seed: int, metric: str = "nvlink.pair_bw"
) -> list[Finding]:
    """Findings of a matrix: 100 with 2 % noise, 60 where it is low, held against 90."""
    noise = random.Random(seed)
    values = {
        cell: (LOW if is_low(cell) else HEALTHY) * noise.uniform(0.98, 1.02) for cell in cells
    }
    return findings(
        [row(metric, cell, "PASS" if value >= FLOOR else "FAIL") for cell, value in values.items()],
        TOPOLOGY,
    )


def touching(*parts: str) -> Callable[[str], bool]:
    return lambda cell: bool(set(parts) & set(ends(cell)))


@pytest.mark.parametrize("cells", [TRAY, RINGS, BETWEEN_HOSTS, BETWEEN_RACKS, matrix(BOARD)])
@few
@given(seed=seeds)
def test_healthy_noise_names_nothing(cells: list[str], seed: int) -> None:
    assert blame(cells, lambda _: False, seed) == []


@pytest.mark.parametrize("cells", [TRAY, RINGS, BETWEEN_HOSTS, BETWEEN_RACKS, matrix(BOARD)])
@few
@given(seed=seeds, data=st.data())
def test_a_bad_part_is_named(cells: list[str], seed: int, data: st.DataObject) -> None:
    part = data.draw(st.sampled_from(sorted({end for cell in cells for end in ends(cell)})))
    (found,) = blame(cells, touching(part), seed)
    assert (found.part, found.confidence) == (part, "medium")


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("cells", [TRAY, BETWEEN_HOSTS, matrix(BOARD)])
@few
@given(seed=seeds, data=st.data())
def test_a_part_that_is_bad_one_way_is_named(
    cells: list[str], side: int, seed: int, data: st.DataObject
) -> None:
    part = data.draw(st.sampled_from(sorted({end for cell in cells for end in ends(cell)})))
    (found,) = blame(cells, lambda cell: ends(cell)[side] == part, seed)
    assert found.part == part


@pytest.mark.parametrize("cells", [TRAY, RINGS, BETWEEN_HOSTS, BETWEEN_RACKS, matrix(BOARD)])
@few
@given(seed=seeds, data=st.data())
def test_a_single_bad_cell_names_no_part(cells: list[str], seed: int, data: st.DataObject) -> None:
    """Both ends are suspects: a node that its peers blame may be innocent."""
    bad = data.draw(st.sampled_from(cells))
    (found,) = blame(cells, lambda cell: cell == bad, seed)
    assert (found.part, found.confidence) == (bad, "low")
    assert set(ends(bad)) <= set(found.suspects)
    assert "to decide" in found.action


@few
@given(seed=seeds, rail=st.sampled_from("01"))
def test_a_bad_rail_is_named(seed: int, rail: str) -> None:
    (found,) = blame(RINGS, lambda cell: ends(cell)[0][-3] == rail, seed, "rdma.write_bw")
    assert found.part == f"rail{rail}"
    assert set(found.suspects) == {f"leaf-r{rail}-1", f"leaf-r{rail}-2"}


@few
@given(seed=seeds, leaf=st.sampled_from(sorted(set(map(leaf_of, PORTS)))))
def test_a_bad_leaf_is_named(seed: int, leaf: str) -> None:
    (found,) = blame(RINGS, lambda cell: leaf in map(leaf_of, ends(cell)), seed, "rdma.write_bw")
    assert (found.part, found.kind) == (leaf, "switch")


@few
@given(seed=seeds, rack=st.sampled_from(sorted(TRAYS)))
def test_a_bad_rack_is_named(seed: int, rack: str) -> None:
    (found,) = blame(BETWEEN_HOSTS, lambda cell: rack in cell, seed)
    assert (found.part, found.kind) == (rack, "rack")


def racks_of(cell: str) -> set[str]:
    return {TOPOLOGY.rack_of[host_of(end)] for end in ends(cell)}


@few
@given(seed=seeds, rack=st.sampled_from(sorted(TRAYS)))
def test_a_rack_that_is_good_inside_is_named_for_its_trunks(seed: int, rack: str) -> None:
    (found,) = blame(
        BETWEEN_HOSTS, lambda cell: rack in racks_of(cell) and len(racks_of(cell)) > 1, seed
    )
    assert found.part == rack
    assert found.suspects == tuple(f"{rack}-sw{n:02}" for n in (1, 2, 3))
    assert "trunks" in found.action


@few
@given(seed=seeds, out=st.sampled_from(sorted(TRAYS)))
def test_what_joins_two_racks_is_named_by_its_trunks(seed: int, out: str) -> None:
    both = set(TRAYS) - {out}
    (found,) = blame(BETWEEN_HOSTS, lambda cell: racks_of(cell) == both, seed)
    assert (found.part, found.confidence) == ("->".join(sorted(both)), "low")
    assert all(part.startswith("cable:") for part in found.suspects)
    assert len(found.suspects) == 3


@few
@given(seed=seeds)
def test_good_racks_with_nothing_good_between_them_blame_what_is_between(seed: int) -> None:
    (found,) = blame(BETWEEN_HOSTS, lambda cell: len(racks_of(cell)) > 1, seed)
    assert (found.part, found.suspects) == ("dom", tuple(TRAYS))
    assert "between" in found.action


@few
@given(seed=seeds, data=st.data())
def test_two_bad_parts_are_both_named(seed: int, data: st.DataObject) -> None:
    cells = data.draw(st.sampled_from([BETWEEN_HOSTS, matrix(BOARD)]))
    parts = sorted({end for cell in cells for end in ends(cell)})
    one, other = data.draw(st.lists(st.sampled_from(parts), min_size=2, max_size=2, unique=True))
    assert {found.part for found in blame(cells, touching(one, other), seed)} == {one, other}


@few
@given(seed=seeds, data=st.data())
def test_a_bad_part_and_a_bad_path_are_both_named(seed: int, data: st.DataObject) -> None:
    part = data.draw(st.sampled_from(HOSTS))
    path = data.draw(st.sampled_from([c for c in BETWEEN_HOSTS if part not in ends(c)]))
    found = blame(BETWEEN_HOSTS, lambda cell: cell == path or part in ends(cell), seed)
    assert [one.part for one in found] == [part, path]


@few
@given(seed=seeds, share=st.floats(0.4, 1.0), part=st.sampled_from(HOSTS))
def test_holes_in_the_matrix_do_not_hide_a_bad_part(seed: int, share: float, part: str) -> None:
    chance = random.Random(seed)
    cells = [cell for cell in BETWEEN_HOSTS if chance.random() < share]
    found = blame(cells, touching(part), seed)
    assert found[0].part == part


@few
@given(seed=seeds, part=st.sampled_from(BOARD))
def test_a_straggler_above_the_floor_stands_out_of_the_matrix(seed: int, part: str) -> None:
    """Its pairs are 8 % low, and still inside the limit: the peers tell."""
    noise = random.Random(seed)
    values = {
        cell: (92.0 if part in ends(cell) else 100.0) * noise.uniform(0.998, 1.002)
        for cell in matrix([*BOARD, *GPUS[4:16]])
    }
    low = outliers(values, higher_is_better=True)
    assert {cell for cell in values if part in ends(cell)} == set(low)
