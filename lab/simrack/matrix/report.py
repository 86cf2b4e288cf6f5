"""`python -m lab.simrack summary FILE…`: several matrices together, for people and programs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from fixtures.model.errors import RackError
from fixtures.model.rates import upper_bound
from lab.simrack.matrix import store
from lab.simrack.matrix.store import Line
from lab.simrack.matrix.summary import (
    Matrices,
    amiss,
    idle_metrics,
    idle_tests,
    summary,
    unequal_twins,
    unseen,
)

USAGE_ERROR = 4


def run(options: argparse.Namespace) -> int:
    """0 where everything is as declared, 1 where something is not, 4 where a file is not read."""
    matrices: dict[str, list[Line]] = {}
    try:
        for path in options.files:
            name, lines = store.read_file(path)
            matrices.setdefault(name, []).extend(lines)
    except RackError as error:
        print(error, file=sys.stderr)
        return USAGE_ERROR
    print(as_json(matrices) if options.json else "\n".join(summary(matrices)))
    return int(any(map(amiss, matrices.values())))


def as_json(matrices: Matrices) -> str:
    """Everything that the terminal shows, and a row for each kind and inventory."""
    every = [line for lines in matrices.values() for line in lines]
    document = {
        "runs": len(every),
        "kinds": [row for name, lines in matrices.items() for row in _kinds(name, lines)],
        "accepted": [_accepted(matrices, sort) for sort in ("healthy", "variant")],
        "combinations": [_combined(every, sort) for sort in ("pair", "triple")],
        "faults_unseen": unseen(every),
        "tests_idle": idle_tests(every),
        "metrics_idle": idle_metrics(every),
        "ssh": {
            "runs": sum(line.twin for line in every),
            "unequal": [key for lines in matrices.values() for key in unequal_twins(lines)],
        },
        "replays": {
            "runs": sum(bool(line.replay) for line in every),
            "unequal": [line.key for line in every if line.replay not in ("", "same")],
        },
        "not_as_declared": {line.key: line.wrong for line in every if line.wrong},
    }
    return json.dumps(document, indent=1)


def _kinds(inventory: str, lines: Sequence[Line]) -> list[dict[str, object]]:
    by_kind: dict[str, list[Line]] = {}
    for line in lines:
        if line.sort == "fault" and not line.twin:
            by_kind.setdefault(line.kinds[0], []).append(line)
    return [_kind(inventory, kind, runs) for kind, runs in by_kind.items()]


def _kind(inventory: str, kind: str, runs: Sequence[Line]) -> dict[str, object]:
    return {
        "kind": kind,
        "inventory": inventory,
        "runs": len(runs),
        "caught": sum(run.caught for run in runs),
        "ranks": [run.ranks[0] for run in runs],
        "as_declared": sum(not run.wrong for run in runs),
        "false_rows": sum(run.strays for run in runs),
        "tests": sorted({test for run in runs for test in run.tests}),
        "metrics": sorted({metric for run in runs for metric in run.shown}),
        "wall_s": round(sum(run.wall_s for run in runs), 2),
    }


def _accepted(matrices: Matrices, sort: str) -> dict[str, object]:
    lines = [line for lines in matrices.values() for line in lines]
    runs = [line for line in lines if line.sort == sort and not line.twin]
    alarms = sum(run.outcome != "ACCEPTED" for run in runs)
    bound = upper_bound(alarms, len(runs)) if runs else None
    return {"sort": sort, "runs": len(runs), "false_alarms": alarms, "rate_below": bound}


def _combined(lines: Sequence[Line], sort: str) -> dict[str, object]:
    runs = [line for line in lines if line.sort == sort and not line.twin]
    return {
        "sort": sort,
        "runs": len(runs),
        "outcome_right": sum(not run.wrong for run in runs),
        "all_named": sum(all(run.ranks) for run in runs),
    }
