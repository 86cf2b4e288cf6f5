"""The bound on a rate that was seen a few times or never."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.model.rates import upper_bound


def test_no_alarm_in_200_runs_bounds_the_rate_at_one_and_a_half_percent() -> None:
    assert upper_bound(0, 200) == pytest.approx(1 - 0.05 ** (1 / 200), abs=1e-9)
    assert round(upper_bound(0, 200), 3) == 0.015


@pytest.mark.parametrize(
    ("bad", "runs", "bound"), [(1, 20, 0.2161), (1, 100, 0.0466), (2, 100, 0.0616)]
)
def test_bound_is_that_of_printed_tables(bad: int, runs: int, bound: float) -> None:
    assert upper_bound(bad, runs) == pytest.approx(bound, abs=5e-4)


def test_where_every_run_alarmed_nothing_is_bounded() -> None:
    assert upper_bound(5, 5) == 1.0


@given(st.integers(1, 300), st.data())
def test_bound_lies_above_what_was_seen(runs: int, data: st.DataObject) -> None:
    bad = data.draw(st.integers(0, runs))
    assert bad / runs <= upper_bound(bad, runs) <= 1.0
