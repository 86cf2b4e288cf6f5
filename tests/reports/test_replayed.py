"""A replay says that it is one, takes over what its source says of itself, and is never signed."""

from __future__ import annotations

from pathlib import Path

from reports.close import close_run, open_run
from reports.run import read_run
from reports.runfolder import RunFolder
from reports.signoff import not_signable
from reports.terminal import note_lines, outcome_line
from tests.reports.rack import MANIFEST, NOW, healthy, mini, real, run_of


def replayed(tmp_path: Path, source: Path) -> RunFolder:
    run = RunFolder.create(tmp_path / "again")
    inventory = real(tmp_path / "bought")
    open_run(run, inventory, MANIFEST, command=["pytest"], started=NOW, replay=source)
    return run


def test_lab_evidence_stays_simulated_without_the_labs_inventory(tmp_path: Path) -> None:
    source = run_of(tmp_path / "run", mini(tmp_path / "lab"), healthy())
    info = read_run(replayed(tmp_path, source.run.path))
    assert info.simulated
    assert info.replay_of["folder"] == "run"
    assert info.replay_edited == []


def test_a_replay_is_never_signed(tmp_path: Path) -> None:
    source = run_of(tmp_path / "run", real(tmp_path / "bought2"), healthy())
    assert not not_signable(source.info)
    run = replayed(tmp_path, source.run.path)
    closed = close_run(run, ended=NOW)
    assert any("replay" in reason for reason in not_signable(closed.info))
    assert "(REPLAY)" in outcome_line(closed.info, closed.result, closed.topology)


def test_edited_evidence_is_named(tmp_path: Path) -> None:
    lab = mini(tmp_path / "lab")
    source = RunFolder.create(tmp_path / "run")
    (source.evidence / "r01-ct01").mkdir()
    kept = source.evidence / "r01-ct01" / "1-date.out"
    kept.write_text("1\n", encoding="utf-8")
    open_run(source, lab, MANIFEST, command=["pytest"], started=NOW)
    close_run(source, ended=NOW)
    kept.write_text("2\n", encoding="utf-8")
    run = replayed(tmp_path, source.path)
    closed = close_run(run, ended=NOW)
    assert list(closed.info.replay_edited) == ["r01-ct01/1-date.out"]
    assert any("1-date.out" in line for line in note_lines(closed.info, closed.result))
