"""UFM has seen no link flap and no cable move since the run began."""

import pytest

from fixtures.model.measure import MeasureAll
from fixtures.tools.binding.subnet_events import SubnetEvents


@pytest.mark.judges("link.flap_events", "link.cabling_events")
def test_links_are_quiet_in_the_event_log(
    watched_subnet: str, subnet_events: SubnetEvents, measure_all: MeasureAll
) -> None:
    """No end of a link is unhealthy, and no cable in a new place or there twice."""
    flaps = subnet_events.flaps()
    seen = dict.fromkeys(flaps, subnet_events.evidence)
    measure_all("link.flap_events", flaps, evidence=seen)
    measure_all("link.cabling_events", subnet_events.cabling(), evidence=seen)
