"""The ladder of collectives: each tray in few of them, every size inside racks and across."""

from __future__ import annotations

from collections import Counter

import pytest

from fixtures.model.errors import Blocked
from fixtures.tools.collectives.collective import Collective
from fixtures.tools.collectives.ladder import SIZE, TRAYS, Climbed, Step, ratios, steps
from fixtures.transport.once import Results
from lab.simrack.views.nccl_table import Measured, Table
from tests.areas.answers import answer, shipped


def reduced(name: str) -> list[Step]:
    return [step for step in steps(shipped(name)) if step.op == "all_reduce"]


def test_a_rack_is_climbed_with_trays_that_change() -> None:
    found = reduced("rack7")
    assert [len(step.hosts) for step in found] == list(TRAYS)
    assert set(Counter(host for step in found for host in step.hosts).values()) == {1}
    assert {step.slots for step in found} == {4}


def test_racks_are_crossed_with_a_tray_of_each() -> None:
    across = [step for step in reduced("rack42") if step.racks > 1]
    assert [step.racks for step in across] == [2, 3, 4, 8]
    for step in across:
        assert len({host.split("-")[0] for host in step.hosts}) == step.racks


def test_runs_grow_with_racks_and_not_with_pairs() -> None:
    assert len(reduced("rack42")) == 8 * len(TRAYS) + 4


def test_nodes_without_racks_are_one_group() -> None:
    assert [len(step.hosts) for step in reduced("hgx8")] == [2, 3, 4, 8]


def test_other_operations_are_run_where_they_can_be_judged() -> None:
    found = {(step.op, len(step.hosts)) for step in steps(shipped("rack7"))}
    assert {one for one in found if one[0] != "all_reduce"} == {
        ("all_gather", 2), ("all_gather", 4), ("alltoall", 2), ("alltoall", 4)
    }  # fmt: skip


def climbed(step: Step, busbw: float | None) -> Climbed:
    results: Results = {"error": Blocked("nccl.tray_completed", step.hosts[0], "it hangs")}
    if busbw is not None:
        rows = [Measured(size=SIZE, busbw=(busbw, busbw), wrong=0)]
        text = Table(program="all_reduce_perf", ranks=step.plan.ranks, check=True).text(rows)
        results = {"run": answer(text)}
    return Climbed(step=step, run=Collective(results, step.plan.ranks, [SIZE]))


def test_a_step_that_collapses_stands_out_from_the_others() -> None:
    speeds = (360.0, 41.0, 355.0, 350.0)
    ladder = [climbed(*one) for one in zip(reduced("rack7"), speeds, strict=True)]
    found = list(ratios(ladder).values())
    assert [isinstance(ratio, float) and ratio < 0.75 for ratio in found] == [False, True] + [
        False
    ] * 2


def test_a_step_with_a_broken_tray_is_blocked_and_keeps_the_others() -> None:
    first, second, *_ = reduced("rack7")
    ladder = [climbed(first, None), climbed(second, 350.0)]
    assert isinstance(ladder[0].completed, Blocked)
    assert ladder[1].completed is True
    assert "it hangs" in ladder[0].detail
    assert ratios(ladder)[second] == pytest.approx(1.0)
