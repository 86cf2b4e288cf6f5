"""A discovered fabric against its plan: each fault is named once, with its cables and ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.analysis.cabling import hold
from fixtures.analysis.differences import Comparison, End, Kind, Rate, Seen
from fixtures.model.plan import Cable

HOSTS, LEAVES = 6, 2
GUIDS = {f"n{index}/mlx5_0": f"a{index}" for index in range(HOSTS)}
GUIDS |= {f"leaf-{index}": f"b{index}" for index in range(LEAVES)} | {"spine": "c0"}
CABLES = tuple(
    Cable(f"C{index}", "host", (f"n{index}/mlx5_0/1", f"leaf-{index % LEAVES}/{index + 1}"), "csv")
    for index in range(HOSTS)
) + tuple(
    Cable(f"F{index}", "fabric", (f"leaf-{index % LEAVES}/{30 + index}", f"spine/{index + 1}"), "")
    for index in range(4)
)
RATES = {"host": Rate("4X", "NDR"), "fabric": Rate("4X", "NDR")}


def ends(cable: Cable) -> tuple[End, End]:
    first, second = (
        (GUIDS[end.rpartition("/")[0]], int(end.rpartition("/")[2])) for end in cable.ends
    )
    return first, second


def fabric(links: list[tuple[End, End]], **trained: str) -> dict[End, Seen]:
    width, speed = trained.get("width", "4X"), trained.get("speed", "NDR")
    both = [*links, *((far, near) for near, far in links)]
    return {near: Seen(far=far, width=width, speed=speed) for near, far in both}


AS_PLANNED = fabric([ends(cable) for cable in CABLES])


def held(seen: dict[End, Seen], nodes: set[str] | None = None, **options: object) -> Comparison:
    found = set(GUIDS.values()) if nodes is None else nodes
    return hold(CABLES, GUIDS, seen, nodes=found, rates=RATES, **options)  # type: ignore[arg-type]


def without(*ids: str) -> list[tuple[End, End]]:
    return [ends(cable) for cable in CABLES if cable.id not in ids]


def cable(name: str) -> Cable:
    return next(cable for cable in CABLES if cable.id == name)


def kinds(found: Comparison) -> list[tuple[Kind, tuple[str, ...]]]:
    return [(difference.kind, difference.cables) for difference in found.differences]


def test_a_fabric_as_planned_has_no_differences() -> None:
    found = held(AS_PLANNED)
    assert found.differences == ()
    assert found.judged == len(CABLES)


def test_a_cable_without_a_link_is_missing() -> None:
    (missing,) = held(fabric(without("C3"))).differences
    assert missing.kind is Kind.MISSING
    assert missing.message == (
        "missing: cable C3: n3/mlx5_0/1, leaf-1/4 - Expected: n3/mlx5_0/1 - leaf-1/4 Found: no link"
    )


def test_two_cables_with_exchanged_ends_are_swapped_and_told_once() -> None:
    (a, to_a), (b, to_b) = ends(cable("C1")), ends(cable("C4"))
    (swapped,) = held(fabric([*without("C1", "C4"), (a, to_b), (b, to_a)])).differences
    assert (swapped.kind, swapped.cables) == (Kind.SWAPPED, ("C1", "C4"))
    assert swapped.ends == (*cable("C1").ends, *cable("C4").ends)
    assert swapped.found == "n1/mlx5_0/1 - leaf-0/5 and leaf-1/2 - n4/mlx5_0/1"


def test_three_cables_in_a_ring_are_each_miscabled() -> None:
    three = [cable(name) for name in ("C0", "C1", "C2")]
    near, far = [ends(one)[0] for one in three], [ends(one)[1] for one in three]
    ring = list(zip(near, [far[1], far[2], far[0]], strict=True))
    found = held(fabric([*without("C0", "C1", "C2"), *ring]))
    assert kinds(found) == [(Kind.MISCABLED, (one.id,)) for one in three]
    assert "(ends of C1, C2)" in found.differences[0].found


def test_an_end_in_an_unplanned_port_is_miscabled() -> None:
    near, _ = ends(cable("C2"))
    (wrong,) = held(fabric([*without("C2"), (near, ("b0", 60))])).differences
    assert (wrong.kind, wrong.cables) == (Kind.MISCABLED, ("C2",))
    assert wrong.found == "n2/mlx5_0/1 - leaf-0/60"


def test_a_port_that_is_looped_to_itself_is_miscabled() -> None:
    near, _ = ends(cable("C2"))
    (wrong,) = held(fabric([*without("C2"), (near, near)])).differences
    assert (wrong.kind, wrong.found) == (Kind.MISCABLED, "n2/mlx5_0/1 - n2/mlx5_0/1")


def test_a_link_that_no_cable_explains_is_extra() -> None:
    seen = AS_PLANNED | fabric([(("b0", 50), ("b1", 51))])
    (extra,) = held(seen).differences
    assert (extra.kind, extra.cables) == (Kind.EXTRA, ())
    assert set(extra.ends) == {"leaf-0/50", "leaf-1/51"}


def test_a_node_that_is_not_there_takes_its_cables_with_it() -> None:
    seen = fabric(without("C5"))
    (gone,) = held(seen, nodes=set(GUIDS.values()) - {"a5"}).differences
    assert (gone.kind, gone.cables) == (Kind.NODE_MISSING, ("C5",))
    assert gone.expected == "n5/mlx5_0 (GUID a5)"


def test_a_node_that_the_plan_does_not_have_is_unknown() -> None:
    seen = AS_PLANNED | fabric([(("ffff", 1), ("b0", 61))])
    (unknown,) = held(seen, nodes={*GUIDS.values(), "ffff"}).differences
    assert (unknown.kind, unknown.ends) == (Kind.NODE_UNKNOWN, ("leaf-0/61",))
    assert unknown.found == "GUID ffff"


def test_a_replaced_adapter_is_a_missing_node_an_unknown_node_and_where_it_is() -> None:
    near, far = ends(cable("C0"))
    seen = fabric([*without("C0"), (("ffff", near[1]), far)])
    found = held(seen, nodes={*GUIDS.values(), "ffff"} - {"a0"})
    assert kinds(found) == [
        (Kind.NODE_MISSING, ("C0",)),
        (Kind.MISCABLED, ("C0",)),
        (Kind.NODE_UNKNOWN, ()),
    ]


def test_aggregation_nodes_are_not_unknown() -> None:
    seen = AS_PLANNED | fabric([(("b0", 65), ("5a", 1))])
    assert held(seen, nodes={*GUIDS.values(), "5a"}, ignored={"5a"}).differences == ()


@pytest.mark.parametrize(
    ("width", "speed", "kind", "found"),
    [
        ("2X", "NDR", Kind.WIDTH, "4X, 2X"),
        ("4X", "HDR", Kind.SPEED, "NDR, HDR"),
        ("4X", None, Kind.SPEED, "NDR, not stated"),
    ],
)
def test_each_end_must_have_trained_right(
    width: str, speed: str | None, kind: Kind, found: str
) -> None:
    near, far = ends(cable("C1"))
    (slow,) = held({**AS_PLANNED, far: Seen(far=near, width=width, speed=speed)}).differences
    assert (slow.kind, slow.cables, slow.found) == (kind, ("C1",), found)


def test_a_link_that_one_side_tells_is_there() -> None:
    near, _ = ends(cable("C1"))
    seen = {end: side for end, side in AS_PLANNED.items() if end != near}
    assert held(seen).differences == ()


def test_an_end_without_a_guid_is_not_judged_and_said() -> None:
    guids = {device: guid for device, guid in GUIDS.items() if device != "n0/mlx5_0"}
    found = hold(CABLES, guids, AS_PLANNED, nodes=set(GUIDS.values()), ignored={"a0"})
    assert kinds(found) == [(Kind.UNBOUND, ("C0",))]
    assert found.judged == len(CABLES) - 1


def test_ends_of_a_split_cable_may_be_linked_to_any_other_of_its_ends() -> None:
    split = Cable("S1", "host", ("n0/mlx5_0/1", "n1/mlx5_0/1", "leaf-0/1", "leaf-0/2"), "")
    seen = fabric([(("a0", 1), ("b0", 2)), (("a1", 1), ("b0", 1))])
    found = hold([split], GUIDS, seen, nodes=set(GUIDS.values()))
    assert found.differences == ()
    half = hold([split], GUIDS, fabric([(("a0", 1), ("b0", 2))]), nodes=set(GUIDS.values()))
    assert kinds(half) == [(Kind.MISSING, ("S1",))]


@given(st.permutations(range(len(CABLES))))
def test_any_recabling_names_exactly_the_cables_that_are_not_as_planned(order: list[int]) -> None:
    links = [(ends(CABLES[at])[0], ends(CABLES[to])[1]) for at, to in enumerate(order)]
    found = held(fabric(links))
    named = [name for difference in found.differences for name in difference.cables]
    assert sorted(named) == sorted(CABLES[at].id for at, to in enumerate(order) if at != to)
    assert {difference.kind for difference in found.differences} <= {Kind.SWAPPED, Kind.MISCABLED}
