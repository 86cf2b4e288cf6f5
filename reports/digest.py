"""SHA-256 of what a run was made from and of what it wrote."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from reports.runfolder import RunFolder, RunFolderError, write_durably


def file_digest(path: Path) -> str:
    """Raises RunFolderError where the file cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise RunFolderError(f"{path}: cannot be read: {error.strerror}") from error


def digest_of(digests: Mapping[str, str]) -> str:
    """One digest over many files: over the sorted lines `<sha256>  <name>`."""
    return hashlib.sha256(_lines(digests)).hexdigest()


def files_digest(paths: Iterable[Path]) -> str:
    """One digest over files, by their names."""
    return digest_of({path.name: file_digest(path) for path in paths})


def evidence_digests(run: RunFolder) -> dict[str, str]:
    """Every file below evidence/ with its digest, but the list itself.

    Raises RunFolderError for a symbolic link: evidence is what a command printed, not what
    something else holds.
    """
    evidence, its_list = run.evidence, run.evidence_sums.name
    names = sorted(_below(evidence, "")) if evidence.is_dir() else []
    return {name: file_digest(evidence / name) for name in names if name != its_list}


def _below(folder: Path, within: str) -> Iterator[str]:
    """Names of the files in a folder: tens of thousands, for which a Path each takes long."""
    with os.scandir(folder) as entries:
        for entry in entries:
            name = f"{within}{entry.name}"
            if entry.is_symlink():
                raise RunFolderError(f"evidence/{name}: a symbolic link is no evidence")
            if entry.is_dir():
                yield from _below(folder / entry.name, f"{name}/")
            elif entry.is_file():
                yield name


def write_sums(run: RunFolder, digests: Mapping[str, str]) -> None:
    """Write evidence/SHA256SUMS, in the form that `sha256sum -c` reads."""
    write_durably(run.evidence_sums, _lines(digests))


def read_sums(run: RunFolder) -> dict[str, str]:
    """Read evidence/SHA256SUMS; raises RunFolderError with file and line."""
    try:
        lines = run.evidence_sums.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RunFolderError(f"{run.evidence_sums}: cannot be read: {error}") from error
    found: dict[str, str] = {}
    for number, text in enumerate(lines, 1):
        digest, separator, name = text.partition("  ")
        if not separator:
            raise RunFolderError(f"evidence/SHA256SUMS:{number}: expected `<sha256>  <file>`")
        found[name] = digest
    return found


def _lines(digests: Mapping[str, str]) -> bytes:
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode()
