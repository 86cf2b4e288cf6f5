"""Robust outlier scores: stragglers show, healthy populations stay quiet."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.outliers import SHAPES, false_alarms, power
from fixtures.analysis.outliers import FLOOR, outliers, peer_scores

numbers = st.integers(100, 10**8).map(lambda hundredths: hundredths / 100)
populations = st.lists(numbers, min_size=5, max_size=60).map(
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


@pytest.mark.parametrize("size", [5, 8, 18, 72, 288])
@pytest.mark.parametrize("shape", SHAPES)
def test_healthy_populations_of_any_shape_do_not_alarm(shape: str, size: int) -> None:
    """At a spread of 0.5 %; `python -m benchmarks outliers` has the rates at more spreads."""
    alarms = false_alarms(shape, size=size, spread=0.005, populations=2000, seed=7)
    assert alarms <= (0.06 * 2000 if shape == "t3" else 1)


@pytest.mark.parametrize(("size", "found"), [(8, 0.8), (72, 0.99), (288, 0.99), (576, 0.99)])
def test_straggler_of_a_tenth_is_found(size: int, found: float) -> None:
    assert power("normal", size=size, spread=0.005, low=0.1, populations=500, seed=7) >= found


def test_rounded_values_that_are_a_step_apart_do_not_alarm() -> None:
    """Latencies in steps of 0.1: most are 1.4, which leaves no spread at all."""
    values = {f"p{n}": 1.4 for n in range(40)} | {"p40": 1.5, "p41": 1.6, "p42": 1.3}
    assert outliers(values, higher_is_better=False) == {}
    assert list(outliers(values | {"p43": 1.9}, higher_is_better=False)) == ["p43"]


def test_a_low_rack_among_eight_is_seen_as_a_whole() -> None:
    noise = np.random.default_rng(3)
    values = {f"g{n}": (720.0 if n < 72 else 800.0) * (1 + noise.normal(0, 0.003))
              for n in range(576)}  # fmt: skip
    assert set(outliers(values, higher_is_better=True)) == {f"g{n}" for n in range(72)}


@given(populations, st.sampled_from([0.01, 0.1, 10.0, 100.0]))
def test_scores_do_not_depend_on_the_unit(values: dict[str, float], factor: float) -> None:
    scaled = peer_scores({part: value * factor for part, value in values.items()})
    plain = peer_scores(values)
    assert [peer.score for peer in scaled.values()] == pytest.approx(
        [peer.score for peer in plain.values()], rel=1e-6, abs=1e-6
    )


@given(populations)
def test_fewer_than_half_are_outliers(values: dict[str, float]) -> None:
    assert len(outliers(values)) * 2 <= len(values)


@settings(deadline=None)
@given(st.floats(10.0, 1e6), st.lists(st.floats(-1.0, 1.0), min_size=5, max_size=60))
def test_population_within_the_floor_never_alarms(centre: float, noise: list[float]) -> None:
    values = {f"p{n}": centre * (1 + 0.49 * FLOOR * x) for n, x in enumerate(noise)}
    assert outliers(values) == {}
