"""ibdiagnet's lst: links by their two ends, all in hexadecimal but for the speed."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.fabric.ibdiagnet_lst import parse
from fixtures.tools.fabric.ibnetdiscover_model import Kind
from tests.tools.captures import capture

HEALTHY = capture("ibdiagnet-lst", "healthy.txt")
DEGRADED = capture("ibdiagnet-lst", "degraded.txt")
LEAF, SPINE, CA = "5a1fe00000005100", "5a1fe00000005300", "5a1fe0000000a101"


def test_an_end_is_a_node_and_a_port_in_hexadecimal() -> None:
    link = parse(HEALTHY).links[2]
    assert (link.near.end, link.far.end) == ((LEAF, 33), (SPINE, 26))
    assert (link.near.port_count, link.near.vendor_id, link.near.device_id) == (65, 0x2C9, 0xD2F2)
    assert (link.near.lid, link.far.lid) == (11, 13)
    assert (link.width, link.lane_gbps, link.speed, link.state) == ("4X", 100, "NDR", "ACT")


def test_both_directions_of_a_link_can_be_listed() -> None:
    found = parse(HEALTHY)
    assert [link.near.kind for link in found.links[:2]] == [Kind.SWITCH, Kind.CA]
    assert (len(found.links), found.complete) == (4, True)


def test_other_widths_speeds_and_states() -> None:
    first, second, third = parse(DEGRADED).links
    assert (first.width, first.speed, first.state) == ("1X", "QDR", "INI")
    assert (second.speed, second.lane_gbps, second.state) == ("FDR10", None, "ARM")
    assert (third.width, third.speed) == ("12X", None)


def test_device_ids_with_zeros_behind_are_those_without() -> None:
    assert parse(DEGRADED).links[0].near.device_id == 0xD2F2


def test_descriptions_can_hold_brackets_or_be_missing() -> None:
    first, second, _ = parse(DEGRADED).links
    assert (first.near.description, first.far.description) == ("spare } blue", 'r03 "a"')
    assert (second.near.description, second.far.description) == (None, None)


def test_a_file_that_was_not_closed_or_has_lines_left_out_is_not_complete() -> None:
    assert not parse(HEALTHY[: HEALTHY.index("# File closed")]).complete
    assert not parse(DEGRADED.replace("\n", "\n...\n", 1)).complete


def test_a_speed_that_a_cut_can_have_shortened_is_unknown() -> None:
    at = HEALTHY.rindex("SPD=100")
    for end, speed in ((6, None), (7, "NDR")):
        found = parse(HEALTHY[: at + end])
        assert (found.links[-1].speed, found.complete) == (speed, False)
    assert len(parse(HEALTHY[: at - 30]).links) == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no link listed"),
        (capture("ibdiagnet-lst", "empty.txt"), "no link listed"),
        (HEALTHY.replace("LOG=ACT", "LOG"), "expected '{ SW Ports"),
        (HEALTHY.replace("PN:21 }", "PN:22 }", 1), "is cabled to"),
        (DEGRADED + DEGRADED, "listed twice"),
        (HEALTHY + HEALTHY, "listed twice|cabled"),
    ],
)
def test_what_is_not_understood_is_refused(text: str, says: str) -> None:
    with pytest.raises(Unreadable, match=says):
        parse(text)


def test_the_node_of_every_line_is_named() -> None:
    assert {link.far.guid for link in parse(HEALTHY).links} == {CA, LEAF, SPINE}
