"""A folder that was edited is refused, with the file and the row."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fixtures.model.measurement import Limit
from reports.__main__ import main
from reports.close import open_run
from reports.record import RecordWriter
from reports.runfolder import RunFolder
from reports.signoff import sign
from reports.verify import problems
from tests.reports.rack import GPUS, HOSTS, LINKS, MANIFEST, NOW, healthy, mini, run_of, taken

Edit = Callable[[RunFolder], None]


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    rows = [*healthy()[:-1], taken("nvlink.links_active", GPUS[3], 17, "FAIL")]
    return run_of(tmp_path / "run", mini(tmp_path), rows).run


def edit_row(run: RunFolder, at: int, **changes: object) -> None:
    lines = run.record.read_text(encoding="utf-8").splitlines()
    lines[at] = json.dumps(json.loads(lines[at]) | changes)
    run.record.write_text("\n".join(lines) + "\n", encoding="utf-8")


def edit_json(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes), encoding="utf-8")


def test_untouched_folder_is_verified(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(run.path)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("verified: REJECTED (SIMULATED) mini, 6 of 6 rows judged; signoff")


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda run: edit_row(run, 5, verdict="PASS"), "record.jsonl:6: nvlink.links_active at"),
        (lambda run: edit_row(run, 5, value=18), "says FAIL, but 18 links against"),
        (lambda run: edit_row(run, 5, subject=GPUS[2]), "record.jsonl:6: nvlink.links_active at"),
        (lambda run: edit_row(run, 5, limit=None), "cannot be judged again: there is no limit"),
        (lambda run: edit_row(run, 5, value=None), "FAIL without a value"),
        (lambda run: edit_row(run, 0, evidence=["e1"]), "record.jsonl: changed after it was"),
        (lambda run: edit_row(run, 0, verdict="BAD"), "record.jsonl:1: verdict or level"),
        (lambda run: edit_row(run, 0, reason="", verdict="INCONCLUSIVE"), "without a reason"),
        (lambda run: run.record.unlink(), "record.jsonl: cannot be read"),
        (lambda run: edit_json(run.run_json, outcome="ACCEPTED"), "run.json: outcome is ACCEPTED"),
        (lambda run: edit_json(run.run_json, simulated=False), "signoff.json: simulated is True"),
        (lambda run: edit_json(run.run_json, seed=9), "run.json: changed after it was signed"),
        (lambda run: edit_json(run.signoff_json, signable=True), "signoff.json: signable is True"),
        (lambda run: run.signoff_json.unlink(), "signoff.json: missing"),
        (lambda run: run.signoff_html.write_text("ACCEPTED"), "signoff.html: changed"),
        (lambda run: run.findings.write_text("[]"), "findings.json: changed after"),
        (lambda run: run.manifest.write_text(""), "run.json: outcome_reasons is"),
        (lambda run: (run.evidence / HOSTS[0] / "1-nvidia-smi.out").write_text("x"),
         "evidence/r01-ct01/1-nvidia-smi.out: changed after it was signed"),
        (lambda run: (run.evidence / HOSTS[0] / "1-nvidia-smi.out").unlink(),
         "evidence/r01-ct01/1-nvidia-smi.out: signed for, but not there"),
        (lambda run: (run.evidence / "more.out").write_text("x"),
         "evidence/more.out: there, but not signed for"),
        (lambda run: (run.evidence / "more.out").symlink_to("/dev/null"), "a symbolic link"),
    ],
)  # fmt: skip
def test_edited_folder_is_refused(
    run: RunFolder, edit: Edit, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(run)
    assert main(["verify", str(run.path)]) == 1
    printed = capsys.readouterr().err
    assert printed.startswith("NOT verified: ")
    assert said in printed


def test_row_that_stands_twice_is_refused(run: RunFolder) -> None:
    lines = run.record.read_text(encoding="utf-8").splitlines(keepends=True)
    run.record.write_text("".join([*lines, lines[0]]), encoding="utf-8")
    assert any("record.jsonl:7: id" in text for text in problems(run))


def test_evidence_that_no_index_knows_is_refused(run: RunFolder) -> None:
    run.evidence_index.write_text('{"id":"e1"}\n', encoding="utf-8")
    edit_row(run, 0, evidence=["e1"])
    edit_row(run, 1, evidence=["e2"])
    assert [text for text in problems(run) if "no evidence" in text] == [
        "record.jsonl:2: reach.ssh at r01-ct02: no evidence e2 in the index"
    ]


def test_signing_again_does_not_cover_an_edit_up(
    run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    edit_row(run, 5, value=18, verdict="PASS")
    assert main(["signoff", str(run.path)]) == 1
    assert "record.jsonl: changed after it was signed" in capsys.readouterr().err


def test_page_can_be_made_again(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    run.signoff_html.unlink()
    assert main(["signoff", str(run.path)]) == 0
    assert capsys.readouterr().out.startswith("signed: REJECTED (SIMULATED) mini")
    assert problems(run) == []


def test_warning_peer_and_missing_limits_verify(tmp_path: Path) -> None:
    warn = Limit(unit="C", source="x", kind="derived", maximum=1, level="warn")
    none = Limit(unit="C", source="x", kind="derived", level="report-only")
    outlier = replace(
        taken("nvlink.w", GPUS[0], 20, "FAIL", limit=LINKS), peer={"median": 30.0, "score": 9.0}
    )
    rows = [*healthy(), taken("nvlink.t", GPUS[0], 2, limit=warn),
            taken("nvlink.u", GPUS[0], 2, limit=none), outlier,
            taken("nvlink.v", GPUS[0], None, "NOT_APPLICABLE")]  # fmt: skip
    assert problems(run_of(tmp_path / "run", mini(tmp_path), rows).run) == []


def test_false_is_judged_as_false(tmp_path: Path) -> None:
    limit = Limit(unit="", source="x", kind="derived", equals=(False,))
    rows = [*healthy(), taken("nvlink.hung", GPUS[0], False, limit=limit)]
    assert problems(run_of(tmp_path / "run", mini(tmp_path), rows).run) == []


def test_run_whose_controller_died_is_closed_as_incomplete(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = RunFolder.create(tmp_path / "run")
    inventory = mini(tmp_path)
    open_run(run, inventory, MANIFEST, command=["pytest"], started=NOW)
    writer = RecordWriter(run, "main", inventory)
    for row in healthy():
        writer.write(row)
    writer.close()
    assert main(["verify", str(run.path)]) == 1
    assert main(["signoff", str(run.path)]) == 0
    assert "signed: INCOMPLETE (SIMULATED) mini" in capsys.readouterr().out
    assert main(["verify", str(run.path)]) == 0


def test_folder_that_is_no_run_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["verify", str(tmp_path)])


def test_signature_is_over_what_is_there(run: RunFolder) -> None:
    signed = sign(run)
    assert problems(run) == []
    assert signed["not_signable"][0].startswith("the run was SIMULATED")
