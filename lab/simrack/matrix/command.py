"""`python -m lab.simrack matrix`: runs what is missing, prints a line for each, then a summary."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fixtures.model.errors import RackError
from fixtures.model.inventory import Inventory
from fixtures.model.loading import load_inventory
from lab.simrack.faults import LIBRARY
from lab.simrack.matrix import store
from lab.simrack.matrix.jobs import jobs
from lab.simrack.matrix.plan import Cell, Wanted, cells, left_out
from lab.simrack.matrix.store import Line
from lab.simrack.matrix.summary import amiss, summary
from lab.simrack.places import between_racks

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
USAGE_ERROR, INTERRUPTED = 4, 2
MEMORY = Path("/dev/shm")
"""Where run folders are while they are looked at: on a disk they take as long as judging."""


def add_to(commands: Commands) -> None:
    """The options of the commands `matrix` and `summary`."""
    parser = commands.add_parser(
        "matrix", help="hold the suite against faults and healthy racks; resumes FILE"
    )
    parser.add_argument("--inventory", required=True, metavar="NAME")
    parser.add_argument("--kinds", nargs="*", choices=LIBRARY, default=list(LIBRARY),
                        metavar="KIND", help="default: all faults and variants")  # fmt: skip
    parser.add_argument("--between-racks", action="store_true",
                        help="of those, kinds at cables and switches alone")  # fmt: skip
    parser.add_argument("--places", type=int, default=1, metavar="N", help="runs of each kind")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--healthy", type=int, default=1, metavar="N", help="runs without a fault")
    parser.add_argument("--pairs", type=int, default=0, metavar="N", help="two faults at once")
    parser.add_argument("--triples", type=int, default=0, metavar="N", help="three at once")
    parser.add_argument("--ssh-share", type=float, default=0.05, metavar="PART",
                        help="runs in memory that are repeated over SSH")  # fmt: skip
    parser.add_argument("--replay", type=int, default=0, metavar="N",
                        help="runs whose evidence is judged again")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at a time")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep run folders there")
    shown = commands.add_parser("summary", help="what the files of matrices come to, together")
    shown.add_argument("files", nargs="+", type=Path, metavar="FILE")
    shown.add_argument("--json", action="store_true", help="as JSON, with a row for each kind")


def run(options: argparse.Namespace, inventories: Path) -> int:
    """0 where everything is as declared, 1 where something is not, 4 where nothing could be run."""
    try:
        inventory = load_inventory(options.inventory, inventories)
        lines = store.open_file(options.out, store.header(inventory))
    except RackError as error:
        print(error, file=sys.stderr)
        return USAGE_ERROR
    wanted = _wanted(options)
    for kind, reason in left_out(inventory, wanted).items():
        print(f"left out: {kind}: {inventory.name} has {reason}")
    missing = _missing(inventory, wanted, lines)
    scratch = MEMORY if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="matrix-", dir=scratch) as folder:
        try:
            for line in jobs(inventory, missing, options.jobs, Path(folder), options.keep):
                store.append(options.out, line)
                lines = [*(one for one in lines if one.key != line.key), line]
                print(_shown(line), flush=True)
        except KeyboardInterrupt:
            print("interrupted: the same command goes on from here", file=sys.stderr)
            return INTERRUPTED
    print("\n".join(summary({inventory.name: lines})))
    return int(amiss(lines))


def _wanted(options: argparse.Namespace) -> Wanted:
    kinds = [k for k in options.kinds if between_racks(LIBRARY[k]) or not options.between_racks]
    return Wanted(
        kinds=kinds,
        places=options.places,
        seed=options.seed,
        pairs=options.pairs,
        triples=options.triples,
        healthy=options.healthy,
        ssh_share=options.ssh_share,
        replays=options.replay,
    )


def _missing(inventory: Inventory, wanted: Wanted, lines: Sequence[Line]) -> list[Cell]:
    """The runs that the file does not have, or has without the replay that is wanted now."""
    known = {(line.key, line.declared): line for line in lines}
    missing = []
    for cell in cells(inventory, wanted, "memory"):
        line = known.get((cell.key, store.declared(cell.puts)))
        if line is None or (cell.replayed and not line.replay):
            missing.append(cell)
    return missing


def _shown(line: Line) -> str:
    """A run on the terminal: what it was, how it ended, whom it named, and what is wrong."""
    named = line.findings[0] if line.findings else "nothing"
    signals = ", ".join((*line.failed, *line.reasons)) or "-"
    replay = f"  replay: {line.replay}" if line.replay else ""
    wrong = f"  WRONG: {'; '.join(line.wrong)}" if line.wrong else ""
    return (
        f"{line.key:<58} {line.outcome:<10} {line.wall_s:6.1f} s  top: {named:<28} "
        f"{signals}{replay}{wrong}"
    )
