"""A NIC that could never be measured against another is refused before anything runs."""

from __future__ import annotations

from pathlib import Path

from fixtures.model.subjects import subjects
from tests.model.tiny import Edit, load, refusal

RDMA = Edit("profiles/small.yaml", "gates: [reach, compute]", "gates: [reach, compute, rdma]")
TWO_GROUPS = """\
  - names: ct1
    kind: compute
    gpus: {gpu0: "0000:01:00.0", gpu1: "0000:02:00.0"}
    nics:
      mlx5_0: {rail: 0}
      mlx5_1: {rail: 1, link_layer: ethernet, gid_index: 3}
  - names: ct2
    kind: compute
    gpus: {gpu0: "0000:01:00.0", gpu1: "0000:02:00.0"}
    nics:
      mlx5_0: {rail: 0}
      mlx5_1: {rail: 7, link_layer: ethernet, gid_index: 3}
"""
ONE_GROUP = """\
  - names: "ct[1-2]"
    kind: compute
    gpus: {gpu0: "0000:01:00.0", gpu1: "0000:02:00.0"}
    nics:
      mlx5_0: {rail: 0}
      mlx5_1: {rail: 1, link_layer: ethernet, gid_index: 3}
"""


def test_rails_with_a_nic_of_each_host_are_fine(tmp_path: Path) -> None:
    assert len(subjects(load(tmp_path, RDMA), "rail-pair")) == 2


def test_a_rail_of_one_nic_among_several_hosts(tmp_path: Path) -> None:
    said = refusal(tmp_path, RDMA, Edit("tiny.yaml", ONE_GROUP, TWO_GROUPS))
    assert "rail 1 has no NIC but ct1/mlx5_1, which would never be loaded" in said
    assert "the others are 0, 7" in said
    assert said.startswith("tiny.yaml:15:16:")


def test_two_nics_of_a_host_on_one_rail(tmp_path: Path) -> None:
    same = Edit("tiny.yaml", "mlx5_1: {rail: 1,", "mlx5_1: {rail: 0,")
    assert "ct1 has two NICs on rail 0; each NIC of a host has a rail of its own" in refusal(
        tmp_path, RDMA, same
    )


def test_who_does_not_accept_rdma_may_have_any_rails(tmp_path: Path) -> None:
    assert load(tmp_path, Edit("tiny.yaml", ONE_GROUP, TWO_GROUPS)).gates == ("reach", "compute")
