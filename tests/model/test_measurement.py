"""The one comparison between a value and its limits, and what becomes of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.model.errors import Implausible, InventoryError
from fixtures.model.measurement import Level, Limit, Measurement, Scalar, judge
from fixtures.model.verdicts import WORST_FIRST, Outcome, Verdict, outcome, worst

PASS, FAIL = Verdict.PASS, Verdict.FAIL


def limit(
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    equals: tuple[Scalar, ...] | None = None,
    level: Level = "fail",
    when: dict[str, Scalar] | None = None,
) -> Limit:
    return Limit(
        unit="u", source="s", kind="datasheet", minimum=minimum, maximum=maximum, equals=equals,
        level=level, when=when or {},
    )  # fmt: skip


CASES: list[tuple[Scalar, Limit, Verdict]] = [
    (10, limit(minimum=10), PASS),
    (9.999999999, limit(minimum=10), FAIL),
    (10.0, limit(maximum=10), PASS),
    (10.000000001, limit(maximum=10), FAIL),
    ("ok", limit(equals=("ok",)), PASS),
    ("OK", limit(equals=("ok",)), FAIL),
    ("N/A", limit(equals=("Healthy", "N/A")), PASS),
    ("Degraded", limit(equals=("Healthy", "N/A")), FAIL),
    (18, limit(equals=(18,)), PASS),
    (18.0, limit(equals=(18,)), PASS),
    ("18", limit(equals=(18,)), PASS),
    (True, limit(equals=(True,)), PASS),
    ("true", limit(equals=(True,)), PASS),
    (1, limit(equals=(True,)), FAIL),
    (False, limit(equals=(True,)), FAIL),
    ("580.95.05", limit(equals=("580.95.5",)), FAIL),
    ("6.10", limit(equals=("6.1",)), FAIL),
    (0, limit(equals=(0,)), PASS),
    (2**60 + 1, limit(equals=(2**60,)), FAIL),
    (2**53 + 1, limit(maximum=float(2**53)), FAIL),
]


@pytest.mark.parametrize(("value", "bound", "verdict"), CASES)
def test_a_value_is_held_against_the_number_in_the_profile(
    value: Scalar, bound: Limit, verdict: Verdict
) -> None:
    assert judge(value, [bound]) == (verdict, bound, False)


def test_all_limits_count_and_the_violated_one_is_shown() -> None:
    low, high = limit(minimum=1), limit(maximum=5)
    assert judge(3, [low, high]) == (PASS, low, False)
    assert judge(9, [low, high]) == (FAIL, high, False)


def test_a_warning_is_never_a_verdict() -> None:
    soft, hard, none = limit(minimum=5, level="warn"), limit(minimum=1), limit(level="report-only")
    assert judge(3, [soft]) == (PASS, soft, True)
    assert judge(3, [none, soft]) == (PASS, soft, True)
    assert judge(3, [soft, hard]) == (PASS, hard, True)
    assert judge(7, [soft, hard]) == (PASS, hard, False)
    assert judge(0, [soft, hard]) == (FAIL, hard, True)
    assert judge(0, [none]) == (PASS, none, False)


def test_no_limit_is_an_error_and_not_a_pass() -> None:
    with pytest.raises(InventoryError, match="a value without a limit is no pass"):
        judge(3, [])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("bound", [limit(minimum=1), limit(maximum=1), limit(level="report-only")])
def test_what_cannot_be_true_is_implausible(value: float, bound: Limit) -> None:
    with pytest.raises(Implausible, match="which no measurement can be"):
        judge(value, [bound])


@pytest.mark.parametrize("bound", [limit(minimum=1), limit(maximum=1)])
def test_text_is_not_compared_with_a_number(bound: Limit) -> None:
    with pytest.raises(Implausible, match="expected a number, found the text 'N/A'"):
        judge("N/A", [bound])


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False), st.floats(-1e9, 1e9))
def test_a_minimum_has_no_tolerance(value: float, bound: float) -> None:
    assert judge(value, [limit(minimum=bound)])[0] is (PASS if value >= bound else FAIL)
    assert judge(value, [limit(maximum=bound)])[0] is (PASS if value <= bound else FAIL)


@pytest.mark.parametrize(
    ("conditions", "applies"),
    [
        ({"ranks": 8}, True),
        ({"ranks": 8.0, "size": 1}, True),
        ({"ranks": "8"}, True),
        ({"ranks": 16}, False),
        ({"size": 8}, False),
        ({}, False),
    ],
)
def test_a_limit_applies_where_all_its_conditions_are_met(
    conditions: dict[str, Scalar], applies: bool
) -> None:
    assert limit(minimum=1, when={"ranks": 8}).applies(conditions) is applies
    assert limit(minimum=1).applies(conditions)


FACTS = {"unit": "u", "source": "s", "kind": "datasheet", "provisional": False}


@pytest.mark.parametrize(
    ("bound", "record", "words"),
    [
        (limit(minimum=53.125), {"min": 53.125}, "at least 53.125 u"),
        (limit(maximum=0), {"max": 0}, "at most 0 u"),
        (limit(equals=("ok",)), {"equals": "ok"}, "ok"),
        (limit(equals=(1, 2)), {"equals": [1, 2]}, "1 or 2"),
        (limit(level="report-only"), {}, "no limit is known"),
    ],
)
def test_a_limit_in_the_record_and_in_words(bound: Limit, record: object, words: str) -> None:
    assert bound.as_record() == FACTS | dict(record)  # type: ignore[call-overload]
    assert bound.wanted() == words


def measurement(value: Scalar | None, **more: object) -> Measurement:
    return Measurement(
        test="t", gate="nccl", subject="ct1", metric="m.m", value=value, unit="GB/s",
        verdict=FAIL, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def test_one_shape_of_message() -> None:
    taken = measurement(
        394.5, limit=limit(minimum=400), conditions={"ranks": 8}, detail="median of 3"
    )
    assert taken.line() == (
        "ct1 - m.m (ranks=8) - Expected: at least 400 u Actual: 394.5 GB/s (median of 3)"
    )
    none = measurement(None, reason="timeout", detail="no answer in 20 s")
    assert none.line() == "ct1 - m.m - Expected: a value Actual: no answer in 20 s [timeout]"


VERDICTS = st.lists(st.sampled_from(list(Verdict)), max_size=6)


@given(VERDICTS)
def test_the_worst_verdict_wins(verdicts: list[Verdict]) -> None:
    found = worst(verdicts)
    if not verdicts:
        assert found is Verdict.INCONCLUSIVE
    else:
        assert found in verdicts
        assert all(WORST_FIRST.index(found) <= WORST_FIRST.index(other) for other in verdicts)


def test_every_verdict_has_its_rank() -> None:
    assert sorted(WORST_FIRST) == sorted(Verdict)


@given(VERDICTS, st.integers(0, 6), st.integers(0, 6))
def test_a_run_is_accepted_only_when_all_was_judged_and_was_good(
    verdicts: list[Verdict], expected: int, judged: int
) -> None:
    found = outcome(verdicts, expected=expected, judged=judged)
    assert (found is Outcome.REJECTED) == (FAIL in verdicts)
    good = set(verdicts) & {PASS, Verdict.WAIVED}
    bad = set(verdicts) & {FAIL, Verdict.INCONCLUSIVE}
    assert (found is Outcome.ACCEPTED) == bool(good and not bad and judged >= expected)
