"""The table that nccl-tests prints: a row for each size and cycle, and the closing lines.

The layout is that of release 2.17. Before 2.13 the last column of a half was the largest difference
(`error`), and only what was too large was counted, in the closing lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ELEMENT_BYTES = 4
ROUNDING = 1e-06
"""What sums of floating point numbers differ by: the old layout printed it."""
COLLECTIVES: Mapping[str, tuple[float, bool]] = {
    "all_reduce_perf": (2.0, True),
    "all_gather_perf": (1.0, False),
    "reduce_scatter_perf": (1.0, True),
    "alltoall_perf": (1.0, False),
}
"""Program: busbw is algbw times this times (n-1)/n, and whether it reduces. nccl-tests,
doc/PERFORMANCE.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A row: the bus bandwidths out of place and in place, GB/s, and the wrong values of each."""

    size: int
    busbw: tuple[float, float]
    wrong: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What a job measured. `old` is the layout before 2.13."""

    program: str
    ranks: int
    check: bool
    old: bool = False

    @property
    def factor(self) -> float:
        return COLLECTIVES[self.program][0] * (self.ranks - 1) / self.ranks

    def text(self, rows: Sequence[Measured]) -> str:
        """The table with its closing lines."""
        lines = [self._head(), *map(self._row, rows)]
        bad = sum(row.wrong * len(row.busbw) for row in rows)
        cells = [busbw for row in rows for busbw in row.busbw]
        mean = sum(cells) / len(cells) if self.factor and cells else 0.0
        lines.append(f"# Out of bounds values : {bad} {'FAILED' if bad else 'OK'}\n")
        lines.append(f"# Avg bus bandwidth    : {mean:g} \n#\n")
        if not self.old:
            lines.append(f"# Collective test concluded: {self.program}\n")
        return "".join(lines)

    def _row(self, row: Measured) -> str:
        redop = "sum" if COLLECTIVES[self.program][1] else "none"
        count = row.size // ELEMENT_BYTES
        if self.program != "all_reduce_perf":
            count //= self.ranks
        halves = "".join(self._half(row.size, busbw, row.wrong) for busbw in row.busbw)
        root = "" if self.old else "      -1"
        return f"{row.size:12d}  {count:12d}     float  {redop:>6}{root}{halves}\n"

    def _half(self, size: int, busbw: float, wrong: int) -> str:
        algbw = busbw / self.factor if self.factor else busbw
        shown = busbw if self.factor else 0.0
        micros = size / algbw / 1e3
        return (
            f"  {_number(micros, 7)}  {_number(algbw, 6)}  {_number(shown, 6)}  "
            f"{self._checked(wrong)}"
        )

    def _checked(self, wrong: int) -> str:
        if not self.check:
            return "   N/A"
        if self.old:
            return f"{float(wrong) + ROUNDING:6.0e}"
        return f"{float(wrong):6g}"

    def _head(self) -> str:
        last = "error" if self.old else "#wrong"
        names = ["size", "count", "type", "redop", *([] if self.old else ["root"])]
        widths = (10, 12, 8, 6, 6)
        left = "  ".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=False))
        units = ["(B)", "(elements)", *[""] * (len(names) - 2)]
        below = "  ".join(f"{unit:>{width}}" for unit, width in zip(units, widths, strict=False))
        group = "  {:>7}  {:>6}  {:>6}  {:>6}"
        first, second = (
            group.format("time", "algbw", "busbw", last),
            group.format("(us)", "(GB/s)", "(GB/s)", ""),
        )
        blank = " " * len(left)
        return (
            f"#\n# {blank}           out-of-place                       in-place          \n"
            f"# {left}{first}{first} \n# {below}{second}{second} \n"
        )


def _number(value: float, width: int) -> str:
    """As many decimals as fit: two, one, or none."""
    for decimals in (2, 1, 0):
        text = f"{value:{width}.{decimals}f}"
        if len(text) <= width:
            return text
    return f"{value:{width}.1e}"
