"""`perfquery` is read by title and field name, whatever stands around it."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.fabric.perfquery import command, parse
from fixtures.tools.readers import READERS
from tests.tools.captures import capture, ended

HEALTHY = capture("perfquery", "healthy.txt")
TITLE = "# Port counters: Lid 9 port 3 (CapMask: 0x1400)\n"


def block(lid: int = 9, port: int = 3, **values: int) -> str:
    counters = {"SymbolErrorCounter": 0, "LinkDownedCounter": 0, "PortXmitWait": 0} | values
    fields = "".join(
        f"{name}:{'.' * (32 - len(name))}{value}\n" for name, value in counters.items()
    )
    return (
        f"# Port counters: Lid {lid} port {port} (CapMask: 0x1400)\nPortSelect:..{port}\n{fields}"
    )


def test_a_port_is_read_whole() -> None:
    (port,) = parse(HEALTHY)
    assert (port.kind, port.lid, port.port, port.cap_mask) == ("Port counters", 1, 1, 0x1200)
    assert port.value("PortXmitData") == 10512
    assert port.complete
    assert port.saturated == ()
    assert "PortSelect" not in port.counters


def test_one_command_asks_for_the_extended_counters() -> None:
    assert command(7, 1).argv == ("perfquery", "-x", "7", "1")


def test_classic_counters_stop_at_their_own_width() -> None:
    (port,) = parse(
        block(SymbolErrorCounter=65535, LinkDownedCounter=255, LocalLinkIntegrityErrors=15)
    )
    assert port.saturated == (
        "SymbolErrorCounter",
        "LinkDownedCounter",
        "LocalLinkIntegrityErrors",
    )
    assert port.value("LinkDownedCounter") == 255


def test_extended_counters_do_not_stop_there() -> None:
    text = block(LinkDownedCounter=255).replace("Port counters", "Port extended counters")
    assert parse(text)[0].saturated == ()
    assert parse(text.replace("..255", f"..{2**64 - 1}"))[0].saturated == ("LinkDownedCounter",)


def test_port_255_is_the_sum_of_all_ports() -> None:
    (port,) = parse(capture("perfquery", "degraded-all-ports.txt"))
    assert port.all_ports
    assert port.saturated == ("SymbolErrorCounter", "LinkDownedCounter")


def test_a_loop_gives_every_port() -> None:
    assert [port.port for port in parse(capture("perfquery", "degraded.txt"))] == [1, 3]


def test_old_names_are_kept_and_complete_without_xmit_wait() -> None:
    (port,) = parse(capture("perfquery", "old.txt"))
    assert port.value("SymbolErrors") == 12
    assert port.complete


def test_other_counter_sets_have_other_titles() -> None:
    (port,) = parse(capture("perfquery", "discards.txt"))
    assert port.kind == "PortXmitDiscardDetails counters"
    assert port.complete
    assert parse(capture("perfquery", "extended.txt"))[0].extended


def test_the_same_port_in_two_sets_is_no_second_report() -> None:
    assert len(parse(HEALTHY + HEALTHY.replace("Port counters", "Port extended counters"))) == 2


def test_a_port_twice_is_two_reports() -> None:
    with pytest.raises(Unreadable, match="2 reports"):
        parse(HEALTHY + HEALTHY)


def test_warnings_and_banners_between_the_lines_are_skipped() -> None:
    noisy = (
        "Every 1.0s: perfquery -l 7 1\n\n"
        "ibwarn: [812] dump_perfcounters: PerfMgt ClassPortInfo CapMask 0x00; No extended counter\n"
        + HEALTHY.replace("\n", "\r\n")
    )
    assert parse(noisy) == parse(HEALTHY)
    assert parse("> " + HEALTHY.replace("\n", "  \n> ")) == parse(HEALTHY)


def test_a_direct_path_has_no_lid() -> None:
    (port,) = parse(HEALTHY.replace("Lid 1 port", "DR path slid 0; dlid 0; 0,1 port"))
    assert (port.lid, port.path) == (None, "slid 0; dlid 0; 0,1")


def test_an_unsupported_counter_is_unknown_not_zero() -> None:
    (port,) = parse(HEALTHY.replace("PortXmitWait:....................0", "PortXmitWait:....N/A"))
    assert port.counters["PortXmitWait"] is None
    with pytest.raises(Unreadable, match="no counter PortXmitWait"):
        port.value("PortXmitWait")


def test_a_cut_block_is_incomplete_and_half_a_number_is_left_out() -> None:
    head, _, _ = HEALTHY.partition("12\nPortRcvData")
    (port,) = parse(head)
    assert not port.complete
    assert "PortXmitData" not in port.counters
    assert parse(HEALTHY.rstrip("\n")) == parse(HEALTHY)


def test_an_extended_block_ends_with_what_its_mask_promises() -> None:
    text = capture("perfquery", "extended.txt")
    cut = text[: text.index("PortUnicastXmitPkts")]
    assert not parse(cut)[0].complete
    assert parse(cut.replace("0x1300", "0x1100"))[0].complete


def test_an_excerpt_without_title_is_read_as_such() -> None:
    (port,) = parse("SymbolErrorCounter:..............250\nLinkDownedCounter:...............3\n")
    assert (port.kind, port.lid, port.complete) == (None, None, False)
    assert port.value("SymbolErrorCounter") == 250


def test_a_number_that_is_none_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="LinkDownedCounter"):
        parse(TITLE + "LinkDownedCounter:...............-1\n")


def test_the_selected_port_is_the_one_of_the_title() -> None:
    with pytest.raises(Unreadable, match="PortSelect is 4"):
        parse(TITLE + "PortSelect:......................4\nSymbolErrorCounter:..............0\n")


def test_a_failure_in_a_loop_is_not_passed_over() -> None:
    failed = HEALTHY + "perfquery: iberror: failed: classportinfo query\n"
    with pytest.raises(ToolFailed, match="classportinfo query"):
        parse(failed)
    with pytest.raises(ToolFailed, match="exit status 255"):
        READERS["perfquery"](ended(HEALTHY, rc=255))


def test_two_hosts_in_one_output_are_refused() -> None:
    labelled = "".join(f"{rank}: {line}\n" for rank in (0, 1) for line in HEALTHY.splitlines())
    with pytest.raises(Unreadable, match="2 reports"):
        parse(labelled)
    one = "".join(f"0: {line}\n" for line in HEALTHY.splitlines())
    assert parse(one) == parse(HEALTHY)


@pytest.mark.parametrize(
    "kind",
    [
        "SwPortVLCongestion counters",
        "PortVLXmitWaitCounters counters",
        "PortExtendedSpeedsCounters with RS-FEC Active counters",
        "PortSamplesControl",
    ],
)
def test_the_title_of_every_counter_set_is_known(kind: str) -> None:
    (port,) = parse(f"# {kind}: Lid 9 port 3\nPortSelect:......................3\nTick:....7\n")
    assert (port.kind, port.lid, port.port, port.counters) == (kind, 9, 3, {"Tick": 7})


def test_a_title_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(Unreadable, match="expected '# Port counters"):
        parse(HEALTHY + "# Port counters: Lid\nLinkDownedCounter:...............3\n")


def test_half_of_a_last_line_is_left_out() -> None:
    assert len(parse(HEALTHY + "# Port counters: Lid 61 port 3")) == 1
    (port,) = parse(
        "# PortVLOpData counters: Lid 1 port 1\nPortVLOpData0:....7\nPortVLOpData1:....1"
    )
    assert (port.counters, port.complete) == ({"PortVLOpData0": 7}, False)


def test_a_counter_set_of_16_lanes_ends_with_the_last() -> None:
    lanes = "".join(f"SWPortVLCongestion{lane}:....{lane}\n" for lane in range(16))
    text = f"# SwPortVLCongestion counters: Lid 1 port 1\nPortSelect:....1\n{lanes}"
    assert parse(text)[0].complete
    assert not parse(text.partition("SWPortVLCongestion15")[0])[0].complete


def test_masks_have_as_many_digits_as_they_were_given() -> None:
    text = capture("perfquery", "extended.txt").replace(
        "CapMask2: 0x0000000", "CapMask2: 0x0000012"
    )
    (port,) = parse(text)
    assert (port.cap_mask, port.cap_mask2) == (0x1300, 0x12)
