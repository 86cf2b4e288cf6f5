"""Collectives inside a tray: what pairs say of a GPU, what the log says of the setup."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Blocked, Unreadable
from fixtures.model.inventory import Host
from fixtures.tools.binding.facts import Facts
from fixtures.tools.collectives import nccl_log
from fixtures.tools.collectives.alone import Alone, Pairs, couples, is_good, tray_plan
from fixtures.tools.collectives.collective import Collective
from fixtures.tools.collectives.setup import Setup
from fixtures.transport.base import CommandResult
from lab.simrack.views.nccl_table import Measured, Table
from tests.areas.answers import answer, shipped
from tests.simrack.bench import bench
from tests.simrack.probes import facts
from tests.tools.captures import capture

TRAY = "r01-ct02"
SLOTS = [f"gpu{n}" for n in range(4)]
SIZE = 8 * 2**30


def report(busbw: float, wrong: int = 0, cycles: int = 1) -> CommandResult:
    rows = [Measured(size=SIZE, busbw=(busbw, busbw), wrong=wrong)] * cycles
    return answer(Table(program="all_reduce_perf", ranks=2, check=True).text(rows))


def pairs(**odd: CommandResult) -> Pairs:
    """All pairs of a tray; `gpu0_gpu1=…` for those that are not as the others."""
    named = {name.replace("_", "+"): result for name, result in odd.items()}
    return Pairs({name: named.get(name, report(700)) for name in couples(SLOTS)})


def test_every_gpu_has_two_partners() -> None:
    assert couples(SLOTS) == ["gpu0+gpu1", "gpu1+gpu2", "gpu2+gpu3", "gpu3+gpu0"]
    assert couples(SLOTS[:2]) == ["gpu0+gpu1"]


def test_a_gpu_that_is_slow_with_both_partners_is_slow_itself() -> None:
    slow = pairs(gpu0_gpu1=report(420), gpu1_gpu2=report(420))
    ratios = [slow.of(slot).ratio for slot in SLOTS]
    assert ratios == [1.0, pytest.approx(0.6), 1.0, 1.0]


def test_a_path_that_is_slow_blames_neither_of_its_ends() -> None:
    assert all(pairs(gpu0_gpu1=report(420)).of(slot).ratio == 1.0 for slot in SLOTS)


def test_a_gpu_that_ends_nothing_and_one_that_computes_wrongly() -> None:
    broken = answer(capture("nccl-tests", "failed.txt"), rc=3)
    crashed = pairs(gpu0_gpu1=broken, gpu1_gpu2=broken)
    assert [crashed.of(slot).completed for slot in SLOTS] == [True, False, True, True]
    assert crashed.of("gpu1").ratio is None
    wrong = pairs(gpu2_gpu3=report(700, 3), gpu1_gpu2=report(700, 3))
    assert [wrong.of(slot).wrong for slot in SLOTS] == [0, 0, 6, 0]


def test_cycles_are_judged_by_their_median_and_their_spread() -> None:
    cells = [180.0, 182.0, 96.0, 181.0, 179.0]
    rows = [Measured(size=SIZE, busbw=(cell, cell), wrong=0) for cell in cells]
    text = Table(program="all_reduce_perf", ranks=8, check=True).text(rows)
    run = Collective({"run": answer(text)}, 8, [SIZE])
    assert run.judged_busbw() == [(SIZE, 180.0)]
    assert run.spread(SIZE) > 0.2


def test_no_average_hides_a_slow_size() -> None:
    rows = [
        Measured(size=SIZE >> 1, busbw=(590.0, 590.0), wrong=0),
        Measured(size=SIZE, busbw=(210.0, 410.0), wrong=0),
    ]
    run = Collective(
        {"run": answer(Table(program="all_reduce_perf", ranks=8, check=True).text(rows))}, 8, [SIZE]
    )
    assert run.report().avg_busbw_gbytes == 450.0
    assert run.judged_busbw() == [(SIZE, 210.0)]


def test_rounding_in_the_old_layout_is_not_corruption() -> None:
    def wrong(count: int) -> int | None:
        rows = [Measured(size=SIZE, busbw=(360.0, 361.0), wrong=count)]
        text = Table(program="all_reduce_perf", ranks=8, check=True, old=True).text(rows)
        return Collective({"run": answer(text, rc=1 if count else 0)}, 8, [SIZE]).wrong

    assert (wrong(0), wrong(2)) == (0, 4)


def test_a_good_tray_needs_no_pairs() -> None:
    profile = shipped("rack7").profile

    def run(result: CommandResult) -> Collective:
        return Collective({"run": result}, 4, [SIZE * 2])

    def fast(busbw: float) -> CommandResult:
        rows = [Measured(size=SIZE * 2, busbw=(busbw, busbw), wrong=0)]
        return answer(Table(program="all_reduce_perf", ranks=4, check=True).text(rows))

    assert is_good(run(fast(690)), profile)
    assert not is_good(run(fast(500)), profile)
    assert is_good(run(answer(err="no route", rc=255)), profile)


def test_a_tray_is_judged_at_the_size_of_its_profile() -> None:
    rack, nodes = shipped("rack7"), shipped("hgx8")
    plan, node = tray_plan(rack, rack.hosts[TRAY]), tray_plan(nodes, nodes.hosts["hgx01"])
    assert (plan.ranks, plan.sizes, plan.cycles) == (4, [16 * 2**30], 5)
    assert (node.ranks, node.sizes) == (8, [16 * 2**30])


def test_a_tray_without_one_of_its_gpus_runs_nothing() -> None:
    rack = bench("rack7", f"gpu.missing@{TRAY}/gpu1")
    tray: Host = rack.inventory.hosts[TRAY]
    known = Facts(rack.inventory, {TRAY: facts(rack, TRAY)._results})  # type: ignore[dict-item]
    with pytest.raises(Blocked, match=r"gpu\.bound at r01-ct02/gpu1"):
        Alone(None, known).tray(tray_plan(rack.inventory, tray))  # type: ignore[arg-type]


def setup(text: str, nics: list[str], **passed: str) -> Setup:
    return Setup(nccl_log.parse(text), passed, nics)


HEALTHY = capture("nccl-log", "healthy.txt")
BOUGHT = ["mlx5_0", "mlx5_1", "mlx5_2"]


def test_the_log_says_what_nccl_uses() -> None:
    found = setup(HEALTHY, BOUGHT, NCCL_IB_HCA="mlx5_0,mlx5_1")
    assert (found.version_code, found.network) == (22803, "IB")
    assert (found.nics, found.stray_settings) == ("as bought", "none")


def test_the_log_says_what_it_should_not_use() -> None:
    found = setup(HEALTHY, ["mlx5_0", "mlx5_9"], NCCL_IB_HCA="mlx5_0")
    assert found.nics == "without mlx5_9, with mlx5_1, with mlx5_2"
    assert found.stray_settings == "NCCL_IB_HCA=mlx5_0,mlx5_1"


def test_sockets_are_said_to_be_the_network() -> None:
    found = setup(capture("nccl-log", "degraded.txt"), ["mlx5_0"])
    assert (found.network, found.nics) == ("Socket", "without mlx5_0")


def test_two_versions_are_not_one() -> None:
    two = "NCCL version 2.21.5+cuda12.4\nNCCL version 2.28.3+cuda13.0\n"
    with pytest.raises(Unreadable, match="expected one version"):
        _ = setup(two, []).version_code
