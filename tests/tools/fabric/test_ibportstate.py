"""`ibportstate`: the page of the port stands, whatever became of its peer's."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.fabric.ibportstate import parse
from fixtures.tools.readers import READERS
from tests.tools.captures import capture, ended

HEALTHY = capture("ibportstate", "healthy.txt")
PEER_FAILED = capture("ibportstate", "peer-failed.txt")
READ = READERS["ibportstate"]


def test_both_sides_are_read() -> None:
    report = parse(HEALTHY)
    assert report.peer is not None
    assert (report.port.port, report.peer.port) == (3, 1)
    assert (report.port.heading, report.port.lid) == ("Switch", None)
    assert report.port.path == "slid 65535; dlid 65535; 0,1"
    assert report.port.is_active
    assert (report.port.width, report.port.lane_gbps) == ("4X", 2.5)


def test_extended_speeds_go_before_the_old_ones() -> None:
    text = PEER_FAILED.replace(
        "LinkSpeedActive:.................2.5 Gbps", "LinkSpeedActive:.................10.0 Gbps"
    )
    hdr = text.replace("No Extended Speed", "53.125 Gbps")
    assert parse(hdr).port.lane_gbps == 53.125
    xdr = hdr.replace(
        "ibportstate: iberror", "LinkSpeedExtActive2:.............212.5 Gbps\nibportstate: iberror"
    )
    assert parse(xdr).port.lane_gbps == 212.5
    assert parse(text.replace("No Extended Speed", "undefined (3)")).port.lane_gbps is None


def test_a_port_that_is_down_has_no_width_and_speed() -> None:
    port = parse(capture("ibportstate", "degraded.txt")).port
    assert (port.link_state, port.physical_state) == ("Down", "Polling")
    assert (port.width_active, port.width, port.lane_gbps) == ("4X", None, None)


def test_the_page_after_an_operation_is_the_ports() -> None:
    report = parse(capture("ibportstate", "disabled.txt"))
    assert [port.heading for port in report.ports] == ["Initial Switch", "After"]
    assert report.port.physical_state == "Disabled"
    assert not report.port.is_active
    assert report.remarks == ("Disable may be irreversible",)


def test_a_peer_that_cannot_be_asked_leaves_the_port() -> None:
    noise = (
        "ibwarn: [5350] mad_rpc: _do_madrpc failed; dport (Lid 2 DR path slid 1; dlid 65535; 0,3)\n"
    )
    for result in (
        ended(PEER_FAILED, rc=255),
        ended(noise + PEER_FAILED, rc=0),
        ended(PEER_FAILED, stderr=noise, rc=255),
    ):
        report = READ(result)
        assert report.port.link_state == "Active"
        assert report.peer is None
        assert report.failure == "ibportstate: iberror: failed: smp query nodeinfo failed"


def test_a_status_without_words_is_reported() -> None:
    assert READ(ended(HEALTHY, rc=255)).failure is not None
    assert READ(ended(HEALTHY, rc=0)).failure is None


def test_the_vendors_page_does_not_change_the_ports() -> None:
    vendor = (
        "# MLNX ext Port info: Lid 2 port 3\nStateChangeEnable:...............0x00\n"
        "LinkSpeedSupported:..............0x01\nLinkSpeedActive:.................0x00\n"
    )
    report = parse(PEER_FAILED.replace("ibportstate: iberror", vendor + "ibportstate: iberror"))
    assert report.port.speed_active == "2.5 Gbps"
    assert report.port.mlnx["LinkSpeedSupported"] == "0x01"


def test_two_reports_are_refused() -> None:
    for text in (HEALTHY * 2, HEALTHY + PEER_FAILED):
        with pytest.raises(Unreadable, match="2 reports"):
            parse(text)


def test_a_cut_page_is_incomplete() -> None:
    cut = HEALTHY[: HEALTHY.index("LinkWidthEnabled")]
    assert not parse(cut).port.complete
    half = HEALTHY[: HEALTHY.index("tive\nPhysLinkState")]
    assert (
        parse("Switch PortInfo:\n" + HEALTHY[: HEALTHY.index("SMLid")]).port.link_state == "Active"
    )
    with pytest.raises(Unreadable, match="expected '# Port info"):
        parse(half[: half.index("LinkState")])


def test_no_page_is_a_failed_tool() -> None:
    with pytest.raises(ToolFailed, match="smp query nodeinfo failed"):
        READ(ended(capture("ibportstate", "failed.txt"), rc=255))
    with pytest.raises(Unreadable, match="found none"):
        READ(ended(capture("ibportstate", "empty.txt")))


def page(state: str, vendor: str) -> str:
    return (
        f"# Port info: Lid 3 port 1\nLinkState:.......................{state}\n"
        "PhysLinkState:...................LinkUp\nLinkWidthActive:.................4X\n"
        "LinkSpeedSupported:..............2.5 Gbps\nLinkSpeedActive:.................2.5 Gbps\n"
        "Mkey:............................<not displayed>\nProtectBits:.....................0\n"
        f"# MLNX ext Port info: Lid 3 port 1\nLinkSpeedEnabled:................{vendor}\n"
        "LinkSpeedActive:.................0x00\n"
    )


def test_each_page_has_the_vendors_page_below_it() -> None:
    text = f"Initial CA/RT PortInfo:\n{page('Active', '0x01')}\nAfter PortInfo set:\n"
    before, after = parse(text + page("Down", "0x00")).ports
    assert before.mlnx == {"LinkSpeedEnabled": "0x01", "LinkSpeedActive": "0x00"}
    assert after.mlnx == {"LinkSpeedEnabled": "0x00", "LinkSpeedActive": "0x00"}
    vendor_only = page("Active", "0x01").partition("# MLNX")
    with pytest.raises(Unreadable, match="without the port's above"):
        parse("".join(vendor_only[1:]))


def test_a_page_of_a_later_version_ends_with_its_keys() -> None:
    assert parse(page("Active", "0x01")).port.complete
    assert not parse(page("Active", "0x01").partition("ProtectBits")[0]).port.complete


def test_an_excerpt_without_title_is_read_as_such() -> None:
    port = parse("LinkState:..........Active\nLinkWidthActive:....4X\n").port
    assert (port.port, port.link_state, port.width, port.complete) == (None, "Active", "4X", False)
    with pytest.raises(Unreadable, match="a title is missing"):
        parse("LinkState:..........Active\n" * 2)


def test_what_it_finds_wrong_with_a_link_is_kept() -> None:
    said = (
        "ibwarn: [9] validate_width: Peer ports operating at active width 1 rather than  2 (4x)\n"
    )
    for result in (ended(HEALTHY + said), ended(HEALTHY, stderr=said)):
        assert READ(result).remarks == (
            "Peer ports operating at active width 1 rather than  2 (4x)",
        )


def test_half_of_a_last_line_is_left_out() -> None:
    for text, lost in ((HEALTHY, "2.5 Gbps"), (page("Active", "0x01"), "0x01")):
        at = text.rindex(lost)
        assert not parse(text[: at + 1]).ports[-1].complete
    port = parse(HEALTHY[: HEALTHY.index("LinkSpeedActive") + 34]).port
    assert port.speed_active is None
