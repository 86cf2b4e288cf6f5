"""How often the test for stragglers calls a good part bad, and how often it finds a bad one.

Populations are drawn from a seed: healthy parts scatter round 1 with a standard deviation of
`spread`, in several shapes, and the straggler is `low` below what it would have been. Values are
better when higher, and skewed shapes have their tail at the bad side, which is the harder one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from fixtures.analysis.outliers import THRESHOLD, Array, scores
from fixtures.model.rates import upper_bound

SIZES = (5, 8, 16, 18, 72, 288, 576, 1728)
SPREADS = (0.002, 0.005, 0.01, 0.02)
AT_ONCE = 2_000_000
Draw = Callable[[np.random.Generator, tuple[int, int]], Array]
SHAPES: Mapping[str, Draw] = {
    "normal": lambda chance, shape: chance.standard_normal(shape),
    "uniform": lambda chance, shape: chance.uniform(-(3**0.5), 3**0.5, shape),
    "laplace": lambda chance, shape: chance.laplace(0.0, 0.5**0.5, shape),
    "t3": lambda chance, shape: chance.standard_t(3, shape) / 3**0.5,
    "gamma": lambda chance, shape: (4.0 - chance.gamma(4.0, 1.0, shape)) / 2.0,
    "exponential": lambda chance, shape: 1.0 - chance.exponential(1.0, shape),
    "rounded": lambda chance, shape: np.round(chance.standard_normal(shape)),
}
"""Shapes with a mean near 0 and a standard deviation of 1. `t3` has a power-law tail; `rounded` is
normal, rounded to steps of one standard deviation."""


def false_alarms(shape: str, *, size: int, spread: float, populations: int, seed: int) -> int:
    """Healthy populations in which some part is called an outlier."""
    return sum(
        int(hits.any(axis=-1).sum()) for hits in _hits(shape, size, spread, populations, seed)
    )


def power(
    shape: str, *, size: int, spread: float, low: float, populations: int, seed: int
) -> float:
    """The share of populations in which the one straggler is found."""
    hits = _hits(shape, size, spread, populations, seed, low)
    return sum(int(found[:, 0].sum()) for found in hits) / populations


def _hits(
    shape: str, size: int, spread: float, populations: int, seed: int, low: float = 0.0
) -> Iterator[np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]:
    chance = np.random.default_rng([seed, size, round(1e6 * spread), *shape.encode()])
    left = populations
    while left > 0:
        rows = min(left, max(1, AT_ONCE // size))
        values = 1.0 + spread * SHAPES[shape](chance, (rows, size))
        values[:, 0] *= 1.0 - low
        yield scores(values, higher_is_better=True) > THRESHOLD
        left -= rows


def report(populations: int, seed: int) -> str:
    """Both tables, in Markdown."""
    return "\n".join([*_alarm_lines(populations, seed), "", *_power_lines(populations, seed)])


def _alarm_lines(populations: int, seed: int) -> Iterator[str]:
    bound = upper_bound(0, populations)
    yield f"False alarms per population ({populations} each; none: below {bound:.1e} at 95 %)"
    yield ""
    yield "| spread | parts | " + " | ".join(SHAPES) + " |"
    yield "|---|---|" + "---|" * len(SHAPES)
    for spread in SPREADS:
        for size in SIZES:
            counts = [
                false_alarms(shape, size=size, spread=spread, populations=populations, seed=seed)
                for shape in SHAPES
            ]
            rates = [f"{count / populations:.1e}" if count else "0" for count in counts]
            yield f"| {spread:.1%} | {size} | " + " | ".join(rates) + " |"


def _power_lines(populations: int, seed: int) -> Iterator[str]:
    few = min(populations, 2000)
    yield f"Stragglers found among normal peers ({few} populations each)"
    yield ""
    yield "| spread | parts | 6 % low | 10 % low | 15 % low | 25 % low |"
    yield "|---|---|---|---|---|---|"
    for spread in SPREADS:
        for size in SIZES:
            shares = [
                power("normal", size=size, spread=spread, low=low, populations=few, seed=seed)
                for low in (0.06, 0.1, 0.15, 0.25)
            ]
            yield f"| {spread:.1%} | {size} | " + " | ".join(f"{s:.1%}" for s in shares) + " |"
