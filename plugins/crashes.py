"""A worker that died: the test that it ran is INCONCLUSIVE `crashed`, and the others go on.

The worker can say nothing any more, so the controller writes the rows, the Allure result and the
note that the other workers wait for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pytest
from allure_commons.logger import AllureFileLogger
from allure_commons.model2 import Label, Status, StatusDetails, TestResult
from allure_commons.utils import md5, now, uuid4

from fixtures.model.measurement import Measurement
from fixtures.model.verdicts import Verdict
from plugins.allure_results import suite_name
from plugins.evidence import RECORDER
from plugins.gates import mark_done, note_end, stage_name
from plugins.manifest import ROWS, Rows, declarations
from plugins.session import SESSION, Session
from reports.manifest import Expected
from reports.record import read_record


class Scheduler(Protocol):
    """What is needed of xdist's scheduler."""

    config: pytest.Config


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str, report: pytest.TestReport, sched: Scheduler) -> None:
    """Close the test of a dead worker (an xdist hook; runs in the controller)."""
    config = sched.config
    session = config.stash.get(SESSION, None)
    if session is None:
        return
    test, gate, about = parsed(crashitem, session.inventory.name)
    metrics = declarations(session).get(test, ())
    text = f"{report.longrepr}; find out what ended it (out of memory?), then run again"
    for row in open_rows(session, config.stash[ROWS], crashitem, metrics, about):
        metric = session.inventory.profile.metric(row.metric)
        config.stash[RECORDER].write(Measurement(
            test=crashitem, gate=metric.gate, subject=row.subject, metric=row.metric, value=None,
            unit=metric.unit, verdict=Verdict.INCONCLUSIVE, reason="crashed", detail=text,
        ))  # fmt: skip
    report.longrepr = text
    report.user_properties.append(("verdict", Verdict.INCONCLUSIVE.value))
    result = allure_result(crashitem, about, text)
    result.labels += [Label("parentSuite", suite_name(session.inventory)), Label("suite", gate)]
    _write_result(Path(config.option.allure_report_dir), result)
    mark_done(session, stage_name(session.inventory.profile, gate, metrics))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object, error: object | None) -> None:
    """Let nobody wait for a worker that has ended (an xdist hook; runs in the controller)."""
    config, gateway = node.config, node.gateway  # type: ignore[attr-defined]
    session = config.stash.get(SESSION, None)
    if session is not None:
        note_end(session, gateway.id, died=error is not None)


def parsed(nodeid: str, whole: str) -> tuple[str, str, str]:
    """The test without its parameter, its gate, and its subject (`whole` where it has none)."""
    test, _, rest = nodeid.partition("[")
    return test, Path(test.partition("::")[0]).parent.name, rest.removesuffix("]") or whole


def open_rows(
    session: Session, rows: Rows, nodeid: str, metrics: Sequence[str], about: str
) -> list[Expected]:
    """The rows that the test left open; its first one where all were written before the end.

    A test that took its process down has shown nothing, even where it wrote its rows before.
    """
    parts = session.folder.record_parts()
    written = {
        (row.metric, row.subject)
        for part in parts
        for row in read_record(part, torn_tail=True)
        if row.test == nodeid
    }
    expected = rows.at(metrics, about)
    left = [row for row in expected if (row.metric, row.subject) not in written]
    return left or expected[:1]


def allure_result(nodeid: str, about: str, text: str) -> TestResult:
    """A result as allure-pytest would have written it, under the same history."""
    path, _, function = nodeid.partition("::")
    package = ".".join(Path(path).with_suffix("").parts)
    full_name = f"{package}#{function.partition('[')[0]}"
    values = [about] if "[" in function else []
    return TestResult(
        uuid=uuid4(),  # type: ignore[no-untyped-call]
        name=function,
        status=Status.BROKEN,
        statusDetails=StatusDetails(message=text),
        fullName=full_name,
        testCaseId=md5(full_name),  # type: ignore[no-untyped-call]
        historyId=md5(full_name, *values),  # type: ignore[no-untyped-call]
        titlePath=list(Path(path).parts),
        labels=[Label("framework", "pytest"), Label("package", package)],
        start=now(),  # type: ignore[no-untyped-call]
        stop=now(),  # type: ignore[no-untyped-call]
    )


def _write_result(folder: Path, result: TestResult) -> None:
    AllureFileLogger(folder).report_result(result)  # type: ignore[no-untyped-call]
