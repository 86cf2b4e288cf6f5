"""The switch trays have all their chips and ports, and what the switch alone sees is well."""

from collections.abc import Mapping

import pytest

from fixtures.model.inventory import Inventory
from fixtures.model.measure import Measure
from fixtures.tools.binding.access_ports import one_sided, slowest_gbps
from fixtures.tools.binding.switch_facts import SwitchTrays


@pytest.mark.judges("nvlink.switch_asics")
def test_rack_has_all_switch_chips(
    rack: str, inventory: Inventory, switch_trays: SwitchTrays, measure: Measure
) -> None:
    """The switch trays of the rack have all of its chips together."""
    measure("nvlink.switch_asics", switch_trays.chips(inventory.racks[rack]), at=rack)


@pytest.mark.judges("nvlink.tray_chips", "nvlink.access_ports")
def test_switch_trays_have_all_chips_and_ports(
    switch: str, switch_trays: SwitchTrays, measure: Measure
) -> None:
    """Each switch tray has its chips, and a port for every link of its rack's GPUs."""
    facts = switch_trays.of(switch)
    seen = facts.evidence("nvos-firmware")
    measure("nvlink.tray_chips", facts.chips, at=switch, evidence=seen)
    seen = facts.evidence("nvos-interface")
    measure("nvlink.access_ports", len(facts.access), at=switch, evidence=seen)


@pytest.mark.judges("nvlink.one_sided_ports", "nvlink.access_port_rate")
def test_switch_ports_agree_with_the_gpus(
    switch: str,
    switch_trays: SwitchTrays,
    excused_ports: Mapping[str, frozenset[str]],
    measure: Measure,
) -> None:
    """Every port whose GPU says that the link is up is up at its rate at the switch as well."""
    facts, excused = switch_trays.of(switch), excused_ports.get(switch, frozenset())
    seen, found = facts.evidence("nvos-interface", "nvlink-s"), one_sided(facts, excused)
    measure("nvlink.one_sided_ports", len(found.down), at=switch, evidence=seen)
    for port, state in found.down.items():
        measure("nvlink.one_sided_ports", 1, at=f"{switch}/{port}", detail=state, evidence=seen)
    measure("nvlink.access_port_rate", slowest_gbps(facts, excused), at=switch, evidence=seen)
    for port, rate in found.slow.items():
        measure("nvlink.access_port_rate", rate, at=f"{switch}/{port}", evidence=seen)
