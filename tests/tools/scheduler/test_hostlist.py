"""Slurm's host lists, spelt out; what would not fit into memory is refused unexpanded."""

from __future__ import annotations

import time

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.scheduler.hostlist import expand


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", "n1"),
        ("grp[10,11]", "grp10 grp11"),
        ("tux[0-2,12],x", "tux0 tux1 tux2 tux12 x"),
        ("node[08-11]", "node08 node09 node10 node11"),
        ("r[0-1]n[1-2]", "r0n1 r0n2 r1n1 r1n2"),
        ("switch.2.[1-2]", "switch.2.1 switch.2.2"),
        ("185ccb815910fcd0,unknown", "185ccb815910fcd0 unknown"),
        ("b,a", "b a"),
        ("n[3,1]", "n3 n1"),
        ("n[9-11]a[1-2]0", "n9a10 n9a20 n10a10 n10a20 n11a10 n11a20"),
        (f"n[1-2]{'9' * 40}", f"n1{'9' * 40} n2{'9' * 40}"),
        ("(null)", ""),
        ("", ""),
    ],
)
def test_lists_are_spelt_out(text: str, names: str) -> None:
    assert expand(text, "t") == tuple(names.split())


@pytest.mark.parametrize(
    "bomb", ["n[1-999999999]", "n[0-999]m[0-999]", "[0-99]" * 9, ",".join(["n[0-99998]"] * 2)]
)
def test_a_list_too_long_is_refused_at_once(bomb: str) -> None:
    start = time.monotonic()
    with pytest.raises(Unreadable, match="more than 100000"):
        expand(bomb, "t")
    assert time.monotonic() - start < 0.5


@pytest.mark.parametrize(
    "text",
    ["n[1-3", "n1]", "n[]", "n[3-1]", "a,,b", "n[[1]]", "@all", "n[a-c]", "a b", "n*", "a!b"],
)
def test_what_is_no_list_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        expand(text, "t")
