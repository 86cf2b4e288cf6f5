"""Coverage-guided fuzzing of the readers: `python -m tests.tools.fuzz --seconds 60 [READER ...]`.

Needs atheris (`make fuzz` installs it). Each reader runs in a process of its own, from its captures
and, where the folder is there, from real samples. Inputs that made it fail are kept and named.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fixtures.tools.readers import READERS
from tests.tools.captures import seeds
from tests.tools.corpus.entries import CORPUS, entries
from tests.tools.damage import PIECES

MAX_INPUT_BYTES = 65536
_DONE = re.compile(r"Done (\d+) runs in (\d+) second")
_AT = re.compile(r"^#(\d+)\s.*cov: (\d+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Fuzzed:
    reader: str
    runs: int
    branches: int
    ok: bool
    said: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reader", nargs="*", help="readers to fuzz (default: all)")
    parser.add_argument("--seconds", type=int, default=20, help="for each reader (default 20)")
    parser.add_argument("--keep", type=Path, default=Path("reports/out/fuzz"), help="for crashes")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    failed = 0
    for reader in options.reader or sorted(READERS):
        found = fuzz(reader, options.seconds, options.keep)
        failed += not found.ok
        print(
            f"{reader:24} {found.runs:9} runs {found.branches:6} branches  {found.said}", flush=True
        )
    print(f"{failed} readers failed" if failed else "no reader failed")
    return min(failed, 1)


def fuzz(reader: str, seconds: int, keep: Path) -> Fuzzed:
    """Fuzz one reader in a child process."""
    with tempfile.TemporaryDirectory(prefix="rackgate-fuzz-") as folder:
        inputs, words = Path(folder, "inputs"), Path(folder, "words")
        _write_seeds(reader, inputs)
        words.write_text("".join(f'"{_escaped(piece)}"\n' for piece in PIECES if len(piece) < 40))
        child = subprocess.run(
            [
                *(sys.executable, "-m", "tests.tools.fuzz_one", reader, str(inputs)),
                *(f"-max_total_time={seconds}", f"-max_len={MAX_INPUT_BYTES}", f"-dict={words}"),
                *(f"-artifact_prefix={folder}/", "-timeout=20", "-rss_limit_mb=4096"),
            ],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        crash = next(iter(sorted(Path(folder).glob("*-*"))), None)
        kept = shutil.copy(crash, keep / f"{reader}-{crash.name}") if crash else None
    done, at = _DONE.search(child.stderr), _AT.findall(child.stderr)
    return Fuzzed(
        reader=reader,
        runs=int(done[1]) if done else int(at[-1][0]) if at else 0,
        branches=int(at[-1][1]) if at else 0,
        ok=child.returncode == 0,
        said=_said(child, kept),
    )


def _said(child: subprocess.CompletedProcess[str], kept: object) -> str:
    if not child.returncode:
        return "ok"
    words = [line for line in child.stdout.splitlines() if line.strip()][-3:]
    return f"FAILED ({kept}): {' | '.join(words)[:300] or child.stderr[-300:]}"


def _write_seeds(reader: str, folder: Path) -> None:
    folder.mkdir()
    found = seeds(reader)
    if CORPUS.is_dir():
        found += [CORPUS / entry.sample for entry in entries() if entry.reader == reader]
    for number, path in enumerate(found):
        (folder / str(number)).write_bytes(path.read_bytes()[:MAX_INPUT_BYTES])


def _escaped(piece: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in piece.encode())


if __name__ == "__main__":
    raise SystemExit(main())
