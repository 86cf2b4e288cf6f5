"""The fabric is the one of the plan, every link of it at full rate, under one subnet manager."""

import pytest

from fixtures.model.measure import Measure, MeasureAll
from fixtures.tools.binding.subnet_facts import SubnetFacts


@pytest.mark.judges("switch.present", "switch.extra_links")
def test_switches_are_those_of_the_plan(
    domain: str, fabric: SubnetFacts, measure_all: MeasureAll
) -> None:
    """Each leaf and spine of the plan answers, and has no link that the plan does not have."""
    seen = dict.fromkeys(fabric.switches(), fabric.evidence("ibnetdiscover"))
    measure_all("switch.present", fabric.switches(), evidence=seen)
    measure_all("switch.extra_links", fabric.extra_links(), evidence=seen)


@pytest.mark.judges("link.cabled")
def test_cables_are_where_the_plan_has_them(
    domain: str, fabric: SubnetFacts, measure_all: MeasureAll
) -> None:
    """Both ends of each cable are plugged in where the cut sheet says."""
    cabled = fabric.cabled()
    seen = fabric.evidence("ibnetdiscover")
    measure_all("link.cabled", cabled, evidence=dict.fromkeys(cabled, seen))


@pytest.mark.judges("link.state", "link.width", "port.lane_speed")
def test_links_are_up_at_full_rate(
    domain: str, fabric: SubnetFacts, measure_all: MeasureAll
) -> None:
    """Each link, of NICs and between switches, is active with all its lanes at full speed."""
    states = fabric.states()
    seen = dict.fromkeys(states, fabric.evidence("iblinkinfo"))
    measure_all("link.state", states, evidence=seen)
    measure_all("link.width", fabric.widths(), evidence=seen)
    measure_all("port.lane_speed", fabric.lane_speeds(), evidence=seen)


@pytest.mark.judges("subnet.manager")
def test_subnet_has_a_master(domain: str, fabric: SubnetFacts, measure: Measure) -> None:
    """The subnet manager that the ports obey answers, and says that it is the master."""
    measure("subnet.manager", fabric.manager(), at=domain, evidence=fabric.evidence("sminfo"))


@pytest.mark.judges("subnet.adaptive_routing")
def test_switches_route_adaptively(
    adaptive_subnet: str, fabric: SubnetFacts, measure: Measure
) -> None:
    """Adaptive routing is on for every switch, where the site says that its subnet has it."""
    seen = fabric.evidence("ibdiagnet")
    measure("subnet.adaptive_routing", fabric.adaptive_routing(), at=adaptive_subnet, evidence=seen)
