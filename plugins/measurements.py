"""`measure` and `measure_all`: a test ends with one verdict, made from everything it measured.

Only a violated limit fails a test. Anything else that goes wrong is INCONCLUSIVE, and every row of
the manifest that the test left open is filled with the reason.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence

import pytest

from fixtures.model.errors import Forbidden, RackError
from fixtures.model.measure import Measure, MeasureAll, Reading
from fixtures.model.measurement import Conditions, Measurement, Scalar
from fixtures.model.text import printable
from fixtures.model.verdicts import Verdict, worst
from plugins.evidence import RECORDER, WAIVERS
from plugins.gates import BLOCKING
from plugins.inventory import gate_of, subject_of
from plugins.judging import Judge, LimitViolated
from plugins.manifest import ROWS, declared_metrics
from plugins.session import INVENTORY, SESSION, is_suite

TAKEN = pytest.StashKey[list[Measurement]]()
LETTERS = {
    Verdict.FAIL: ("failed", "F", "FAIL"),
    Verdict.INCONCLUSIVE: ("inconclusive", "I", "INCONCLUSIVE"),
    Verdict.WAIVED: ("waived", "W", "WAIVED"),
    Verdict.NOT_APPLICABLE: ("not applicable", "n", "NOT_APPLICABLE"),
}


@pytest.fixture
def measure(request: pytest.FixtureRequest) -> Measure:
    """Judge one value against the profile and keep it in the record."""
    judge, item = _judge(request.node), request.node

    def one(
        metric: str,
        value: Reading,
        *,
        at: str,
        otherwise: Scalar | None = None,
        detail: str = "",
        samples: Sequence[float] = (),
        evidence: Sequence[str] = (),
        when: Conditions | None = None,
    ) -> None:
        if not judge.asks(metric, at):
            return
        _keep(item, judge.one(
            metric, value, at, conditions=when or {}, otherwise=otherwise, detail=detail,
            samples=samples, evidence=evidence,
        ))  # fmt: skip

    return one


@pytest.fixture
def measure_all(request: pytest.FixtureRequest) -> MeasureAll:
    """Judge a population: each value against its limit, and against its peers."""
    judge, item = _judge(request.node), request.node

    def every(
        metric: str,
        values: Mapping[str, Reading],
        *,
        among: Mapping[str, Reading] | None = None,
        evidence: Mapping[str, Sequence[str]] | None = None,
        when: Conditions | None = None,
    ) -> None:
        values = {part: value for part, value in values.items() if judge.asks(metric, part)}
        if not values:
            return
        majority = judge.majority_limit(metric, values)
        peers = judge.peers(metric, among or values, when or {})
        for subject, value in values.items():
            _keep(item, judge.one(
                metric, value, subject, conditions=when or {}, majority=majority,
                evidence=(evidence or {}).get(subject, ()), peer=peers.get(subject),
            ))  # fmt: skip

    return every


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Innermost: turn what was measured into the test's own end."""
    if not is_suite(pyfuncitem):
        return (yield)
    try:
        result = yield
    except RackError as error:
        fill(pyfuncitem, error.why, str(error))
        if pyfuncitem.stash.get(TAKEN, []):
            _raise_verdict(pyfuncitem)
        raise
    fill(pyfuncitem, "not-run", "the test ended without measuring this")
    _raise_verdict(pyfuncitem)
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed set-up or an unexpected exception is INCONCLUSIVE, in every report alike."""
    if not is_suite(item) or call.when == "teardown":
        return (yield)
    error = call.excinfo.value if call.excinfo else None
    if error is not None and not isinstance(error, (LimitViolated, pytest.skip.Exception)):
        reason = error.why if isinstance(error, RackError) else "suite-error"
        text = f"{type(error).__name__}: {error}"
        fill(item, reason, text)
        _doubt(item, reason, text)
    if call.when == "call" or error is not None:
        nothing = isinstance(error, pytest.skip.Exception) and TAKEN not in item.stash
        taken = item.stash.get(TAKEN, [])
        verdict = Verdict.NOT_APPLICABLE if nothing else worst(one.verdict for one in taken)
        item.user_properties.append(("verdict", verdict.value))
    if not isinstance(error, (LimitViolated, RackError)):
        return (yield)
    option, style = item.config.option, item.config.option.tbstyle
    option.tbstyle = "value"  # a traceback says nothing here, and takes 30 ms to be made
    try:
        report = yield
    finally:
        option.tbstyle = style
    report.longrepr = printable(str(error))
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(
    report: pytest.TestReport | pytest.CollectReport,
) -> tuple[str, str, str] | None:
    if isinstance(report, pytest.CollectReport):
        return None
    verdict = dict(report.user_properties).get("verdict")
    shown = report.when == "call" or (report.when != "teardown" and not report.passed)
    if verdict is None or not shown:
        return None
    return LETTERS.get(Verdict(str(verdict)))


def fill(item: pytest.Item, reason: str, detail: str) -> None:
    """Write an INCONCLUSIVE record for every row of the manifest that the item left open: with what
    blocks the row's subject rather than with the item's reason, unless that is the policy."""
    config = item.config
    if SESSION not in config.stash:
        return
    done = {(taken.metric, taken.subject) for taken in item.stash.get(TAKEN, [])}
    blocking = config.stash[BLOCKING]
    for row in config.stash[ROWS].of(item):
        if (row.metric, row.subject) in done:
            continue
        forbidden = reason == Forbidden.reason
        blocked = None if forbidden else blocking.blocked(row.subject, row.metric)
        why, said = (blocked.why, str(blocked)) if blocked else (reason, detail)
        _keep_unjudged(item, row.metric, row.subject, why, said)


def _doubt(item: pytest.Item, reason: str, detail: str) -> None:
    """A test that broke after all its values were good is not good: its first row says so."""
    taken = item.stash.get(TAKEN, [])
    if taken and worst(one.verdict for one in taken) not in (Verdict.FAIL, Verdict.INCONCLUSIVE):
        _keep_unjudged(item, taken[0].metric, taken[0].subject, reason, detail)
    if not taken:  # no row of the manifest is its own, but that it broke must not be lost
        metrics = item.config.stash[INVENTORY].profile.metrics
        name = next(name for name in declared_metrics(item) if name in metrics)
        _keep_unjudged(item, name, subject_of(item), reason, detail)


def _keep_unjudged(item: pytest.Item, name: str, subject: str, reason: str, detail: str) -> None:
    metric = item.config.stash[INVENTORY].profile.metric(name)
    _keep(item, Measurement(
        test=_test_of(item), gate=metric.gate, subject=subject, metric=name, value=None,
        unit=metric.unit, verdict=Verdict.INCONCLUSIVE, reason=reason, detail=detail,
    ))  # fmt: skip


def _judge(item: pytest.Item) -> Judge:
    stash = item.config.stash
    return Judge(
        inventory=stash[INVENTORY],
        waivers=stash[WAIVERS],
        blocked=stash[BLOCKING].blocked,
        test=_test_of(item),
        gate=gate_of(item),
    )


def _test_of(item: pytest.Item) -> str:
    return item.nodeid


def _keep(item: pytest.Item, taken: Measurement) -> None:
    item.stash.setdefault(TAKEN, []).append(taken)
    item.config.stash[RECORDER].write(taken)
    item.config.stash[BLOCKING].note(taken)


def _raise_verdict(item: pytest.Item) -> None:
    """End the test by the worst of its measurements, with one message that lists them all."""
    taken = item.stash.get(TAKEN, [])
    if not taken and not item.config.stash[ROWS].of(item):
        pytest.skip("the inventory says that there is no such thing here")
    verdict = worst(measurement.verdict for measurement in taken)
    if verdict is Verdict.PASS:
        return
    lines = _lines(measurement for measurement in taken if measurement.verdict is verdict)
    if verdict is Verdict.FAIL:
        raise LimitViolated(lines)
    if verdict is Verdict.INCONCLUSIVE:
        raise RackError(lines or "the test measured nothing", reason=_reason(taken))
    if verdict in (Verdict.WAIVED, Verdict.NOT_APPLICABLE):
        pytest.skip(lines)


def _lines(measurements: Iterable[Measurement]) -> str:
    lines = [measurement.line() for measurement in measurements]
    return "\n".join(lines[:40] + ([f"and {len(lines) - 40} more"] if len(lines) > 40 else []))


def _reason(taken: Sequence[Measurement]) -> str:
    return next((entry.reason for entry in taken if entry.reason), "not-run")
