"""The run folder is found to be good before any hardware is touched."""

from __future__ import annotations

import errno
import hashlib
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from reports.digest import evidence_digests
from reports.runfolder import RunFolder, RunFolderError, next_run_folder, point, write_durably
from tests.reports.rack import NOW


def test_folder_is_named_by_inventory_and_utc_time(tmp_path: Path) -> None:
    first = next_run_folder(tmp_path, "rack42", NOW)
    assert first == tmp_path / "rack42" / "20260102T030405Z"
    RunFolder.create(first)
    assert next_run_folder(tmp_path, "rack42", NOW).name == "20260102T030405Z-2"


def test_latest_points_to_the_newest(tmp_path: Path) -> None:
    for later in (0, 1):
        path = next_run_folder(tmp_path, "rack42", NOW + timedelta(seconds=later))
        run = RunFolder.create(path, latest=tmp_path / "latest")
        assert (tmp_path / "latest").resolve() == run.path.resolve()
    assert not (tmp_path / "latest").readlink().is_absolute()


def test_latest_that_is_a_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "latest").mkdir()
    with pytest.raises(RunFolderError, match="expected a symbolic link"):
        point(tmp_path / "latest", tmp_path)


def test_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("", encoding="utf-8")
    with pytest.raises(RunFolderError, match=r"run: cannot be made"):
        RunFolder.create(tmp_path / "run")


def test_folder_of_an_earlier_run_is_refused(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    run.record_part("main").write_text("", encoding="utf-8")
    with pytest.raises(RunFolderError, match="holds a run already"):
        RunFolder.create(tmp_path / "run")


def test_read_only_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(RunFolderError, match=r"cannot be written: Read-only.*--run-dir"):
        RunFolder.create(tmp_path / "run")


def test_full_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nearly_full(_: object) -> Any:
        return os.statvfs_result((4096, 4096, 1000, 10, 10, 100, 100, 100, 0, 255))

    monkeypatch.setattr(os, "statvfs", nearly_full)
    with pytest.raises(RunFolderError, match=r"0 MB free on this disk, expected at least 52 MB"):
        RunFolder.create(tmp_path / "run")


def test_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.json"
    write_durably(path, b"old")

    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="full"):
        write_durably(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_evidence_is_signed_for_in_all_its_folders(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    for name in ("b/a.out", "b/c/d.out", "a.out", "SHA256SUMS", "b/SHA256SUMS"):
        (run.evidence / name).parent.mkdir(parents=True, exist_ok=True)
        (run.evidence / name).write_text(name)
    assert list(evidence_digests(run)) == ["a.out", "b/SHA256SUMS", "b/a.out", "b/c/d.out"]
    assert evidence_digests(run)["a.out"] == hashlib.sha256(b"a.out").hexdigest()
