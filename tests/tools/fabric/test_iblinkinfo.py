"""iblinkinfo: rows under headings and rows that name themselves, up, down, and below their best."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.fabric import iblinkinfo
from fixtures.tools.fabric.iblinkinfo_model import LinkPort, Rate
from fixtures.tools.fabric.ibnetdiscover_model import Kind
from tests.tools.captures import capture, ended

HEALTHY = capture("iblinkinfo", "healthy.txt")
DEGRADED = capture("iblinkinfo", "degraded.txt")
LINES = capture("iblinkinfo", "line-additional.txt")


def port(number: int) -> LinkPort:
    return next(port for port in iblinkinfo.parse(DEGRADED).ports if port.number == number)


def test_nodes_and_ports_of_the_default_form() -> None:
    found = iblinkinfo.parse(HEALTHY)
    assert [node.kind for node in found.nodes] == [Kind.CA, Kind.SWITCH, Kind.CA]
    assert found.nodes[1].guid == "5a1fe00000005100"
    assert found.nodes[0].ports[0].guid == "5a1fe0000000a101"
    first = found.nodes[1].ports[0]
    assert (first.width, first.lane_gbps, first.speed) == ("4X", 106.25, "NDR")
    assert first.active
    assert found.complete


def test_line_mode_names_both_ports_by_guid() -> None:
    adapter, leaf = iblinkinfo.parse(LINES).nodes
    assert (adapter.kind, adapter.description) == (None, "r03-ct07 mlx5_0")
    assert adapter.ports[0].peer is not None
    assert adapter.ports[0].peer.guid == leaf.guid == "5a1fe00000005100"
    assert [port.number for port in leaf.ports] == [1, 2]
    assert leaf.ports[0].speed == "XDR"


def test_additional_settings_are_read() -> None:
    leaf = iblinkinfo.parse(LINES).nodes[1]
    assert (leaf.ports[0].hoq_life, leaf.ports[0].vl_stall) == (18, 7)
    assert leaf.ports[1].hoq_life is None


def test_down_ports_tell_their_state_and_nothing_else() -> None:
    for number, physical in ((3, "Polling"), (4, "Disabled"), (10, "PortConfigurationTraining")):
        down = port(number)
        assert (down.state, down.physical_state) == ("Down", physical)
        assert (down.width, down.lane_gbps, down.peer) == (None, None, None)
    assert len(iblinkinfo.parse(DEGRADED).down) == 3


@pytest.mark.parametrize(
    ("number", "best"),
    [
        (1, Rate(lane_gbps=106.25)),
        (2, Rate(width="4X")),
        (5, Rate(width="4X", lane_gbps=106.25)),
        (6, None),
        (7, Rate(speed_name="FDR10")),
    ],
)
def test_what_a_link_could_be(number: int, best: Rate | None) -> None:
    assert port(number).could_be == best


def test_a_speed_that_is_named_is_not_taken_for_the_number_before_it() -> None:
    assert (port(6).lane_gbps, port(6).speed) == (10.0, "FDR10")
    assert (port(7).lane_gbps, port(7).speed) == (10.0, "QDR")


def test_undefined_widths_and_speeds_are_unknown() -> None:
    assert (port(8).state, port(8).width, port(8).lane_gbps) == ("Armed", None, None)
    assert (port(9).width, port(9).speed, port(9).peer) == ("4X", None, None)


def test_a_description_ends_before_the_remark_whatever_it_holds() -> None:
    peer = port(2).peer
    assert peer is not None
    assert peer.description == 'r03-ct08 "b" mlx5_0'
    odd = iblinkinfo.parse(DEGRADED.replace('"b" mlx5_0', '"b" (old)')).ports[1].peer
    assert odd is not None
    assert odd.description == 'r03-ct08 "b" (old)'


def test_peers_that_have_no_row_make_it_incomplete() -> None:
    assert not iblinkinfo.parse(DEGRADED).complete


def test_ports_without_a_lid_are_not_held_together() -> None:
    row = "          11    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>      25    1[  ]"
    text = f'{HEALTHY}Switch: 0x5a1fe00000005300 spine:\n{row} "r03-ct09 mlx5_0" ( )\n'
    for lid in (" 21 ", " 23 ", " 25 ", " 11 "):
        text = text.replace(lid, "  0 ")
    assert iblinkinfo.parse(text).complete


def test_rows_before_the_first_heading_belong_to_nobody() -> None:
    found = iblinkinfo.parse(HEALTHY[HEALTHY.index("\n", HEALTHY.index("Switch:")) + 1 :])
    assert found.nodes[0].kind is None
    assert not found.complete


def test_rows_picked_out_of_a_report_have_no_node() -> None:
    rows = "".join(line + "\n" for line in HEALTHY.splitlines() if "LinkUp" in line)
    (nobody,) = iblinkinfo.parse(rows).nodes
    assert (nobody.kind, len(nobody.ports)) == (None, 4)


def test_lines_that_someone_left_out_make_it_incomplete() -> None:
    assert not iblinkinfo.parse(HEALTHY.replace("Switch:", "...\nSwitch:")).complete


def test_older_headings_had_no_colon() -> None:
    text = HEALTHY.replace("Switch: 0x", "Switch 0x")
    assert iblinkinfo.parse(text) == iblinkinfo.parse(HEALTHY)


def test_ends_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(Unreadable, match="which says otherwise"):
        iblinkinfo.parse(HEALTHY.replace("==>      11    1[", "==>      11    2["))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no port listed"),
        ("Switch: 0x5a1fe00000005100 leaf:\n", "no port listed"),
        (HEALTHY + HEALTHY, "listed twice"),
        (HEALTHY.replace("4X", "four"), "expected a width"),
        (HEALTHY.replace("Active/", "Active "), "expected '=="),
        (HEALTHY.replace("( )", "(hello)"), "expected a width"),
        (HEALTHY.replace("11    1[  ] ==(", "< 11    1[  ] ==("), "expected 'LID|--diff"),
    ],
)
def test_what_is_not_understood_is_refused(text: str, says: str) -> None:
    with pytest.raises(Unreadable, match=says):
        iblinkinfo.parse(text)


def test_a_cut_row_is_left_out() -> None:
    for at in range(len(HEALTHY) - 90, len(HEALTHY) - 4):
        found = iblinkinfo.parse(HEALTHY[:at])
        assert not found.complete
        assert len(found.ports) == 3


@pytest.mark.parametrize("mark", ["0: ", "> ", "    "])
def test_marks_before_every_line_change_nothing(mark: str) -> None:
    text = "".join(f"{mark}{line}\n" for line in HEALTHY.splitlines())
    assert iblinkinfo.parse(text) == iblinkinfo.parse(HEALTHY)


def test_a_port_that_the_subnet_does_not_have_is_the_tools_failure() -> None:
    with pytest.raises(ToolFailed, match="0x5a1fe0000000dead"):
        iblinkinfo.read(ended("", stderr="Failed to find port: 0x5a1fe0000000dead\n"))


@pytest.mark.parametrize(
    "row",
    [
        "==( 4X106.25 Gbps Active/  LinkUp)==>",
        "==( 4X 106.25 Gbps Active /   LinkUp)==>",
        "==( 4X 106.25 Gbps Active / LinkUp [1X or 4X/4X][2.5 Gbps/2.5 Gbps or 5.0 Gbps])==>",
    ],
)
def test_blanks_and_brackets_of_older_ones_change_nothing(row: str) -> None:
    text = HEALTHY.replace("==( 4X        106.25 Gbps Active/  LinkUp)==>", row)
    assert row in text
    assert iblinkinfo.parse(text) == iblinkinfo.parse(HEALTHY)


def test_what_older_ones_say_of_the_speed_of_a_port_that_is_down_means_nothing() -> None:
    text = DEGRADED.replace("==(                Down/ Polling)", "==( 4X 2.5 Gbps   Down/ Polling)")
    assert text != DEGRADED
    assert iblinkinfo.parse(text) == iblinkinfo.parse(DEGRADED)


def test_a_scan_that_failed_is_the_tools_failure() -> None:
    with pytest.raises(ToolFailed, match="UMAD"):
        iblinkinfo.read(ended("", stderr=capture("iblinkinfo", "failed.txt"), rc=1))


@pytest.mark.parametrize(
    ("lane", "speed"), [("2.5", "SDR"), ("14.0625", "FDR"), ("25.78125", "EDR"), ("53.125", "HDR")]
)
def test_a_speed_is_that_of_one_lane(lane: str, speed: str) -> None:
    first = iblinkinfo.parse(HEALTHY.replace("106.25", lane)).nodes[1].ports[0]
    assert (first.width, first.lane_gbps, first.speed) == ("4X", float(lane), speed)
