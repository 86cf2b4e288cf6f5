"""Parts, waivers, faults and suggestions."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.model.errors import InventoryError
from fixtures.model.lab import parse_fault
from fixtures.model.parts import PART, common, contains, ends, host_of, pair, path
from fixtures.model.suggest import did_you_mean
from fixtures.model.waivers import Waivers, load_waivers
from tests.model.tiny import load

PARTS = st.lists(st.sampled_from(["r01", "ct1", "gpu2", "link5", "1"]), min_size=1, max_size=4).map(
    "/".join
)
TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    "part",
    [
        "r03-ct07",
        "r03-ct07/gpu2/link5",
        "r03-ct07/mlx5_2/1",
        "leaf-r0-1/33",
        "cable:C0417",
        "a.b_c",
    ],
)
def test_a_part_is_a_path(part: str) -> None:
    assert PART.match(part)


@pytest.mark.parametrize("part", ["", "/a", "a/", "a//b", "a b", "a\n", "a->b", "-a", "A:b", "é"])
def test_nothing_else_is_a_part(part: str) -> None:
    assert not PART.match(part)


@given(PARTS, PARTS)
def test_paths_and_pairs(a: str, b: str) -> None:
    assert ends(pair(a, b)) == (a, b)
    assert ends(a) == (a,)
    levels = list(path(a))
    assert (levels[0], levels[-1]) == (host_of(a), a)
    assert all(contains(level, a) for level in levels)
    assert contains(a, b) == (a in path(b))


@given(st.lists(PARTS, max_size=4))
def test_the_innermost_part_that_holds_all(parts: list[str]) -> None:
    found = common(parts)
    shared = set.intersection(*(set(path(part)) for part in parts)) if parts else set()
    assert found == max(shared, key=len, default=None)


def test_a_name_is_no_prefix_of_another() -> None:
    assert not contains("ct1", "ct10/gpu0")
    assert not contains("ct1/mlx5_1", "ct1/mlx5_10/1")
    assert common(["ct1/gpu1", "ct1/gpu10"]) == "ct1"


def test_suggestions_are_the_nearest_or_none() -> None:
    assert (
        did_you_mean("rakc42", ["rack42", "rack7", "hgx8"]) == "; did you mean 'rack42' or 'rack7'?"
    )
    assert did_you_mean("zzz", ["rack42"]) == ""


WAIVER = """waivers:
  - metric: gpu.clock
    part: ct1/gpu0
    reason: ordered
    owner: somebody
    expires: 2026-12-01
"""


def waivers(folder: Path, old: str = "", new: str = "", today: date = TODAY) -> Waivers:
    inventory = load(folder)
    file = folder / "waivers.yaml"
    file.write_text(WAIVER.replace(old, new) if old else WAIVER + new, encoding="utf-8")
    return load_waivers(file, inventory, today)


@pytest.mark.parametrize(
    ("part", "subject", "covered"),
    [
        ("ct1/gpu0", "ct1/gpu0", True),
        ("ct1/gpu0", "ct1/gpu0/link5", True),
        ("ct1/gpu0", "ct1/gpu1", False),
        ("ct1/gpu0", "ct1", False),
        ("ct1", "ct1/gpu0->ct1/gpu1", True),
        ("ct2", "ct1/mlx5_0/1->ct2/mlx5_0/1", True),
        ("ct1/gpu0->ct1/gpu1", "ct1/gpu0->ct1/gpu1", True),
        ("ct1/gpu0->ct1/gpu1", "ct1/gpu1->ct1/gpu0", False),
        ("k1", "k1", True),
        ("k1", "ct1", False),
        ("tiny", "tiny", True),
    ],
)
def test_a_waiver_covers_its_part_and_what_lies_in_it(
    tmp_path: Path, part: str, subject: str, covered: bool
) -> None:
    found = waivers(tmp_path, "part: ct1/gpu0", f"part: {part}")
    assert (found.covering("gpu.clock", subject) is not None) is covered
    assert found.covering("reach.ssh", subject) is None


@pytest.mark.parametrize(
    ("today", "active"),
    [(date(2026, 11, 30), 1), (date(2026, 12, 1), 1), (date(2026, 12, 2), 0)],
)
def test_a_waiver_holds_to_the_end_of_its_last_day(
    tmp_path: Path, today: date, active: int
) -> None:
    found = waivers(tmp_path, today=today)
    assert (len(found.active), len(found.expired)) == (active, 1 - active)
    assert (found.covering("gpu.clock", "ct1/gpu0") is not None) is bool(active)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("gpu.clock", "gpu.clok", "2:5: no metric 'gpu.clok'; did you mean 'gpu.clock'?"),
        ("ct1/gpu0", "ct1/gpu2", "3:5: no part 'ct1/gpu2' in tiny; did you mean 'ct1/gpu"),
        ("ct1/gpu0", "ct3", "3:5: no part 'ct3' in tiny; did you mean"),
        ("ct1/gpu0", "ct1->ct3", "3:5: no part 'ct3' in tiny"),
        ("ct1/gpu0", "ct1->", "3:5: no part '' in tiny"),
        (
            "2026-12-01",
            "next week",
            "6:5: waivers.0.expires: expected a day like 2026-11-30 (found",
        ),
        ("2026-12-01", "20261201", "6:5: waivers.0.expires: expected a day like 2026-11-30 (found"),
        ("    expires: 2026-12-01\n", "", "2:5: 'waivers.0.expires' is missing"),
        ("reason: ordered", "reason:", "4:5: waivers.0.reason: expected text (found nothing)"),
        ("owner: somebody", "owner: ''", "5:5: waivers.0.owner: String should have at least 1"),
        ("owner:", "ovner:", "2:5: 'waivers.0.owner' is missing"),
    ],
)
def test_refuses_a_waiver(tmp_path: Path, old: str, new: str, expected: str) -> None:
    with pytest.raises(InventoryError) as caught:
        waivers(tmp_path, old, new)
    assert str(caught.value).startswith(f"{tmp_path}/waivers.yaml:{expected}")


def test_reads_a_fault() -> None:
    fault = parse_fault("nvlink.slow@r03-ct07/gpu2/link5:rate=0.5,after=3s,note=a:b=c")
    assert (fault.kind, fault.part) == ("nvlink.slow", "r03-ct07/gpu2/link5")
    assert fault.params == {"rate": "0.5", "after": "3s", "note": "a:b=c"}
    assert parse_fault("gpu.missing@r03-ct07/gpu1").params == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "not of the form"),
        ("gpu@ct1", "for example gpu.missing@r03-ct07/gpu1"),
        ("gpu.missing", "not of the form"),
        ("gpu.missing@", "not of the form"),
        ("gpu.missing@ct1:", "not of the form"),
        ("gpu.missing@ct1\n", "not of the form"),
        ("gpu.missing@ct1:a", "'a' is not key=value"),
        ("gpu.missing@ct1:=1", "'=1' is not key=value"),
        ("gpu.missing@ct1:a=1,a=2", "a stands there twice"),
    ],
)
def test_refuses_a_fault(text: str, expected: str) -> None:
    with pytest.raises(InventoryError, match="--fault") as caught:
        parse_fault(text)
    assert expected in str(caught.value)


@given(st.text(max_size=30) | st.from_regex(r"[a-z]+\.[a-z]+@[a-z0-9/]+(:[a-z]=[^,]*(,[a-z]=.)*)?"))
def test_a_fault_is_read_back_as_it_is_written_or_refused(text: str) -> None:
    try:
        fault = parse_fault(text)
    except InventoryError:
        return
    assert parse_fault(str(fault)) == fault
