"""What a switch tray alone sees of its ports to GPUs."""

from __future__ import annotations

from fixtures.tools.binding.access_ports import excused, one_sided, slowest_gbps
from fixtures.tools.binding.facts import Facts
from fixtures.tools.binding.switch_facts import SwitchFacts
from fixtures.tools.binding.tray_facts import commands
from fixtures.transport.once import Results
from tests.simrack.bench import Bench, as_result, bench

SWITCH, TRAY = "r01-sw04", "r01-ct05"


def facts(rack: Bench) -> Facts:
    """The facts of a compute tray and a switch tray; all other hosts are as if they had not."""
    collected: dict[str, Results] = {name: {} for name in rack.inventory.hosts}
    for host in (SWITCH, TRAY):
        for one in commands(rack.inventory.hosts[host]):
            if one.key.startswith(("facts/nv", "facts/uname")):
                collected[host][one.key] = as_result(host, one, rack.run(host, *one.argv))
    return Facts(rack.inventory, collected)


def both(*faults: str) -> tuple[SwitchFacts, frozenset[str]]:
    rack = bench("rack7", *faults)
    found = facts(rack)
    return SwitchFacts(found.of(SWITCH)), excused(rack.inventory, found).get(SWITCH, frozenset())


def test_all_is_well_on_both_sides() -> None:
    switch, ailing = both()
    assert (one_sided(switch, ailing).down, one_sided(switch, ailing).slow) == ({}, {})
    assert slowest_gbps(switch, ailing) == 400


def test_a_link_of_which_the_gpu_says_that_it_is_down_is_judged_there() -> None:
    switch, ailing = both(f"nvlink.link_down@{TRAY}/gpu2/link7")
    assert ailing == {"acp91"}
    assert one_sided(switch, ailing).down == {}


def test_a_port_that_only_the_switch_calls_down() -> None:
    switch, ailing = both(f"nvswitch.port_inactive@{SWITCH}/acp91")
    assert one_sided(switch, ailing).down == {"acp91": "LinkUp, Initialize"}


def test_a_port_that_only_the_switch_calls_slow() -> None:
    switch, ailing = both(f"nvswitch.port_narrow@{SWITCH}/acp91")
    assert one_sided(switch, ailing).slow == {"acp91": 200}
    assert slowest_gbps(switch, ailing) == 200


def test_ports_of_a_tray_that_did_not_answer_stand_for_themselves() -> None:
    switch, ailing = both(f"nvswitch.port_inactive@{SWITCH}/acp1")
    assert "acp1" not in ailing
    assert list(one_sided(switch, ailing).down) == ["acp1"]
