"""From one value to a verdict: limits, what was bought, peers, majority, waivers, blocking."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from fixtures.analysis.outliers import Peer
from fixtures.model.errors import Blocked, DeadlineError, RackError, ToolMissing
from fixtures.model.inventory import Inventory
from fixtures.model.inventory_schema import FirmwareSchema, PowerSchema
from fixtures.model.loading import load_inventory
from fixtures.model.measure import Reading
from fixtures.model.measurement import Measurement
from fixtures.model.verdicts import Verdict
from fixtures.model.waivers import Waivers, WaiverSchema
from plugins.judging import Judge
from tests.plugins import tiny

Blocks = Callable[[str, str], Blocked | None]
METRICS = """\
  gpu.clock:
    gate: compute
    per: gpu
    unit: MHz
    required: true
    peers: {peers}
    limits:
      - {{min: 1000, unit: MHz, kind: datasheet, source: this test}}
  gpu.stages:
    gate: compute
    per: gpu
    unit: MHz
    required: true
    limits:
      - {{min: 10, when: {{stage: 1}}, unit: MHz, kind: datasheet, source: this test}}
      - {{min: 20, when: {{stage: 2}}, unit: MHz, kind: datasheet, source: this test}}
  gpu.hint:
    gate: compute
    per: gpu
    unit: MHz
    required: true
    limits:
      - {{min: 10, level: warn, unit: MHz, kind: datasheet, source: this test}}
"""


def inventory_with(folder: Path, peers: str = "off") -> Inventory:
    path = tiny.write(folder, metrics=METRICS.format(peers=peers))
    return load_inventory(str(path), folder)


@pytest.fixture(scope="module")
def inventory(tmp_path_factory: pytest.TempPathFactory) -> Inventory:
    return inventory_with(tmp_path_factory.mktemp("judged"))


def judge(
    inventory: Inventory, *, waivers: Waivers | None = None, blocked: Blocks = lambda *_: None
) -> Judge:
    return Judge(
        inventory=inventory, waivers=waivers or Waivers(), blocked=blocked, test="t", gate="compute"
    )


def one(
    inventory: Inventory,
    metric: str,
    value: Reading,
    at: str = "r01-ct01/gpu0",
    **when: int,
) -> Measurement:
    return judge(inventory).one(metric, value, at, conditions=when)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(1000, Verdict.PASS), (1000.0, Verdict.PASS), (999.999, Verdict.FAIL), (0, Verdict.FAIL)],
)
def test_the_number_in_the_profile_is_the_number_compared(
    inventory: Inventory, value: float, verdict: Verdict
) -> None:
    found = one(inventory, "gpu.clock", value)
    assert (found.verdict, found.value, found.reason) == (verdict, value, "")
    assert found.limit is not None
    assert found.limit.minimum == 1000


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "unreadable"),
        (math.nan, "implausible"),
        (math.inf, "implausible"),
        (-math.inf, "implausible"),
        ("N/A", "implausible"),
        (ToolMissing("no nvidia-smi"), "tool-missing"),
        (DeadlineError("too slow"), "timeout"),
        (RackError("strange"), "suite-error"),
        (RackError("own", reason="busy"), "busy"),
    ],
)
def test_what_cannot_be_judged_has_its_reason(
    inventory: Inventory, value: Reading, reason: str
) -> None:
    found = one(inventory, "gpu.clock", value)
    assert (found.verdict, found.value) == (Verdict.INCONCLUSIVE, None)
    assert found.reason == reason
    assert found.detail


def test_no_matching_limit_is_no_pass(inventory: Inventory) -> None:
    found = one(inventory, "gpu.stages", 15, stage=3)
    assert (found.verdict, found.reason) == (Verdict.INCONCLUSIVE, "no-limit")
    assert "no limit for the conditions stage=3" in found.detail


def test_conditions_pick_the_limit(inventory: Inventory) -> None:
    assert one(inventory, "gpu.stages", 15, stage=1).verdict is Verdict.PASS
    assert one(inventory, "gpu.stages", 15, stage=2).verdict is Verdict.FAIL


def test_a_warning_is_never_a_verdict(inventory: Inventory) -> None:
    found = one(inventory, "gpu.hint", 5)
    assert found.verdict is Verdict.PASS
    assert found.warned
    assert not one(inventory, "gpu.hint", 15).warned


def test_what_blocks_comes_before_what_was_not_read(inventory: Inventory) -> None:
    blocked = Blocked("reach.ssh", "r01-ct01", "unreachable")
    behind = judge(inventory, blocked=lambda *_: blocked)
    found = behind.one("gpu.clock", None, "r01-ct01/gpu0", conditions={})
    assert found.reason == "blocked-by:reach.ssh@r01-ct01"
    read = behind.one("gpu.clock", 1200, "r01-ct01/gpu0", conditions={})
    assert read.verdict is Verdict.PASS


WAIVED = WaiverSchema.model_validate(
    {"metric": "gpu.clock", "part": "r01-ct01", "reason": "slow on purpose", "owner": "ops",
     "expires": "2999-01-01"}
)  # fmt: skip


@pytest.mark.parametrize(
    ("at", "value", "verdict"),
    [
        ("r01-ct01/gpu0", 1, Verdict.WAIVED),
        ("r01-ct02/gpu0", 1, Verdict.FAIL),
        ("r01-ct01/gpu0", 2000, Verdict.PASS),
        ("r01-ct01/gpu0", None, Verdict.INCONCLUSIVE),
    ],
)
def test_a_waiver_covers_failures_of_its_part_only(
    inventory: Inventory, at: str, value: Reading, verdict: Verdict
) -> None:
    found = judge(inventory, waivers=Waivers(active=(WAIVED,))).one(
        "gpu.clock", value, at, conditions={}
    )
    assert found.verdict is verdict
    assert ("slow on purpose" in found.detail) == (verdict is Verdict.WAIVED)


def test_an_expired_waiver_covers_nothing(inventory: Inventory) -> None:
    kept = judge(inventory, waivers=Waivers(expired=(WAIVED,)))
    assert kept.one("gpu.clock", 1, "r01-ct01/gpu0", conditions={}).verdict is Verdict.FAIL


# What was bought.


def test_what_was_bought_is_the_limit(inventory: Inventory) -> None:
    good, bad = (
        one(inventory, "identity.kernel", kernel, "r01-ct01") for kernel in ("6.8.0-1", "6.8.0-2")
    )
    assert (good.verdict, bad.verdict) == (Verdict.PASS, Verdict.FAIL)
    assert good.limit is not None
    assert "tiny.yaml" in good.limit.source
    assert not good.limit.provisional


def silent(inventory: Inventory) -> Inventory:
    return replace(inventory, firmware=FirmwareSchema(), power=PowerSchema())


def test_a_silent_inventory_alone_judges_nothing(inventory: Inventory) -> None:
    found = one(silent(inventory), "identity.kernel", "6.8.0-1", "r01-ct01")
    assert (found.verdict, found.reason) == (Verdict.INCONCLUSIVE, "no-limit")
    assert "nothing is said about r01-ct01" in found.detail


def test_the_parts_own_default_is_provisional(inventory: Inventory) -> None:
    found = judge(silent(inventory)).one(
        "gpu.power_limit", 1000, "r01-ct01/gpu0", conditions={}, otherwise=1200
    )
    assert found.verdict is Verdict.FAIL
    assert found.limit is not None
    assert found.limit.provisional


def by_majority(inventory: Inventory, values: Mapping[str, Reading]) -> dict[str, Measurement]:
    kept = judge(silent(inventory))
    majority = kept.majority_limit("identity.kernel", values)
    return {
        part: kept.one("identity.kernel", value, part, conditions={}, majority=majority)
        for part, value in values.items()
    }


def test_the_majority_names_the_odd_one_out_and_makes_nobody_right(inventory: Inventory) -> None:
    found = by_majority(inventory, {"a": "6.8", "b": "6.8", "c": "6.9", "d": None})
    assert [row.verdict for row in found.values()] == [
        Verdict.INCONCLUSIVE, Verdict.INCONCLUSIVE, Verdict.FAIL, Verdict.INCONCLUSIVE,
    ]  # fmt: skip
    assert [row.reason for row in found.values()] == ["no-limit", "no-limit", "", "unreadable"]
    limit = found["c"].limit
    assert limit is not None
    assert limit.provisional
    assert "2 of 3" in limit.source


def test_no_majority_is_no_limit(inventory: Inventory) -> None:
    found = by_majority(inventory, {"a": None, "b": ToolMissing("none")})
    assert {row.verdict for row in found.values()} == {Verdict.INCONCLUSIVE}


def test_the_majority_counts_for_nothing_where_it_was_said(inventory: Inventory) -> None:
    values = dict.fromkeys(("r01-ct01", "r01-ct02"), "5.0")
    assert judge(inventory).majority_limit("identity.kernel", values) is None


# Peers.

GOOD: dict[str, Reading] = {f"g{n}": 2000 + n for n in range(20)}


@pytest.mark.parametrize(
    ("peers", "verdict", "warned"),
    [("off", Verdict.PASS, False), ("warn", Verdict.PASS, True), ("fail", Verdict.FAIL, True)],
)
def test_a_straggler_above_the_floor(
    tmp_path: Path, peers: str, verdict: Verdict, warned: bool
) -> None:
    kept = judge(inventory_with(tmp_path, peers))
    population: dict[str, Reading] = {**GOOD, "slow": 1500}
    scores = kept.peers("gpu.clock", population, {})
    slow, good = (
        kept.one("gpu.clock", population[name], name, conditions={}, peer=scores[name])
        for name in ("slow", "g3")
    )
    assert (slow.verdict, slow.warned) == (verdict, warned)
    assert (good.verdict, good.warned) == (Verdict.PASS, False)
    assert slow.peer is not None
    assert slow.peer["median"] == pytest.approx(2009, abs=2)


def test_a_fast_one_is_no_straggler(tmp_path: Path) -> None:
    kept = judge(inventory_with(tmp_path, "fail"))
    population: dict[str, Reading] = {**GOOD, "fast": 4000}
    scores = kept.peers("gpu.clock", population, {})
    found = kept.one("gpu.clock", 4000, "fast", conditions={}, peer=scores["fast"])
    assert found.verdict is Verdict.PASS


def test_below_the_floor_a_peer_changes_nothing(tmp_path: Path) -> None:
    kept = judge(inventory_with(tmp_path, "warn"))
    peer = Peer(median=2000, score=50)
    found = kept.one("gpu.clock", 10, "slow", conditions={}, peer=peer)
    assert (found.verdict, found.detail) == (Verdict.FAIL, "")


@pytest.mark.parametrize("odd", [math.nan, math.inf, None, ToolMissing("gone")])
def test_one_unreadable_value_spoils_no_population(inventory: Inventory, odd: Reading) -> None:
    population: dict[str, Reading] = {**GOOD, "odd": odd}
    scores = judge(inventory).peers("gpu.clock", population, {})
    assert set(scores) == set(population) - {"odd"}
