"""ibdiagnet's net_dump: tables by column names, whose last cell can hold what parts cells."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.fabric.ibdiagnet_net_dump import parse
from tests.tools.captures import capture

HEALTHY = capture("ibdiagnet-net-dump", "healthy.txt")
DEGRADED = capture("ibdiagnet-net-dump", "degraded-cut.txt")


def test_a_row_is_read_by_column_name() -> None:
    (leaf,) = parse(HEALTHY).switches
    assert (leaf.description, leaf.vendor, leaf.lid) == ("MF0;leaf-r0-1:MQM9700/U1", "Mellanox", 11)
    first = leaf.ports[0]
    assert (first.label, first.number, first.state) == ("1/1/1", 1, "ACT")
    assert (first.mtu_code, first.width, first.lane_gbps, first.speed) == (5, "4X", 100, "NDR")
    assert first.peer is not None
    assert (first.peer.label, first.peer.lid) == ("B9D0F0/0/0/1", 21)
    assert parse(HEALTHY).complete


def test_a_description_can_hold_colons() -> None:
    peer = parse(HEALTHY).switches[0].ports[1].peer
    assert peer is not None
    assert peer.description == "rack 3: node 8 mlx5_0"
    assert peer.guid == "05a1fe000000a202"


def test_a_port_that_is_down_has_nothing_but_its_state() -> None:
    down = parse(DEGRADED).switches[0].ports[1]
    assert (down.state, down.physical_state) == ("DOWN", "POLL")
    assert (down.mtu_code, down.width, down.speed, down.fec, down.peer) == (None,) * 5


def test_other_speeds_and_labels() -> None:
    first, second = parse(DEGRADED).switches
    assert first.ports[0].speed == "HDR"
    assert (first.ports[2].speed, first.ports[2].lane_gbps) == ("FDR10", None)
    assert (second.ports[0].label, second.ports[0].speed) == ("sw1p1", "XDR")
    assert second.description == 'leaf "b", second'


def test_a_file_that_was_not_closed_is_not_complete() -> None:
    assert not parse(DEGRADED).complete
    assert not parse(HEALTHY[: HEALTHY.index("# File closed")]).complete


def test_older_tables_have_the_port_number_first() -> None:
    text = HEALTHY.replace(": IB# ", "").replace(": 65  ", "")
    for old, number in (("1/1/1      : 1  ", "1"), ("1/1/2      : 2  ", "2")):
        assert old in text
        text = text.replace(old, number)
    assert [port.number for port in parse(text).switches[0].ports] == [1, 2, 65]


def test_columns_under_their_shorter_names() -> None:
    text = HEALTHY.replace(": FEC mode ", ": FEC ").replace(": Retran ", ": RTR ")
    assert parse(text) == parse(HEALTHY)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no port listed"),
        (HEALTHY + HEALTHY, "listed twice"),
        (HEALTHY.replace(": Sta ", ": State "), "expected the columns"),
        (HEALTHY.replace(": ACT ", ""), "expected 13 cells"),
        (HEALTHY.replace(", Mellanox, ", " "), 'a table without a switch|expected \'"switch"'),
        (HEALTHY.replace(': "r03-ct07 mlx5_0"', ': "r03-ct07 mlx5_0'), "in quotes"),
    ],
)
def test_what_is_not_understood_is_refused(text: str, says: str) -> None:
    with pytest.raises(Unreadable, match=says):
        parse(text)
