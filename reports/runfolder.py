"""The folder of one run: where everything is, and whether it can be written at all.

path = next_run_folder(out, "rack42", now)
run = RunFolder.create(path, latest=out / "latest")     # before any hardware is touched
run = RunFolder(path)                                   # one that is there (a worker, a reader)
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fixtures.model.errors import InventoryError

NEEDED_BYTES = 50 * 1024 * 1024
"""A full NVL576 run writes about 30 MB of evidence and record (measured on the virtual rack)."""

_PART = "record-"


class RunFolderError(InventoryError):
    """A run folder cannot be made, written or read: a usage error, found before a run starts."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Paths of a run's files. Nothing is read or written until it is asked for."""

    path: Path

    @classmethod
    def create(cls, path: Path, *, latest: Path | None = None) -> RunFolder:
        """Make the folder, prove that it can be written, and let `latest` point to it.

        Raises RunFolderError: no folder, not empty of an earlier run, read-only, disk full.
        """
        run = cls(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _error(path, "cannot be made", error) from error
        if run.run_json.exists() or any(run.record_parts()):
            raise RunFolderError(f"{path}: holds a run already; give another folder")
        run.check_writable()
        run.evidence.mkdir(exist_ok=True)
        if latest is not None:
            point(latest, path)
        return run

    def check_writable(self) -> None:
        """Write and remove a small file, and ask for free space; raises RunFolderError."""
        probe = self.path / f".probe-{os.getpid()}"
        try:
            write_durably(probe, b"rackgate\n")
            probe.unlink()
            free = os.statvfs(self.path)
        except OSError as error:
            raise _error(self.path, "cannot be written", error) from error
        available = free.f_bavail * free.f_frsize
        if available < NEEDED_BYTES:
            raise RunFolderError(
                f"{self.path}: {available / 1e6:.0f} MB free on this disk, expected at least "
                f"{NEEDED_BYTES / 1e6:.0f} MB; free some space or give --run-dir=DIR elsewhere"
            )

    @property
    def run_json(self) -> Path:
        return self.path / "run.json"

    @property
    def manifest(self) -> Path:
        return self.path / "manifest.jsonl"

    @property
    def record(self) -> Path:
        return self.path / "record.jsonl"

    @property
    def findings(self) -> Path:
        return self.path / "findings.json"

    @property
    def parts(self) -> Path:
        """What was bought, as far as reports need it: labels, serials, racks."""
        return self.path / "parts.json"

    @property
    def evidence(self) -> Path:
        return self.path / "evidence"

    @property
    def evidence_index(self) -> Path:
        return self.evidence / "index.jsonl"

    @property
    def evidence_sums(self) -> Path:
        return self.evidence / "SHA256SUMS"

    @property
    def allure_results(self) -> Path:
        return self.path / "allure-results"

    @property
    def junit(self) -> Path:
        return self.path / "junit.xml"

    @property
    def signoff_json(self) -> Path:
        return self.path / "signoff.json"

    @property
    def signoff_html(self) -> Path:
        return self.path / "signoff.html"

    def record_part(self, part: str) -> Path:
        """The record of one process (`main`, `gw0`)."""
        return self.path / f"{_PART}{part}.jsonl"

    def record_parts(self) -> list[Path]:
        return sorted(self.path.glob(f"{_PART}*.jsonl"))


def next_run_folder(out: Path, inventory: str, now: datetime) -> Path:
    """A folder name that is not taken: `<out>/<inventory>/<UTC stamp>`, with `-2` and so on."""
    stamp = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    path, number = out / inventory / stamp, 1
    while path.exists():
        number += 1
        path = out / inventory / f"{stamp}-{number}"
    return path


def point(latest: Path, target: Path) -> None:
    """Let the symbolic link `latest` point to a folder, in one step for whoever reads it."""
    if latest.exists() and not latest.is_symlink():
        raise RunFolderError(f"{latest}: expected a symbolic link, found a file or folder; move it")
    fresh = latest.with_name(f".{latest.name}-{os.getpid()}")
    try:
        latest.parent.mkdir(parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(os.path.relpath(target, latest.parent), target_is_directory=True)
        fresh.replace(latest)
    except OSError as error:
        raise _error(latest, "cannot be made to point to the run", error) from error


def write_durably(path: Path, content: bytes) -> None:
    """Write a file in one step: readers see the old content or the new, also after a power cut."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with fresh.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _error(path: Path, what: str, error: OSError) -> RunFolderError:
    return RunFolderError(
        f"{path}: {what}: {error.strerror or error}; give --run-dir=DIR where this user may write"
    )
