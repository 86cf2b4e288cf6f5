"""What a link counted under load: both ends together, and nothing where nothing can be said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.model.errors import CounterReset, Implausible, RackError, ToolFailed
from fixtures.model.measure import Reading
from fixtures.model.parts import host_of
from fixtures.model.subjects import leaf_pairs, rail_pairs
from fixtures.tools.binding import subnet_facts, subnet_window
from fixtures.tools.binding.subnet_facts import SubnetFacts
from fixtures.tools.binding.subnet_window import SubnetWindow
from fixtures.transport.base import CommandResult
from tests.simrack.bench import Bench, bench

UPLINK, SPINE = "leaf-r0-1/33", "spine-01/1"
OBSERVER = "r01-ct01"
NIC, LEAF_PORT = "r01-ct01/mlx5_0/1", "leaf-r0-1/1"


def counted(rack: Bench, port: str, errors: dict[str, int], when: str) -> CommandResult:
    rack.site.world.network.ends[port].errors = errors
    return rack.result(OBSERVER, subnet_window.command("mlx5_0", 1, when, sudo=False))


def window(
    before: dict[str, int],
    after: dict[str, int],
    trouble: RackError | None = None,
    *,
    cut: str = "",
    port: str = SPINE,
    link: str = UPLINK,
    loaded: bool = True,
) -> Reading:
    rack = bench("rack7")
    asked = subnet_facts.commands("mlx5_0", 1, sudo=False)
    facts = SubnetFacts(rack.inventory, {c.key: rack.result(OBSERVER, c) for c in asked}, {})
    one = counted(rack, port, before, "before")
    two = counted(rack, port, after, "after")
    if cut:
        two = replace(two, stdout_bytes=two.stdout_bytes.partition(cut.encode())[0])
    loads = {("r01-ct01/mlx5_0/1", "r01-ct02/mlx5_1/1"): trouble}
    rails = {(NIC, "r01-ct02/mlx5_0/1"): trouble, ("r01-ct18/mlx5_0/1", NIC): trouble}
    found = SubnetWindow(
        rack.inventory,
        facts,
        {"errors-before": one, "errors-after": two},
        uplinks=loads,
        rails=rails if loaded else {},
    )
    return found.errors()[link]


def test_only_what_moved_counts_and_waiting_does_not() -> None:
    old = {"symbol_error": 2741, "port_xmit_wait": 5}
    assert window(old, {"symbol_error": 2741, "port_xmit_wait": 2**32 - 1}) == 0
    assert window(old, {"symbol_error": 2743, "link_downed": 1}) == 3


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ({"symbol_error": 7}, {"symbol_error": 3}, CounterReset),
        ({"symbol_error": 7}, {"symbol_error": 70_000}, Implausible),
    ],
)
def test_a_counter_that_was_cleared_or_is_full_says_nothing(
    before: dict[str, int], after: dict[str, int], kind: type[RackError]
) -> None:
    assert isinstance(window(before, after), kind)


def test_a_link_without_load_is_not_taken_for_a_good_one() -> None:
    assert isinstance(window({}, {}, ToolFailed("perftest ended with 1")), ToolFailed)


def test_a_link_of_a_nic_that_was_not_loaded_is_not_taken_for_a_good_one() -> None:
    host_link = {"port": LEAF_PORT, "link": NIC}
    assert window({}, {}, **host_link) == 0  # type: ignore[arg-type]
    idle = window({}, {}, loaded=False, **host_link)  # type: ignore[arg-type]
    assert isinstance(idle, RackError)
    assert idle.why == "not-run"
    failed = window({}, {}, ToolFailed("perftest ended with 1"), **host_link)  # type: ignore[arg-type]
    assert isinstance(failed, ToolFailed)


def test_errors_count_though_the_load_did_not_end() -> None:
    trouble = ToolFailed("perftest ended with 1")
    assert window({}, {"link_downed": 1}, trouble, port=LEAF_PORT, link=NIC) == 1


def test_every_nic_sends_and_receives_on_its_rail() -> None:
    for name in ("rack7", "hgx8", "rack42"):
        inventory = bench(name).inventory
        pairs = [(a.port, b.port) for a, b in rail_pairs(inventory)]
        nics = {nic.port for tray in inventory.trays for nic in tray.nics}
        assert {sender for sender, _ in pairs} == {receiver for _, receiver in pairs} == nics


def test_a_report_that_is_cut_is_not_taken_for_a_good_one() -> None:
    assert isinstance(window({}, {"symbol_error": 9}, cut="## Summary"), ToolFailed)


@pytest.mark.parametrize("name", ["rack7", "hgx8", "rack42"])
def test_every_leaf_sends_over_the_spines_and_receives(name: str) -> None:
    inventory = bench(name).inventory
    pairs = leaf_pairs(inventory)
    ends = [(a.port, b.port) for a, b in pairs]
    leaves = [[host_of(inventory.plan.far_end(end) or "") for end in both] for both in ends]
    assert all(here != there for here, there in leaves)
    everything = {leaf for leaf in inventory.switches if leaf.startswith("leaf")}
    assert {leaf for leaf, _ in leaves} == {leaf for _, leaf in leaves} == everything
    assert len({end for both in ends for end in both}) == 2 * len(pairs)
