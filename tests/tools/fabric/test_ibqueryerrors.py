"""`ibqueryerrors`: bad ports are counted once, and a cut report says that it is one."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.fabric.ibqueryerrors import parse
from fixtures.tools.readers import READERS
from tests.tools.captures import capture, ended

DEGRADED = capture("ibqueryerrors", "degraded.txt")
HEALTHY = capture("ibqueryerrors", "healthy.txt")
READ = READERS["ibqueryerrors"]


def test_no_bad_port_is_a_whole_report() -> None:
    report = parse(HEALTHY)
    assert (report.bad, report.bad_ports, report.ports_checked) == ((), 0, 28)
    assert report.complete


def test_port_all_is_a_sum_and_no_port() -> None:
    adapter, leaf = parse(DEGRADED).bad
    assert [port.port for port in leaf.ports] == [3]
    assert leaf.sum is not None
    assert leaf.sum.counters == leaf.ports[0].counters
    assert (adapter.guid, adapter.name, adapter.sum) == (None, "host-b", None)


def test_guids_without_leading_zeros_are_filled_up() -> None:
    assert parse(DEGRADED).bad[1].guid == "0000000000200001"


def test_link_lines_belong_to_the_port_above() -> None:
    (port,) = parse(DEGRADED).bad[0].ports
    assert port.link is not None
    assert "leaf-a" in port.link


def test_saturated_counters_are_named() -> None:
    assert parse(DEGRADED).bad[1].ports[0].saturated == ("SymbolErrorCounter", "LinkDownedCounter")


def test_counters_with_a_unit_are_wide_and_do_not_stop_at_255() -> None:
    text = DEGRADED.replace("[LinkDownedCounter == 255]", "[LinkDownedCounter == 255 (255.000)]")
    port = parse(text).bad[1].ports[0]
    assert "LinkDownedCounter" in port.wide
    assert port.saturated == ("SymbolErrorCounter",)


def test_data_counters_are_kept_beside_the_errors() -> None:
    (port,) = parse(capture("ibqueryerrors", "degraded-details.txt")).bad[0].ports
    assert port.counters["PortXmitDiscards"] == 7
    assert port.counters["PortXmitData"] == 1872


def test_data_counters_only_are_no_errors() -> None:
    report = parse(capture("ibqueryerrors", "counters.txt"))
    assert report.bad == ()
    assert len(report.data) == 2
    assert report.complete


def test_thresholds_and_suppressed_counters_are_read() -> None:
    text = HEALTHY.replace("Thresholds: ", "Thresholds: [SymbolErrorCounter = 10]")
    text = text.replace("Suppressed:", "Suppressed: PortXmitWait PortRcvSwitchRelayErrors")
    report = parse(text)
    assert report.thresholds == {"SymbolErrorCounter": 10}
    assert report.suppressed == ("PortXmitWait", "PortRcvSwitchRelayErrors")


def test_ports_that_could_not_be_asked_are_counted() -> None:
    text = HEALTHY.replace("## Suppressed", "##          3 PMA query failures\n## Suppressed")
    assert parse(text).pma_query_failures == 3


def test_a_report_without_its_summary_is_incomplete() -> None:
    cut = DEGRADED[: DEGRADED.index("\n## Summary")]
    assert not parse(cut).complete
    fewer = DEGRADED[DEGRADED.index('Errors for 0x200001 "leaf-a"') :]
    assert not parse(fewer).complete


def test_half_of_a_last_line_is_left_out() -> None:
    report = parse(DEGRADED[: DEGRADED.index("== 65535] [LinkDownedCounter")])
    assert [node.name for node in report.bad] == ["host-b", "leaf-a"]
    assert report.bad[1].sum is None
    with pytest.raises(Unreadable, match="port 3"):
        parse(DEGRADED.replace("port 3: [SymbolErrorCounter == 65535]", "port 3: [Symbol"))


def test_more_ports_than_the_summary_counts_are_two_reports() -> None:
    with pytest.raises(Unreadable, match="its summary counts"):
        parse(DEGRADED.replace("2 ports have errors", "1 ports have errors"))
    with pytest.raises(Unreadable, match="2 reports"):
        parse(DEGRADED + DEGRADED)


def test_a_name_may_hold_quotes() -> None:
    text = DEGRADED.replace('Errors for "host-b"', 'Errors for "host "b" HCA-1"')
    assert parse(text).bad[0].name == 'host "b" HCA-1'


def test_exit_status_1_means_bad_ports() -> None:
    assert READ(ended(DEGRADED, rc=1)).bad_ports == 2
    assert READ(ended(DEGRADED, rc=0)).bad_ports == 2
    with pytest.raises(ToolFailed, match="0 ports are bad"):
        READ(ended(HEALTHY, rc=1))


def test_a_failed_discovery_is_a_failed_tool() -> None:
    with pytest.raises(ToolFailed, match="discover failed"):
        READ(ended(capture("ibqueryerrors", "failed.txt"), rc=0))
    with pytest.raises(ToolFailed, match="discover failed"):
        READ(ended("", stderr="discover failed\n", rc=255))
    with pytest.raises(Unreadable, match="found none"):
        parse(capture("ibqueryerrors", "empty.txt"))


def test_warnings_of_the_mad_library_are_skipped() -> None:
    noise = "ibwarn: [77] _do_madrpc: recv failed: Connection timed out\n"
    assert parse(noise + DEGRADED.replace("\n   GUID", "\n" + noise + "   GUID")) == parse(DEGRADED)


def test_lines_that_a_mail_client_broke_are_read() -> None:
    broken = (
        DEGRADED.replace("] [", "]\n[")
        .replace(" == 65535", " ==\n65535")
        .replace("errors beyond threshold", "errors beyond\nthreshold")
        .replace("bad nodes found", "bad nodes\nfound")
        .replace("==>  0x", "==>\n0x")
    )
    assert broken.count("\n") > DEGRADED.count("\n") + 5
    report, whole = parse(broken), parse(DEGRADED)
    assert report.complete
    assert [node.ports[0].counters for node in report.bad] == [
        node.ports[0].counters for node in whole.bad
    ]
    assert (report.bad[0].ports[0].link or "").split() == (whole.bad[0].ports[0].link or "").split()


def test_an_excerpt_below_the_title_has_its_ports() -> None:
    (node,) = parse(DEGRADED[DEGRADED.index("   GUID 0x200001 port 3") :]).bad
    assert (node.name, [port.port for port in node.ports]) == (None, [3])
    assert not parse(DEGRADED[DEGRADED.index("   GUID 0x200001 port 3") :]).complete
    counters = capture("ibqueryerrors", "counters.txt")
    report = parse(counters[counters.index("   GUID") :])
    assert report.bad == ()
    assert report.data[0].name is None


def test_what_it_says_on_standard_error_is_the_reason() -> None:
    said = "ibwarn: [7] sa_query: timed out\nQuery SA failed: Connection timed out\n"
    with pytest.raises(ToolFailed, match="Query SA failed"):
        READ(ended("", stderr=said))


def test_half_of_a_link_is_left_out() -> None:
    (node,) = parse(DEGRADED[: DEGRADED.index("] ==(") + 1]).bad
    assert node.ports[0].link is None
