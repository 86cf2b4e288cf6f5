"""`python -m reports verify|signoff RUN`: look at a finished run folder again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from fixtures.model.errors import InventoryError
from reports.close import close_run
from reports.digest import file_digest
from reports.run import RunInfo, read_run
from reports.runfolder import RunFolder
from reports.signoff import sign
from reports.verify import content_problems, digest_problems, problems

SHOWN = 40


def main(arguments: Sequence[str] | None = None) -> int:
    """0: sound. 1: the folder was changed or does not agree with itself. 2: wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m reports", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, words in (
        ("verify", "judge every row again and compare every digest"),
        ("signoff", "write signoff.html and signoff.json again from the folder"),
    ):
        command = commands.add_parser(name, help=words, description=words)
        command.add_argument("run", metavar="RUN", type=Path, help="a run folder")
    given = parser.parse_args(arguments)
    run = RunFolder(given.run)
    if not run.run_json.is_file():
        parser.error(f"{given.run} is no run folder: it has no run.json")
    try:
        return verify(run) if given.command == "verify" else signoff(run)
    except InventoryError as error:
        return _refuse(run, [str(error)])


def verify(run: RunFolder) -> int:
    found = problems(run)
    if found:
        return _refuse(run, found)
    info = read_run(run)
    print(
        f"verified: {_outcome(info)}, {info.coverage.get('judged')} of "
        f"{info.coverage.get('expected')} rows judged; signoff.json sha256 "
        f"{file_digest(run.signoff_json)}"
    )
    return 0


def signoff(run: RunFolder) -> int:
    """Sign a folder again; one that was changed since it was signed is refused."""
    info = read_run(run)
    if not info.ended:
        close_run(run, ended=datetime.now(UTC), unfinished="its controller died before the end")
    else:
        if found := [*content_problems(run), *_changed(run)]:
            return _refuse(run, found)
        sign(run)
    info = read_run(run)
    print(f"signed: {_outcome(info)}; {run.signoff_html}")
    return 0


def _changed(run: RunFolder) -> list[str]:
    """What differs from an earlier sign-off, apart from the page, which is made again."""
    if not run.signoff_json.is_file():
        return []
    if not run.signoff_html.is_file():
        run.signoff_html.touch()
    return [text for text in digest_problems(run) if not text.startswith(run.signoff_html.name)]


def _outcome(info: RunInfo) -> str:
    return f"{info.outcome}{' (SIMULATED)' if info.simulated else ''} {info.inventory}"


def _refuse(run: RunFolder, found: Sequence[str]) -> int:
    print(f"NOT verified: {run.path}", file=sys.stderr)
    for text in found[:SHOWN]:
        print(f"  {text}", file=sys.stderr)
    if len(found) > SHOWN:
        print(f"  and {len(found) - SHOWN} more", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
