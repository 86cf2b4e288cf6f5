"""How UFM's events look to the suite's readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fixtures.tools.binding import subnet_events
from fixtures.tools.binding.subnet_events import SubnetEvents
from tests.simrack.bench import Bench
from tests.simrack.probes import Probe

DAY_S = 86_400


def events(rack: Bench, began_s_ago: float = 60.0) -> SubnetEvents:
    """What UFM has logged since a run that began so long ago."""
    observer = next(one for one in rack.inventory.observers if one.ufm_events)
    asked = subnet_events.commands(observer.ufm_events, sudo=False)
    answers = {one.key: rack.result(observer.host, one) for one in asked}
    began = rack.site.machines[observer.host].now() - began_s_ago
    return SubnetEvents(rack.inventory, answers, began)


def of_link(question: Callable[[SubnetEvents, str], bool], began_s_ago: float = 60.0) -> Probe:
    def probe(rack: Bench, at: str) -> bool:
        cables = rack.inventory.plan.cables
        link = next(cable.ends[0] for cable in cables if f"cable:{cable.id}" == at)
        return question(events(rack, began_s_ago), link)

    return probe


UFM: Mapping[str, Probe] = {
    "ufm.flapping": of_link(lambda seen, link: "FLAPPING" in str(seen.flaps()[link])),
    "ufm.cable_moved": of_link(lambda seen, link: str(seen.cabling()[link]).startswith("1502")),
    "ufm.cable_twice": of_link(lambda seen, link: str(seen.cabling()[link]).startswith("1503")),
    "ufm.old_events": of_link(
        lambda seen, link: "none" not in (seen.flaps()[link], seen.cabling()[link]), 4 * DAY_S
    ),
    "ufm.set_aside": lambda rack, _: (
        "due to MANUAL"
        in rack.ask(rack.inventory.observers[0].host, "cat", rack.inventory.observers[0].ufm_events)
    ),
}
