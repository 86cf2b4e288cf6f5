"""The end of a run: the record is held against the manifest, and the run gets its outcome.

Only the controller does this. What the manifest expects and nobody judged becomes INCONCLUSIVE
`not-run`, by name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from fixtures.model.measurement import Measurement
from fixtures.model.verdicts import Outcome, Verdict
from fixtures.transport.store import merge_indexes
from plugins import connect, junit, leases
from plugins.allure_results import write_environment
from plugins.evidence import RECORDER, point_latest, waivers_path
from plugins.lab import FAULTS, transport_of
from plugins.manifest import named
from plugins.session import SESSION, Session
from reports import terminal
from reports.close import Closed, close_run, open_run
from reports.manifest import coverage, write_manifest
from reports.record import read_record

CLOSED = pytest.StashKey[Closed]()
JUDGED = (
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.NO_TESTS_COLLECTED,
)
"""Ends of a session in which pytest ran to its end: the outcome decides the exit status."""
LISTED = 20
"""How many tests that could not be judged are listed one by one at the terminal."""


def pytest_sessionstart(session: pytest.Session) -> None:
    """Write the manifest and an INCOMPLETE run.json before anything else happens."""
    state = session.config.stash.get(SESSION, None)
    if state is not None and state.controller:
        open_run(
            state.folder,
            state.inventory,
            state.manifest,
            command=_command(session.config),
            started=datetime.now(UTC),
            seed=state.seed,
            faults=[str(fault) for fault in session.config.stash[FAULTS]],
            waivers=waivers_path(session.config),
            replay=state.replay,
            lab_transport=transport_of(session.config),
        )
        point_latest(session.config, state.folder)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
    config = session.config
    state = config.stash.get(SESSION, None)
    if state is None:
        return
    if not state.controller:
        config.stash[RECORDER].close()
        return
    unfinished = _end_leftovers(config, state) or _unfinished(config, exitstatus)
    closed = config.stash[CLOSED] = conclude(config, state, unfinished)
    accepted = closed.result.outcome is Outcome.ACCEPTED
    if exitstatus in JUDGED and not accepted:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def conclude(config: pytest.Config, state: Session, unfinished: str) -> Closed:
    """Fill the gaps, then let the reports merge, judge and sign."""
    state.manifest = named(state.manifest, state)
    write_manifest(state.folder, state.manifest)
    for gap in _gaps(state, unfinished):
        config.stash[RECORDER].write(gap)
    config.stash[RECORDER].close()
    merge_indexes(state.folder.path)
    junit.rewrite(getattr(config.option, "xmlpath", None), state.folder.junit)
    closed = close_run(state.folder, ended=datetime.now(UTC), unfinished=unfinished)
    results, outcome = state.folder.allure_results, closed.result.outcome.value
    if results.is_dir():
        write_environment(results, state.inventory.name, outcome, closed.info.simulated)
    return closed


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    closed = config.stash.get(CLOSED, None)
    if closed is None:
        return
    for category, words in (("inconclusive", "could not be judged"), ("waived", "waived")):
        reports = terminalreporter.stats.get(category, [])
        if reports:
            terminalreporter.section(f"{len(reports)} tests {words}")
        for report in reports[:LISTED]:
            terminalreporter.line(f"{report.nodeid}: {_first_line(report)}")
        if len(reports) > LISTED:
            terminalreporter.line(f"and {len(reports) - LISTED} more; all are in the run folder")
    terminalreporter.section("acceptance")
    lines = terminal.summary(
        closed.info, closed.result, closed.findings, closed.topology, closed.run.path
    )
    for line in lines:
        terminalreporter.line(line)


def _first_line(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)  # an error of the suite, with its trace
    return next(iter(str(crash.message if crash else report.longrepr).splitlines()), "")


def _gaps(state: Session, unfinished: str) -> Iterator[Measurement]:
    rows = [
        row for part in state.folder.record_parts() for row in read_record(part, torn_tail=True)
    ]
    recorded = {(row.metric, row.subject) for row in rows}
    for gap in coverage(state.manifest, rows).missing:
        if (gap.metric, gap.subject) in recorded:
            continue
        metric = state.inventory.profile.metric(gap.metric)
        why = "its test was not selected" if gap.test else "no test judges this metric"
        yield Measurement(
            test=gap.test,
            gate=metric.gate,
            subject=gap.subject,
            metric=gap.metric,
            value=None,
            unit=metric.unit,
            verdict=Verdict.INCONCLUSIVE,
            reason="not-run",
            detail=unfinished or why,
        )


def _command(config: pytest.Config) -> list[str]:
    """What was called, with what the environment adds to it."""
    added = os.environ.get("PYTEST_ADDOPTS", "")
    before = [f"PYTEST_ADDOPTS={added}"] if added else []
    return [*before, "pytest", *map(str, config.invocation_params.args)]


def _unfinished(config: pytest.Config, exitstatus: int | pytest.ExitCode) -> str:
    """Why a run did not get to its end as it should; such a run is never ACCEPTED."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    errors = reporter.stats.get("error", []) if reporter else []
    if exitstatus == pytest.ExitCode.INTERRUPTED:
        broken = [one.nodeid for one in errors if isinstance(one, pytest.CollectReport)]
        at = f" ({', '.join(filter(None, broken))})" if any(broken) else ""
        said = f"{len(broken)} test file(s) of the suite cannot be loaded{at}; see ERRORS above"
        return said if broken else "the run was interrupted"
    if exitstatus == pytest.ExitCode.INTERNAL_ERROR:
        return "the suite itself failed (internal error)"
    if errors:  # a set-up's error has a verdict of its own; what is left are clean-ups
        return f"the clean-up of {errors[0].nodeid} failed; look what it left on the hosts"
    return ""


def _end_leftovers(config: pytest.Config, state: Session) -> str:
    """End what workers that died, or had no time to clean up, left on the hosts; in words, where
    that cannot be done, since such a run is never ACCEPTED."""
    hosts = leases.still_loaded(state)
    if not hosts or state.replay is not None:
        return ""
    transports = connect.transports(config)
    leases.give_back(state, transports, connect.owner(), hosts, "left-over")
    transports.close()
    left = leases.still_loaded(state)
    return f"could not end what this run left on {', '.join(left)}; look there" if left else ""
