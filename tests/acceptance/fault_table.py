"""Every first fault at several places of a rack, and what the suite said about it.

    python -m tests.acceptance.fault_table --inventory rack42 --places 2 --out table.txt

One run at a time; a line for each, written as soon as it is known. Exit 1 where a line is wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fixtures.model.inventory import Inventory
from fixtures.model.verdicts import Outcome
from reports.record import Record
from tests.acceptance.expected import EXPECTED, places, strays
from tests.acceptance.runs import Run, accept, inventory

SHOWN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One run of the table. `wrong` lists what is not as it has to be; empty is right."""

    fault: str
    run: Run
    wrong: tuple[str, ...]

    def __str__(self) -> str:
        top = self.run.findings[0] if self.run.findings else None
        named = f"{top.part} ({top.confidence})" if top else "nothing"
        verdict = "right" if not self.wrong else f"WRONG: {'; '.join(self.wrong)}"
        return (
            f"{self.fault:<46} {self.run.info.outcome:<10} top: {named:<28} {verdict:<6} "
            f"{self.run.wall_s:6.1f} s  {signals(self.run)}"
        )


def signals(run: Run) -> str:
    """The metrics that failed, and the reasons of what could not be judged, by number of rows."""
    failed = Counter(row.metric for row in run.failed)
    open_rows = Counter(row.reason.partition(":")[0] for row in run.unjudged)
    words = [f"{name} {count}" for name, count in failed.most_common(SHOWN)]
    words += [f"{reason} {count}" for reason, count in open_rows.most_common()]
    return ", ".join(words)


def faulty(kind: str, place: str, bought: Inventory, run: Run) -> Line:
    """The line of a run with one fault."""
    expect = EXPECTED[kind]
    seen: set[str] = {row.metric for row in run.failed} | {row.reason for row in run.unjudged}
    top = run.findings[0].part if run.findings else "nothing"
    wrong = []
    if run.info.outcome != expect.outcome.value or run.exit_status != 1:
        wrong.append(f"expected {expect.outcome} and exit 1, got exit {run.exit_status}")
    if expect.signal not in seen:
        wrong.append(f"{expect.signal} is not among its signals")
    if top not in expect.parts(place, bought):
        wrong.append(f"expected {' or '.join(expect.parts(place, bought))} at the top")
    if len(run.findings) > 1:
        more = ", ".join(one.part for one in run.findings[1:SHOWN])
        wrong.append(f"{len(run.findings)} findings for one fault, also {more}")
    if stray := list(strays(run.rows, place, bought)):
        wrong.append(f"{len(stray)} rows of healthy parts: {_shown(stray[0])}")
    return Line(fault=f"{kind}@{place}", run=run, wrong=tuple(wrong))


def healthy(run: Run) -> Line:
    """The line of a run without faults."""
    wrong = []
    if run.info.outcome != Outcome.ACCEPTED.value or run.exit_status != 0:
        wrong.append(f"expected ACCEPTED and exit 0, got exit {run.exit_status}")
    if bad := [*run.failed, *run.unjudged]:
        wrong.append(f"{len(bad)} rows of healthy parts: {_shown(bad[0])}")
    return Line(fault="healthy", run=run, wrong=tuple(wrong))


def table(bought: Inventory, kinds: Sequence[str], count: int, folder: Path) -> Iterator[Line]:
    """Run healthy once, then every kind at `count` places; yields each line when it is known."""
    marker = bought.products[0]
    yield healthy(accept(marker, bought.name, folder / "healthy"))
    for kind in kinds:
        for number, place in enumerate(places(kind, bought, count)):
            run = accept(marker, bought.name, folder / f"{kind}-{number}", [f"{kind}@{place}"])
            yield faulty(kind, place, bought, run)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.acceptance.fault_table", description=__doc__
    )
    parser.add_argument("--inventory", required=True, metavar="NAME")
    parser.add_argument("--kinds", nargs="+", choices=EXPECTED, default=list(EXPECTED))
    parser.add_argument("--places", type=int, default=2, metavar="N")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the run folders there")
    given = parser.parse_args(arguments)
    bought, right = inventory(given.inventory), True
    with tempfile.TemporaryDirectory() as scratch, given.out.open("w", encoding="utf-8") as out:
        for line in table(bought, given.kinds, given.places, given.keep or Path(scratch)):
            right = right and not line.wrong
            print(line, flush=True)
            print(line, file=out, flush=True)
    return 0 if right else 1


def _shown(row: Record) -> str:
    return f"{row.verdict} {row.metric}@{row.subject} {row.reason} {row.detail[:160]}"


if __name__ == "__main__":
    sys.exit(main())
