"""What the lines of a matrix come to: rates, bounds, and what nothing saw or nothing made fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fixtures.model.rates import CONFIDENCE, upper_bound
from lab.simrack.matrix.judge import FIRST_FEW
from lab.simrack.matrix.store import Line


def summary(lines: Sequence[Line]) -> list[str]:
    """Lines for the terminal."""
    said = [*_faults(lines), *_healthy(lines), *_several(lines), *_twins(lines)]
    said.append(f"faults that no test saw: {', '.join(unseen(lines)) or 'none'}")
    if any(line.judges for line in lines):
        said.append(f"tests that no fault made fail: {', '.join(idle(lines)) or 'none'}")
    wrong = [line for line in lines if line.wrong]
    said += [f"not as declared: {line.key}: {'; '.join(line.wrong)}" for line in wrong]
    wall_s = sum(line.wall_s for line in lines)
    return [*said, f"{len(lines)} runs, {wall_s:.0f} s; {len(wrong)} not as declared"]


def unseen(lines: Sequence[Line]) -> list[str]:
    """Kinds that at some place no metric saw that must see them."""
    single = [line for line in lines if line.sort == "fault" and not line.caught]
    return sorted({line.kinds[0] for line in single})


def idle(lines: Sequence[Line]) -> list[str]:
    """Tests that judged well in every run."""
    judged = {test for line in lines for test in line.judges}
    return sorted(judged - {test for line in lines for test in line.tests})


def _faults(lines: Sequence[Line]) -> Iterator[str]:
    runs = [line for line in lines if line.sort == "fault" and not line.twin]
    if not runs:
        return
    kinds = {line.kinds[0] for line in runs}
    found = sum(line.caught for line in runs)
    first = sum(line.ranks[0] == 1 for line in runs)
    few = sum(0 < line.ranks[0] <= FIRST_FEW for line in runs)
    yield (
        f"{len(kinds)} kinds, {len(runs)} runs: caught {_share(found, len(runs))}, named first "
        f"{_share(first, len(runs))}, among the first {FIRST_FEW} {_share(few, len(runs))}, "
        f"rows of healthy parts {sum(line.strays for line in runs)}"
    )


def _healthy(lines: Sequence[Line]) -> Iterator[str]:
    for sort, what in (("healthy", "healthy runs"), ("variant", "runs of healthy variants")):
        runs = [line for line in lines if line.sort == sort and not line.twin]
        alarms = sum(line.outcome != "ACCEPTED" for line in runs)
        if runs:
            yield (
                f"{len(runs)} {what}: {alarms} false alarms; with {CONFIDENCE:.0%} confidence the "
                f"rate is below {upper_bound(alarms, len(runs)):.2%}"
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
        for line in runs:
            if not all(line.ranks):
                yield f"  not all named: {line.key}: {', '.join(line.findings[:4])}"


def _twins(lines: Sequence[Line]) -> Iterator[str]:
    """Runs that were made both ways."""
    memory = {_run(line): line for line in lines if line.way == "memory"}
    both = [(memory[_run(line)], line) for line in lines if line.twin and _run(line) in memory]
    if both:
        unequal = [one.key for one, other in both if one.digest != other.digest]
        yield (
            f"{len(both)} runs in memory and over SSH: {len(unequal)} with other verdicts"
            f"{': ' if unequal else ''}{', '.join(unequal)}"
        )


def unequal_twins(lines: Sequence[Line]) -> bool:
    """Whether a run in memory and the same over SSH judged something differently."""
    memory = {_run(line): line.digest for line in lines if line.way == "memory"}
    return any(memory.get(_run(line), line.digest) != line.digest for line in lines if line.twin)


def _run(line: Line) -> tuple[tuple[str, ...], int]:
    return line.faults, line.seed


def _share(count: int, of: int) -> str:
    return f"{count}/{of} ({count / of:.1%})"
