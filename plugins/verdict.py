"""The end of a run: the record is held against the manifest, and the run gets its outcome.

Only the controller does this. What the manifest expects and nobody judged becomes INCONCLUSIVE
`not-run`, by name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from fixtures.analysis.blame import Finding
from fixtures.analysis.topology import topology
from fixtures.model.measurement import Measurement
from fixtures.model.verdicts import Outcome, Verdict
from fixtures.transport.store import merge_indexes
from plugins import connect, junit, leases
from plugins.evidence import RECORDER
from plugins.lab import FAULTS
from plugins.manifest import named
from plugins.session import SESSION, Session
from reports import findings
from reports.manifest import coverage, write_manifest
from reports.merge import merge_records
from reports.outcome import RunResult, judge_run
from reports.parts import write_parts
from reports.record import read_record
from reports.run import RunInfo, run_info, with_result, write_run

INFO = pytest.StashKey[RunInfo]()
END = pytest.StashKey["End"]()


@dataclass(frozen=True, slots=True)
class End:
    """How a run ended."""

    info: RunInfo
    result: RunResult
    found: list[Finding]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Write the manifest and an INCOMPLETE run.json before anything else happens."""
    state = session.config.stash.get(SESSION, None)
    if state is None or not state.controller:
        return
    info = run_info(
        state.inventory,
        command=["pytest", *map(str, session.config.invocation_params.args)],
        started=datetime.now(UTC),
        seed=state.seed,
        faults=[str(fault) for fault in session.config.stash[FAULTS]],
    )
    session.config.stash[INFO] = info
    write_manifest(state.folder, state.manifest)
    write_parts(state.folder, topology(state.inventory))
    write_run(state.folder, info)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
    config = session.config
    state = config.stash.get(SESSION, None)
    if state is None:
        return
    if not state.controller:
        config.stash[RECORDER].close()
        return
    unfinished = _unfinished(exitstatus)
    _end_leftovers(config, state)
    end = config.stash[END] = conclude(config, state, unfinished)
    if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, 5):
        accepted = end.result.outcome is Outcome.ACCEPTED
        session.exitstatus = pytest.ExitCode.OK if accepted else pytest.ExitCode.TESTS_FAILED


def conclude(config: pytest.Config, state: Session, unfinished: str) -> End:
    """Fill the gaps, merge, judge, and write every report of the run."""
    state.manifest = named(state.manifest, state)
    write_manifest(state.folder, state.manifest)
    for gap in _gaps(config, state, unfinished):
        config.stash[RECORDER].write(gap)
    config.stash[RECORDER].close()
    record = merge_records(state.folder, state.manifest)
    merge_indexes(state.folder.path)
    result = judge_run(record, state.manifest, unfinished=unfinished)
    found = findings.find(record, topology(state.inventory))
    findings.write_findings(state.folder, found)
    info = with_result(config.stash[INFO], result, ended=datetime.now(UTC), unfinished=unfinished)
    write_run(state.folder, info)
    junit.rewrite(state.folder.junit)
    # signoff.write_signoff(state.folder)
    return End(info, result, found)


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    end = config.stash.get(END, None)
    if end is None:
        return
    for category, words in (("inconclusive", "could not be judged"), ("waived", "waived")):
        reports = terminalreporter.stats.get(category, [])
        if reports:
            terminalreporter.section(f"{len(reports)} tests {words}")
            for report in reports[:LISTED]:
                terminalreporter.line(f"{report.nodeid}: {str(report.longrepr).splitlines()[0]}")
            if len(reports) > LISTED:
                terminalreporter.line(f"and {len(reports) - LISTED} more")
    terminalreporter.section("acceptance")
    state = config.stash[SESSION]
    for line in [str(end.result.outcome), *end.result.reasons, str(state.folder.path)]:
        terminalreporter.line(line)


LISTED = 20


def _gaps(config: pytest.Config, state: Session, unfinished: str) -> Iterator[Measurement]:
    rows = [
        row for part in state.folder.record_parts() for row in read_record(part, torn_tail=True)
    ]
    recorded = {(row.metric, row.subject) for row in rows}
    for gap in coverage(state.manifest, rows).missing:
        if (gap.metric, gap.subject) in recorded:
            continue
        metric = state.inventory.profile.metric(gap.metric)
        detail = unfinished or (
            "its test was not selected or not allowed" if gap.test else "no test judges this metric"
        )
        yield Measurement(
            test=gap.test, gate=metric.gate, subject=gap.subject, metric=gap.metric, value=None,
            unit=metric.unit, verdict=Verdict.INCONCLUSIVE, reason="not-run", detail=detail,
        )  # fmt: skip


def _unfinished(exitstatus: int | pytest.ExitCode) -> str:
    if exitstatus == pytest.ExitCode.INTERRUPTED:
        return "the run was interrupted"
    if exitstatus == pytest.ExitCode.INTERNAL_ERROR:
        return "the suite itself failed (internal error)"
    return ""


def _end_leftovers(config: pytest.Config, state: Session) -> None:
    """End what workers that died, or had no time to clean up, left on the hosts."""
    hosts = leases.still_loaded(state)
    if not hosts or state.replay is not None:
        return
    transports = connect.transports(config)
    leases.give_back(state, transports, connect.owner(), hosts)
    transports.close()
    left = leases.still_loaded(state)
    if left:
        print(f"could not end what this run left on {', '.join(left)}", file=sys.stderr)
