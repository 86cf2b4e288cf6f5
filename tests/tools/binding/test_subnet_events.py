"""Events of UFM's log, at the links of a plan, since a run began."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from fixtures.model.errors import RackError, Unreadable
from fixtures.tools.binding.subnet_events import SubnetEvents, number_of
from fixtures.transport.base import CommandResult
from tests.areas.answers import shipped
from tests.tools.captures import ended

HGX = shipped("hgx8")
UPLINK = next(cable for cable in HGX.plan.cables if cable.kind == "fabric")
LEAF, _, PORT = UPLINK.ends[0].partition("/")
LABEL = f"1/{(int(PORT) + 1) // 2}/{(int(PORT) + 1) % 2 + 1}"
BEGAN = datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()
EARLIER = "2026-11-30 11:00:00.100 [1] [527] INFO [Maintenance] Grid [Grid]: UFM CPU usage"


def line(code: int, text: str, at: str = "12:30:00.250", where: str | None = None) -> str:
    place = where or f"default(12) / Switch: {LEAF} / {LABEL}"
    return f"2026-11-30 {at} [2] [{code}] WARNING [Hardware] IBPort [{place}]: {text}"


def seen(*lines: str, zone: str = "+0000", began: float | RackError = BEGAN) -> SubnetEvents:
    results: dict[str, CommandResult | RackError] = {
        "subnet/ufm-events": ended("\n".join((*lines, ""))),
        "subnet/zone": ended(f"{zone}\n"),
    }
    return SubnetEvents(HGX, results, began)


FLAP = "Peer Port nobody:1/2/1 is considered by SM as unhealthy due to FLAPPING."


def test_an_event_is_at_its_link_alone() -> None:
    flaps = seen(EARLIER, line(702, FLAP)).flaps()
    assert flaps.pop(UPLINK.ends[0]) == f"702: {FLAP}"
    assert set(flaps.values()) == {"none"}
    assert set(seen(EARLIER, line(702, FLAP)).cabling().values()) == {"none"}


@pytest.mark.parametrize("code", [1502, 1503])
def test_a_cable_that_is_somewhere_else(code: int) -> None:
    assert seen(EARLIER, line(code, "Cable")).cabling()[UPLINK.ends[0]] == f"{code}: Cable"


def test_the_peer_is_known_by_its_label() -> None:
    text = f"Peer Port {LEAF}:{LABEL} is considered by SM as unhealthy due to FLAPPING."
    far = line(702, text, where="default / Switch: elsewhere / 1/1/1")
    assert seen(EARLIER, far).flaps()[UPLINK.ends[0]] != "none"


@pytest.mark.parametrize(
    "event",
    [
        line(702, FLAP, at="11:59:59.999"),
        line(702, FLAP.replace("FLAPPING", "MANUAL")),
        line(328, "Link went up"),
        line(702, FLAP, where="default / Switch: storage-1 / 1/1/1"),
    ],
    ids=["before the run", "by hand", "harmless", "of another fabric"],
)
def test_what_is_no_trouble_of_the_plan(event: str) -> None:
    assert set(seen(EARLIER, event).flaps().values()) == {"none"}


def test_times_are_local() -> None:
    old = line(702, FLAP, at="12:30:00.250")
    assert set(seen(EARLIER, old, zone="+0100").flaps().values()) == {"none"}


def test_a_log_that_begins_after_the_run_proves_no_absence() -> None:
    flaps = seen(line(702, FLAP), line(328, "Link went up").replace("[2]", "[3]")).flaps()
    assert flaps.pop(UPLINK.ends[0]) == f"702: {FLAP}"
    assert all(isinstance(found, Unreadable) for found in flaps.values())


def test_an_unknown_beginning_judges_nothing() -> None:
    trouble = RackError("no clock", reason="not-run")
    assert set(seen(EARLIER, began=trouble).flaps().values()) == {trouble}


def test_a_port_of_the_plan_that_cannot_be_placed_judges_nothing() -> None:
    split = line(702, FLAP, where=f"default / Switch: {LEAF} / 1/1/1/2")
    assert all(isinstance(found, Unreadable) for found in seen(EARLIER, split).flaps().values())


def test_labels_are_cages_of_two_ports() -> None:
    assert [number_of(label) for label in ("1/17/1", "4/2", "33", "1/1/1/2")] == [33, 8, 33, None]
