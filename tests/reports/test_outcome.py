"""The outcome of a run, and that it never is ACCEPTED for want of measuring."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from fixtures.model.measurement import Limit, Measurement
from fixtures.model.verdicts import Outcome, Verdict
from reports.manifest import Expected
from reports.outcome import RunResult, judge_run
from reports.record import Record, record_of
from tests.reports.rack import GPUS, HOSTS, MANIFEST, healthy, mini, taken, without


def result(rows: list[Measurement], tmp_path: Path, **more: object) -> RunResult:
    inventory = mini(tmp_path)
    manifest = more.pop("manifest", MANIFEST)
    record = [record_of(row, inventory, "") for row in rows]
    return judge_run(record, manifest, **more)  # type: ignore[arg-type]


def test_everything_good_is_accepted(tmp_path: Path) -> None:
    found = result(healthy(), tmp_path)
    assert (found.outcome, found.reasons) == (Outcome.ACCEPTED, ())
    assert found.gates == {"reach": Verdict.PASS, "nvlink": Verdict.PASS}
    assert found.counts["pass"] == found.coverage.judged == 6


def test_failure_rejects_and_is_the_first_reason(tmp_path: Path) -> None:
    rows = without(healthy(), HOSTS[0])
    rows[1] = taken("nvlink.links_active", GPUS[0], 17, "FAIL")
    found = result(rows, tmp_path)
    assert found.outcome is Outcome.REJECTED
    assert found.reasons == (
        "FAIL nvlink.links_active at r01-ct01/gpu0: 17 links, expected at least 18 links",
        "not judged: 1 of 2 rows of gate reach (reach.ssh)",
    )
    assert found.gates == {"reach": Verdict.INCONCLUSIVE, "nvlink": Verdict.FAIL}


def test_failures_are_grouped_by_metric(tmp_path: Path) -> None:
    rows = [*healthy()[:2], *(taken("nvlink.links_active", gpu, 16, "FAIL") for gpu in GPUS)]
    (reason,) = result(rows, tmp_path).reasons
    assert reason.startswith("FAIL nvlink.links_active at 4 parts: r01-ct01/gpu0, ")
    assert "and 1 more (the first: 16 links, expected at least 18 links)" in reason


def test_missing_row_makes_the_run_incomplete(tmp_path: Path) -> None:
    found = result(healthy()[:-1], tmp_path)
    assert found.outcome is Outcome.INCOMPLETE
    assert found.coverage.missing == (MANIFEST[-1],)
    assert found.gates["nvlink"] is Verdict.INCONCLUSIVE


def test_unreachable_comes_before_what_it_blocks(tmp_path: Path) -> None:
    blocked = f"blocked-by:reach.ssh@{HOSTS[0]}"
    rows = [
        taken("reach.ssh", HOSTS[0], None, "INCONCLUSIVE", reason="unreachable"),
        *(taken("nvlink.links_active", g, None, "INCONCLUSIVE", reason=blocked) for g in GPUS[:2]),
        *healthy()[1:2], *healthy()[4:],
    ]  # fmt: skip
    found = result(rows, tmp_path)
    assert found.outcome is Outcome.INCOMPLETE
    assert found.reasons == (
        "INCONCLUSIVE unreachable: 1 row at r01-ct01",
        f"INCONCLUSIVE {blocked}: 2 rows at 2 parts: r01-ct01/gpu0, r01-ct01/gpu1",
    )


def test_nothing_judged_and_nothing_expected_are_never_accepted(tmp_path: Path) -> None:
    assert result([], tmp_path).reasons[0] == "nothing was judged"
    found = result(healthy(), tmp_path, manifest=[])
    assert found.outcome is Outcome.INCOMPLETE
    assert "expects nothing" in found.reasons[0]


def test_interrupted_run_is_incomplete_even_when_covered(tmp_path: Path) -> None:
    found = result(healthy(), tmp_path, unfinished="interrupted by SIGTERM")
    assert found.outcome is Outcome.INCOMPLETE
    assert found.reasons == ("the run did not end: interrupted by SIGTERM",)


def test_gate_outside_the_manifest_has_no_verdict_but_its_failure_counts(tmp_path: Path) -> None:
    found = result([*healthy(), taken("nccl.busbw", "mini", 1, "FAIL")], tmp_path)
    assert "nccl" not in found.gates
    assert found.outcome is Outcome.REJECTED


def test_gate_of_a_row_that_nobody_judged_comes_from_its_test(tmp_path: Path) -> None:
    row = Expected("suites/nccl/test_a.py::test_a", "mini", "busbw.all")
    found = result(healthy(), tmp_path, manifest=[*MANIFEST, row])
    assert found.gates["nccl"] is Verdict.INCONCLUSIVE


def test_warnings_provisional_and_missing_limits_are_counted(tmp_path: Path) -> None:
    warn = Limit(unit="C", source="x", kind="derived", maximum=1, level="warn", provisional=True)
    none = Limit(unit="C", source="x", kind="derived", level="report-only")
    more = [taken("nvlink.t", GPUS[0], 2, limit=warn), taken("nvlink.u", GPUS[0], 2, limit=none)]
    found = result([*healthy(), *more], tmp_path)
    assert found.outcome is Outcome.ACCEPTED
    assert {key: found.counts[key] for key in ("warn", "provisional", "report_only")} == {
        "warn": 1, "provisional": 1, "report_only": 1,
    }  # fmt: skip


def test_reasons_stay_few(tmp_path: Path) -> None:
    rows = [taken(f"nvlink.m{number:02}", GPUS[0], 1, "FAIL") for number in range(30)]
    reasons = result([*healthy(), *rows], tmp_path).reasons
    assert len(reasons) == 12
    assert reasons[-1] == "and 19 more reasons (see record.jsonl)"


verdicts = st.lists(st.sampled_from(list(Verdict)), min_size=6, max_size=6)


@given(verdicts, st.sets(st.integers(0, 5)))
def test_accepted_only_when_everything_was_judged_and_nothing_is_bad(
    given_verdicts: list[Verdict], missing: set[int]
) -> None:
    record = [
        Record(
            id=str(at), test="", gate=row.metric.partition(".")[0], subject=row.subject,
            metric=row.metric, value=1, unit="", verdict=given_verdicts[at], reason="timeout",
        )
        for at, row in enumerate(MANIFEST) if at not in missing
    ]  # fmt: skip
    found = judge_run(record, MANIFEST)
    present = {row.verdict for row in record}
    bad = {Verdict.FAIL, Verdict.INCONCLUSIVE} & present
    good = bool({Verdict.PASS, Verdict.WAIVED} & present)
    assert (found.outcome is Outcome.ACCEPTED) == (not missing and not bad and good)
    said = [reason for reason in found.reasons if not reason.startswith("WAIVED")]
    assert (found.outcome is Outcome.ACCEPTED) == (said == []) or not good
    assert (len(said) < len(found.reasons)) == (Verdict.WAIVED in present)
    assert replace(found.coverage, missing=()).judged == 6 - len(missing)


def test_rows_that_never_ran_are_said_once(tmp_path: Path) -> None:
    rows = [
        *healthy()[:-1],
        taken("nvlink.links_active", GPUS[3], None, "INCONCLUSIVE", reason="not-run"),
    ]
    found = result(rows, tmp_path)
    assert found.outcome is Outcome.INCOMPLETE
    assert found.reasons == ("not judged: 1 of 4 rows of gate nvlink (nvlink.links_active)",)
