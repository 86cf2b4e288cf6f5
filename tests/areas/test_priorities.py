"""The share of what a RoCE port sends in priorities that lose nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.model.errors import RackError
from fixtures.model.subjects import subjects
from fixtures.tools.rdma.loaded_ports import LoadedPorts
from fixtures.tools.rdma.pair_run import PairRun
from fixtures.tools.rdma.perftest_pair import HARDWARE
from tests.areas.answers import answer, shipped

NIC = shipped("roce4").hosts["n1"].nics[0]
OTHER = replace(NIC, part="n2/mlx5_0")
QOS = "Priority trust state: dscp\nenabled {}\n"
THREE, NONE = "0 0 0 1 0 0 0 0", "0 0 0 0 0 0 0 0"


def counted(**moved: int) -> str:
    rows = (f"     tx_prio{at}_bytes: {moved.get(f'prio{at}', 0)}\n" for at in range(8))
    return "NIC statistics:\n" + "".join(rows)


def run(after: str, before: str = counted(), lossless: str = THREE) -> PairRun:
    """A transfer from this port, whose peer could not be asked."""
    shown = {"client-before-priorities": before, "client-after-priorities": after}
    shown["client-qos"] = QOS.format(lossless)
    answers = {name: answer(text) for name, text in shown.items()}
    return PairRun(dict(answers), HARDWARE, (NIC, OTHER), 1)


def share(*runs: PairRun) -> object:
    return LoadedPorts(runs).in_lossless()[NIC.port]


@pytest.mark.parametrize(
    ("one", "part"),
    [
        (run(counted(prio3=990, prio0=10)), 0.99),
        (run(counted(prio0=1000)), 0.0),
        (run(counted(prio3=1000), lossless=NONE), 0.0),
        (run(counted(prio3=600, prio0=500), before=counted(prio0=500)), 1.0),
    ],
)
def test_what_is_sent_in_the_lossless_priority_counts(one: PairRun, part: float) -> None:
    assert share(one) == part


def test_all_transfers_of_a_port_count() -> None:
    assert share(run(counted(prio3=300)), run(counted(prio0=100))) == 0.75


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (run(counted()), "blocked-by:rdma.write_bw@n1/mlx5_0/1->n2/mlx5_0/1"),
        (run(counted(), before=counted(prio3=5)), "counter-reset"),
        (run("NIC statistics:\n     rx_bytes: 1\n"), "unreadable"),
    ],
)
def test_what_was_not_counted_is_no_share(one: PairRun, why: str) -> None:
    found = share(one)
    assert isinstance(found, RackError)
    assert found.why == why


def test_ports_without_a_class_are_not_asked() -> None:
    plain = (replace(NIC, traffic_class=None), replace(OTHER, traffic_class=None))
    assert LoadedPorts([PairRun({}, HARDWARE, plain, 1)]).in_lossless() == {}


def test_the_manifest_asks_ports_with_a_class() -> None:
    assert len(subjects(shipped("roce4"), "marked-port")) == 8
    assert subjects(shipped("softroce"), "marked-port") == []
