"""Subjects come from the inventory alone, and no NIC is left out of its rail."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.model.inventory import Inventory, Nic
from fixtures.model.profile_schema import Per
from fixtures.model.subjects import hosts_of, lonely, partition_of, rail_pairs, rails, subjects
from tests.model.tiny import Edit, load

SUBJECTS = {
    "domain": ["tiny"],
    "rack": ["k1"],
    "host": ["ct1", "ct2", "sw1"],
    "tray": ["ct1", "ct2"],
    "slotted-tray": ["ct1", "ct2"],
    "switch": ["sw1"],
    "imex-domain": [],
    "imex-tray": [],
    "adaptive-subnet": [],
    "sharp-domain": [],
    "sharp-tray": [],
    "watched-subnet": [],
    "watched-link": [],
    "sudo-host": ["sw1"],
    "gpu": ["ct1/gpu0", "ct1/gpu1", "ct2/gpu0", "ct2/gpu1"],
    "gpu-pair": [
        "ct1/gpu0->ct1/gpu1", "ct1/gpu1->ct1/gpu0", "ct2/gpu0->ct2/gpu1", "ct2/gpu1->ct2/gpu0",
    ],
    "partition-gpu": ["ct1/gpu0", "ct1/gpu1", "ct2/gpu0", "ct2/gpu1"],
    "nic": ["ct1/mlx5_0", "ct1/mlx5_1", "ct2/mlx5_0", "ct2/mlx5_1"],
    "port": ["ct1/mlx5_0/1", "ct1/mlx5_1/1", "ct2/mlx5_0/1", "ct2/mlx5_1/1"],
    "ib-port": ["ct1/mlx5_0/1", "ct2/mlx5_0/1"],
    "ib-link": ["ct1/mlx5_0/1", "ct2/mlx5_0/1", "leaf2/33", "leaf3/33"],
    "ib-switch": ["leaf1", "leaf2", "leaf3", "spine1"],
    "roce-port": ["ct1/mlx5_1/1", "ct2/mlx5_1/1"],
    "marked-port": [],
    "rail-nic": ["ct1/mlx5_0", "ct1/mlx5_1", "ct2/mlx5_0", "ct2/mlx5_1"],
    "virtual-nic": [],
    "rail-pair": ["ct1/mlx5_0/1->ct2/mlx5_0/1", "ct1/mlx5_1/1->ct2/mlx5_1/1"],
}  # fmt: skip


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Inventory:
    return load(tmp_path_factory.mktemp("tiny"))


@pytest.mark.parametrize("per", get_args(Per))
def test_every_kind_of_subject(tiny: Inventory, per: str) -> None:
    assert subjects(tiny, per) == SUBJECTS[per]


def test_no_other_kind_of_subject(tiny: Inventory) -> None:
    with pytest.raises(ValueError, match="no kind of subject 'cabinet'"):
        subjects(tiny, "cabinet")


def test_silence_about_partitions_takes_no_subject_away(tmp_path: Path) -> None:
    """Else an inventory could be accepted because it forgot to say what must be true."""
    silent = Edit(
        "tiny.yaml",
        """partitions:
  - name: p1
    hosts: "ct[1-2]"
    cluster_uuid: 6F1D7C2E-4b0a-4d7e-9c15-000000000042
    clique: 7
""",
        "",
    )
    assert subjects(load(tmp_path, silent), "partition-gpu") == SUBJECTS["gpu"]


def test_a_subject_depends_on_its_hosts(tiny: Inventory) -> None:
    assert hosts_of(tiny, "tiny") == hosts_of(tiny, "k1") == ("ct1", "ct2")
    assert hosts_of(tiny, "ct1/mlx5_0/1->ct2/mlx5_0/1") == ("ct1", "ct2")
    assert hosts_of(tiny, "sw1/acp3") == ("sw1",)


def test_a_host_is_in_at_most_one_partition(tiny: Inventory) -> None:
    found = partition_of(tiny, "ct2")
    assert found is not None
    assert (found.name, found.clique) == ("p1", 7)
    assert partition_of(tiny, "sw1") is None


def with_rails(tiny: Inventory, numbers: list[list[int]]) -> Inventory:
    """An inventory of as many trays, each with a NIC on every rail that its list names."""
    tray, nic = tiny.trays[0], tiny.trays[0].nics[0]
    hosts = {}
    for index, rails_of_tray in enumerate(numbers):
        name = f"h{index}"
        nics: tuple[Nic, ...] = tuple(
            dataclasses.replace(nic, part=f"{name}/n{slot}", slot=f"n{slot}", rail=rail)
            for slot, rail in enumerate(rails_of_tray)
        )
        hosts[name] = dataclasses.replace(tray, name=name, nics=nics)
    return dataclasses.replace(tiny, hosts=hosts)


def test_every_nic_has_two_neighbours_on_a_ring(tiny: Inventory) -> None:
    pairs = rail_pairs(with_rails(tiny, [[0], [0], [0]]))
    assert [(a.part[:2], b.part[:2]) for a, b in pairs] == [
        ("h0", "h1"), ("h1", "h2"), ("h2", "h0"),
    ]  # fmt: skip


def test_a_nic_without_a_partner_is_expected_and_has_no_pair(tiny: Inventory) -> None:
    """Else a NIC that nobody loads would be missing from the manifest as well."""
    inventory = with_rails(tiny, [[0, 1], [0]])
    assert rail_pairs(inventory) == rail_pairs(with_rails(tiny, [[0], [0]]))
    assert [nic.part for nic in lonely(inventory)] == ["h0/n1"]
    assert subjects(inventory, "rail-pair") == ["h0/n0/1->h1/n0/1", "h0/n1/1->h0/n1/1"]
    alone = subjects(with_rails(tiny, [[0, 1]]), "rail-pair")
    assert alone == ["h0/n0/1->h0/n0/1", "h0/n1/1->h0/n1/1"]


@given(st.lists(st.lists(st.integers(0, 3), max_size=4, unique=True), max_size=9))
def test_every_nic_sends_once_and_receives_once_on_its_own_rail(
    tiny: Inventory, numbers: list[list[int]]
) -> None:
    inventory = with_rails(tiny, numbers)
    pairs = rail_pairs(inventory)
    assert all(a.rail == b.rail and a.part != b.part for a, b in pairs)
    assert len({frozenset((a.part, b.part)) for a, b in pairs}) == len(pairs)
    for nics in rails(inventory).values():
        here = [pair for pair in pairs if pair[0] in nics]
        sending, receiving = (sorted(pair[end].part for pair in here) for end in (0, 1))
        if len(nics) > 2:
            assert sending == receiving == sorted(nic.part for nic in nics)
        else:
            assert len(here) == len(nics) - 1
