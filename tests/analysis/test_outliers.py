"""Robust outlier scores: stragglers show, healthy populations stay quiet."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.analysis.outliers import FLOOR, THRESHOLD, outliers, peer_scores

populations = st.lists(st.floats(1.0, 1e6), min_size=5, max_size=60).map(
    lambda numbers: {f"gpu{index}": number for index, number in enumerate(numbers)}
)


def test_straggler_shows_above_any_floor() -> None:
    values = {f"gpu{n}": 800.0 + n for n in range(8)} | {"gpu8": 700.0}
    assert list(outliers(values, higher_is_better=True)) == ["gpu8"]


def test_direction_decides_what_is_worse() -> None:
    values = {f"p{n}": 4.0 for n in range(6)} | {"p6": 8.0}
    assert outliers(values, higher_is_better=True) == {}
    assert list(outliers(values, higher_is_better=False)) == ["p6"]
    assert list(outliers(values)) == ["p6"]


def test_small_population_gives_no_score() -> None:
    assert peer_scores({"a": 1.0, "b": 1.0, "c": 1.0, "d": 9.0}) == {}


def test_single_counter_among_zeros_stands_out() -> None:
    values = {f"port{n}": 0.0 for n in range(9)} | {"port9": 3.0}
    assert list(outliers(values, higher_is_better=False)) == ["port9"]


def test_value_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        peer_scores({f"p{n}": float("nan") for n in range(5)})


def test_false_alarms_stay_below_the_documented_rate() -> None:
    noise = np.random.default_rng(7)
    healthy = [
        {f"p{n}": float(v) for n, v in enumerate(100 + noise.standard_normal(18))}
        for _ in range(2000)
    ]
    assert sum(bool(outliers(values)) for values in healthy) <= 1


@given(populations, st.floats(0.01, 1000.0))
def test_scores_do_not_depend_on_the_unit(values: dict[str, float], factor: float) -> None:
    scaled = peer_scores({part: value * factor for part, value in values.items()})
    plain = peer_scores(values)
    assert [peer.score for peer in scaled.values()] == pytest.approx(
        [peer.score for peer in plain.values()], rel=1e-6, abs=1e-6
    )


@given(populations)
def test_fewer_than_half_are_outliers(values: dict[str, float]) -> None:
    assert len(outliers(values)) * 2 <= len(values)


@given(st.floats(10.0, 1e6), st.lists(st.floats(-1.0, 1.0), min_size=5, max_size=60))
def test_tight_population_never_alarms(centre: float, noise: list[float]) -> None:
    spread = 0.9 * FLOOR * THRESHOLD / 0.6745 / 2
    values = {f"p{n}": centre * (1 + spread * x) for n, x in enumerate(noise)}
    assert outliers(values) == {}
