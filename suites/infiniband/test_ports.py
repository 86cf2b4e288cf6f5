"""Every port is up at its rate and width, and belongs to one subnet."""

import pytest

from fixtures.fabric import Subnet
from fixtures.model.measure import Measure, MeasureAll
from fixtures.tools.binding.tray_facts import TrayFacts


@pytest.mark.judges("port.state", "port.phys_state", "port.rate", "port.width")
def test_ports_are_up_at_full_rate(facts: TrayFacts, measure: Measure) -> None:
    """Each port of the tray is active, its link up, at the rated speed and width."""
    seen = facts.evidence("ib-sysfs")
    for slot in facts.ports:
        port = slot.fitted_port
        measure("port.state", port.state, at=slot.part, evidence=seen)
        measure("port.phys_state", port.phys_state, at=slot.part, evidence=seen)
        measure("port.rate", port.rate_gbps, at=slot.part, evidence=seen)
        measure("port.width", port.width, at=slot.part, evidence=seen)


@pytest.mark.judges("port.lid", "port.sm_lid")
def test_ports_are_in_one_subnet(domain: str, subnet: Subnet, measure_all: MeasureAll) -> None:
    """Each InfiniBand port has a LID of its own, and all have the same subnet manager."""
    measure_all("port.lid", subnet.lid_states())
    measure_all("port.sm_lid", subnet.sm_lid_states())
