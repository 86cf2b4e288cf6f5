"""What the lines of matrices come to: rates, bounds, and what nothing saw or nothing made fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median

from fixtures.model.rates import CONFIDENCE, upper_bound
from lab.simrack.matrix.judge import FIRST_FEW
from lab.simrack.matrix.store import Line

Matrices = Mapping[str, Sequence[Line]]
"""Lines by inventory."""
HEAD = (
    f"{'area':<12}{'kinds':>7}{'runs':>7}{'caught':>8}{'first':>7}{f'first {FIRST_FEW}':>9}"
    f"{'declared':>10}{'false rows':>12}{'wall s':>8}"
)


def summary(matrices: Matrices) -> list[str]:
    """Lines for the terminal: a table by area, what else was run, then everything that is amiss."""
    every = [line for lines in matrices.values() for line in lines]
    said = [*_faults(every), *_healthy(matrices), *_several(every), *_checked(matrices)]
    said.append(f"faults that no test saw: {', '.join(unseen(every)) or 'none'}")
    if any(line.judges for line in every):
        said.append(f"tests that no fault made fail: {', '.join(idle_tests(every)) or 'none'}")
        said.append(f"metrics that no fault made fail: {', '.join(idle_metrics(every)) or 'none'}")
    said += list(_misses(matrices))
    wrong = sum(bool(line.wrong) for line in every)
    wall_s = sum(line.wall_s for line in every)
    return [*said, f"{len(every)} runs, {wall_s:.0f} s; {wrong} not as declared"]


def amiss(lines: Sequence[Line]) -> bool:
    """Whether anything is not as it is declared, or not the same when it is done again."""
    odd = any(line.wrong or line.replay not in ("", "same") for line in lines)
    return odd or bool(unequal_twins(lines))


def unseen(lines: Sequence[Line]) -> list[str]:
    """Kinds that at some place no metric saw that must see them."""
    single = [line for line in lines if line.sort == "fault" and not line.caught]
    return sorted({line.kinds[0] for line in single})


def idle_tests(lines: Sequence[Line]) -> list[str]:
    """Tests that no fault made fail."""
    return _idle(lines, lambda line: line.judges, lambda line: line.tests)


def idle_metrics(lines: Sequence[Line]) -> list[str]:
    """Metrics that no fault made fail."""
    return _idle(lines, lambda line: line.judged, lambda line: line.shown)


def _idle(
    lines: Sequence[Line],
    judged: Callable[[Line], Iterable[str]],
    shown: Callable[[Line], Iterable[str]],
) -> list[str]:
    moved = {one for line in lines for one in shown(line)}
    return sorted({one for line in lines for one in judged(line)} - moved)


def _faults(lines: Sequence[Line]) -> Iterator[str]:
    runs = [line for line in lines if line.sort == "fault" and not line.twin]
    if not runs:
        return
    yield HEAD
    areas: dict[str, list[Line]] = {}
    for line in runs:
        areas.setdefault(line.kinds[0].partition(".")[0], []).append(line)
    for area in sorted(areas):
        yield _row(area, areas[area])
    yield _row("all", runs)
    caught, first, few = _counts(runs)
    yield (
        f"{len({line.kinds[0] for line in runs})} kinds, {len(runs)} runs: "
        f"caught {_share(caught, len(runs))}, named first {_share(first, len(runs))}, "
        f"among the first {FIRST_FEW} {_share(few, len(runs))}"
    )


def _row(area: str, runs: Sequence[Line]) -> str:
    caught, first, few = _counts(runs)
    kinds, declared = len({line.kinds[0] for line in runs}), sum(not line.wrong for line in runs)
    return (
        f"{area:<12}{kinds:>7}{len(runs):>7}{caught:>8}{first:>7}{few:>9}{declared:>10}"
        f"{sum(line.strays for line in runs):>12}{median(line.wall_s for line in runs):>8.1f}"
    )


def _counts(runs: Sequence[Line]) -> tuple[int, int, int]:
    """How many were caught, and in how many the right part stands first, or among the first."""
    ranks = [line.ranks[0] for line in runs]
    return (
        sum(line.caught for line in runs),
        sum(rank == 1 for rank in ranks),
        sum(0 < rank <= FIRST_FEW for rank in ranks),
    )


def _healthy(matrices: Matrices) -> Iterator[str]:
    for sort, what in (("healthy", "healthy runs"), ("variant", "runs of healthy variants")):
        by_name = {
            name: [line for line in lines if line.sort == sort and not line.twin]
            for name, lines in matrices.items()
        }
        runs = [line for lines in by_name.values() for line in lines]
        alarms = sum(line.outcome != "ACCEPTED" for line in runs)
        if runs:
            where = ", ".join(f"{len(lines)} {name}" for name, lines in by_name.items() if lines)
            yield (
                f"{len(runs)} {what} ({where}): {alarms} false alarms; with {CONFIDENCE:.0%} "
                f"confidence the rate is below {upper_bound(alarms, len(runs)):.2%}"
            )


def _several(lines: Sequence[Line]) -> Iterator[str]:
    for sort in ("pair", "triple"):
        runs = [line for line in lines if line.sort == sort and not line.twin]
        if not runs:
            continue
        right = sum(not line.wrong for line in runs)
        named = sum(all(line.ranks) for line in runs)
        few = sum(all(0 < rank <= FIRST_FEW for rank in line.ranks) for line in runs)
        yield (
            f"{len(runs)} {sort}s at once: outcome right {_share(right, len(runs))}, all named "
            f"{_share(named, len(runs))}, all among the first {FIRST_FEW} {_share(few, len(runs))}"
        )


def _checked(matrices: Matrices) -> Iterator[str]:
    """What was done twice: over SSH as well as in memory, and replayed."""
    every = [line for lines in matrices.values() for line in lines]
    if twins := sum(line.twin for line in every):
        unequal = sum(len(unequal_twins(lines)) for lines in matrices.values())
        yield f"{twins} runs in memory and over SSH: {unequal} with other verdicts"
    if replays := [line for line in every if line.replay]:
        same = sum(line.replay == "same" for line in replays)
        yield f"{len(replays)} runs replayed: {same} with the same rows and findings"


def unequal_twins(lines: Sequence[Line]) -> list[str]:
    """Runs over SSH that judged something otherwise than the same in memory."""
    memory = {_run(line): line.digest for line in lines if line.way == "memory"}
    twins = [line for line in lines if line.twin]
    return [line.key for line in twins if memory.get(_run(line), line.digest) != line.digest]


def _misses(matrices: Matrices) -> Iterator[str]:
    for name, lines in matrices.items():
        for line in lines:
            if line.wrong:
                yield f"not as declared: {name}: {line.key}: {'; '.join(line.wrong)}"
            elif line.sort in ("pair", "triple") and not all(line.ranks):
                yield f"not all named: {name}: {line.key}: {', '.join(line.findings[:4])}"
            if line.replay not in ("", "same"):
                yield f"replayed otherwise: {name}: {line.key}: {line.replay}"
        yield from (f"other verdicts over SSH: {name}: {key}" for key in unequal_twins(lines))


def _run(line: Line) -> tuple[tuple[str, ...], int]:
    return line.faults, line.seed


def _share(count: int, of: int) -> str:
    return f"{count}/{of} ({count / of:.1%})"
