"""The shapes in which perftest's versions and options print their tables."""

from __future__ import annotations

import textwrap

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.rdma import perftest
from fixtures.tools.rdma.perftest_bw import PortShare
from fixtures.tools.readers import READERS
from tests.tools.captures import capture, ended


def bw(name: str) -> str:
    return capture("perftest", f"bw-{name}")


def lat(name: str) -> str:
    return capture("perftest", f"lat-{name}")


def test_each_direction_is_a_row_of_its_own_and_not_another_report() -> None:
    rows = perftest.parse_bandwidth(bw("both-directions.txt"))
    assert [(row.end, row.average_gbps) for row in rows] == [
        (None, 780.10), ("local", 390.11), ("remote", 389.99),
    ]  # fmt: skip


def test_each_port_has_its_share() -> None:
    [row] = perftest.parse_bandwidth(bw("two-ports.txt"))
    assert row.average_gbps == 189.77
    assert row.ports == (
        PortShare(port=1, average_gbps=95.02, mpps=0.181236),
        PortShare(port=2, average_gbps=94.75, mpps=0.180722),
    )


def test_service_levels_and_processor_load_have_columns() -> None:
    rows = perftest.parse_bandwidth(bw("qos.txt"))
    assert [(row.service_level, row.average_gbps, row.cpu_util_percent) for row in rows] == [
        (3, 95.88, 12.50), (5, 47.91, 12.75),
    ]  # fmt: skip
    assert perftest.parse_bandwidth_json(bw("qos.json"))[0].service_level == 3


def test_a_run_without_end_repeats_its_size() -> None:
    rows = perftest.parse_bandwidth(bw("forever.txt"))
    assert [(row.size_bytes, row.peak_gbps, row.mpps) for row in rows] == [
        (65536, None, 0.187186), (65536, None, 0.187179),
    ]  # fmt: skip


def test_old_versions_have_fewer_columns() -> None:
    [row] = perftest.parse_bandwidth(bw("old.txt"))
    assert row.mpps is None
    assert row.average_gbps == pytest.approx(26.966, abs=0.001)
    [times] = perftest.parse_latency(lat("old.txt"))
    assert (times.min_us, times.typical_us, times.average_us) == (1.12, 1.19, None)


def test_samples_are_no_rows_and_repeat_the_header() -> None:
    rows = perftest.parse_latency(lat("histogram.txt"))
    assert [(row.size_bytes, row.average_us) for row in rows] == [(2, 1.75), (4, 1.76)]


def test_cycles_under_a_header_of_usec_are_refused() -> None:
    with pytest.raises(Unreadable, match="cycles"):
        perftest.parse_latency(lat("cycles.txt"))


def test_cycles_are_seen_in_the_command_or_the_header() -> None:
    for option in ("-C", "-C -n 5", "--report-cycles"):
        with pytest.raises(Unreadable, match="cycles"):
            perftest.parse_latency(f"$ ib_write_lat -a {option}\n{lat('healthy.txt')}")
    with pytest.raises(Unreadable, match="usec"):
        perftest.parse_latency(lat("healthy.txt").replace("[usec]", "[cycles]"))
    assert perftest.parse_latency(f"$ ib_write_lat -d CX-C -a\n{lat('healthy.txt')}")


def test_frequency_warnings_stand_anywhere() -> None:
    noise = "Conflicting CPU frequency values detected: 1500.000000 != 3600.000000. CPU Frequency"
    head, header, rest = bw("sweep.txt").partition(" #bytes")
    text = f"{noise}\n{head}{noise}\n{header}{rest}".replace("\n 1048576", f"\n{noise}\n 1048576")
    assert text.count(noise) == 3
    assert perftest.parse_bandwidth(text) == perftest.parse_bandwidth(bw("sweep.txt"))


def test_columns_of_other_versions_are_no_obstacle() -> None:
    text = bw("healthy.txt").replace("MsgRate", "BW min[Gb/sec]   MsgRate")
    text = text.replace("0.747432", "390.02   0.747432")
    assert perftest.parse_bandwidth(text) == perftest.parse_bandwidth(bw("healthy.txt"))


def test_what_a_mail_client_broke_in_two_is_whole_again() -> None:
    for text, read in (
        (lat("healthy.txt"), perftest.parse_latency),
        (bw("healthy.txt"), perftest.parse_bandwidth),
    ):
        folded = "\n".join(textwrap.fill(line, 66) for line in text.splitlines()) + "\n"
        assert folded.count("\n") > text.count("\n") + 1
        assert read(folded) == read(text)


def test_a_value_in_bold_is_a_value() -> None:
    text = bw("healthy.txt").replace("391.87", "**391.87**")
    assert perftest.parse_bandwidth(text) == perftest.parse_bandwidth(bw("healthy.txt"))


def test_a_server_that_only_waited_has_no_result() -> None:
    with pytest.raises(Unreadable, match="only waited"):
        perftest.parse_bandwidth(bw("waited.txt"))
    with pytest.raises(Unreadable, match="waits for its client"):
        perftest.parse_latency("* Waiting for client to connect... *\n")


def test_a_port_that_is_down_is_the_reason() -> None:
    with pytest.raises(ToolFailed, match="state is Down"):
        perftest.parse_bandwidth(" Port number 1 state is Down\n Couldn't set the link layer\n")


def test_a_sweep_that_broke_off_is_no_sweep() -> None:
    with pytest.raises(ToolFailed, match="broke off after 2 rows: Completion with error"):
        perftest.parse_bandwidth(bw("swept-broke.txt"))


def test_a_bare_number_has_no_unit() -> None:
    with pytest.raises(Unreadable, match="--output"):
        perftest.parse_bandwidth("97.481230\n")


def test_numbers_cut_at_the_end_of_the_output_are_refused() -> None:
    text = bw("forever.txt").rstrip()
    assert len(perftest.parse_bandwidth(text)) == 2
    for lost in range(1, 8):
        with pytest.raises(Unreadable, match="ends within"):
            perftest.parse_bandwidth(text[:-lost])
    with pytest.raises(Unreadable, match="ends within"):
        perftest.parse_bandwidth(text[:-8].rstrip())
    with pytest.raises(Unreadable, match="5 columns"):
        perftest.parse_bandwidth(text[:-8] + "\n")


def test_each_end_has_one_table() -> None:
    text = bw("both-directions.txt")
    with pytest.raises(Unreadable, match="2 reports"):
        perftest.parse_bandwidth(text * 2)
    _, tables = text.split(" #bytes", 1)
    with pytest.raises(Unreadable, match="reports"):
        perftest.parse_bandwidth(f" #bytes{tables} #bytes{tables}")
    assert READERS["perftest-bw"](ended(text)).complete
    assert not READERS["perftest-bw"](ended(text.partition(" Remote")[0])).complete


def test_samples_without_their_row_are_the_start_of_one() -> None:
    whole = lat("histogram.txt").splitlines(keepends=True)
    last = max(at for at, line in enumerate(whole) if line.startswith(" #bytes"))
    assert not READERS["perftest-lat"](ended("".join(whole[:last]))).complete
    assert READERS["perftest-lat"](ended("".join(whole))).complete


def test_two_tables_or_two_processes_are_two_reports() -> None:
    with pytest.raises(Unreadable, match="2 reports"):
        perftest.parse_bandwidth(bw("healthy.txt") + lat("healthy.txt"))
    labelled = "".join(
        f"{rank}: {line}\n" for rank in (0, 1) for line in bw("healthy.txt").splitlines()
    )
    with pytest.raises(Unreadable, match="2 reports in one output"):
        perftest.parse_bandwidth(labelled)
    one = "".join(f"0: {line}\n" for line in bw("healthy.txt").splitlines())
    assert perftest.parse_bandwidth(one) == perftest.parse_bandwidth(bw("healthy.txt"))


def test_a_rate_that_the_messages_do_not_give_has_the_wrong_unit() -> None:
    with pytest.raises(Implausible, match="report_gbits"):
        perftest.parse_bandwidth(bw("mib.txt").replace("MB/sec", "Gb/sec"))
    with pytest.raises(Implausible, match="report_gbits"):
        perftest.parse_bandwidth_json(bw("healthy.json"), "MiB/sec")


def test_a_report_says_what_was_run_and_whether_it_ended() -> None:
    report = READERS["perftest-bw"](ended(bw("two-ports.txt")))
    assert (report.test, report.complete) == ("RDMA_Read BW Test", True)
    assert (report.settings["Device"], report.settings["Number of qps"]) == ("mlx5_2", "2")
    assert (report.settings["Dual-port"], report.settings["Mtu"]) == ("ON", "4096[B]")
    assert not READERS["perftest-bw"](ended(bw("forever.txt"))).complete
    left_out = bw("sweep.txt").replace(" 1048576 ", "...\n 1048576 ")
    assert not READERS["perftest-bw"](ended(left_out)).complete
    assert READERS["perftest-lat"](ended(lat("healthy.json"))).settings["Mtu"] == "4096"


def test_small_rates_have_six_decimals_and_large_ones_two() -> None:
    small, large = perftest.parse_bandwidth(bw("sweep.txt"))
    assert (small.average_gbps, small.peak_gbps) == (0.045291, 0.045444)
    assert (large.average_gbps, large.mpps) == (391.95, 0.046724)


def test_client_and_server_in_one_file_are_two_reports() -> None:
    waits = "*" * 36 + "\n* Waiting for client to connect... *\n" + "*" * 36 + "\n"
    with pytest.raises(Unreadable, match="2 reports"):
        perftest.parse_bandwidth(bw("mib.txt") + waits + bw("mib.txt"))


def test_dots_around_an_excerpt_change_no_value() -> None:
    table = "-----\n #bytes" + lat("healthy.txt").partition(" #bytes")[2]
    text = (
        f"...\nStarting RDMA client 'ib_read_lat' for mlx5_0 (Port 18515)...\n\n...\n{table}...\n"
    )
    [row] = READERS["perftest-lat"](ended(text)).rows
    assert (row,) == perftest.parse_latency(lat("healthy.txt"))


def test_a_setting_that_perftest_does_not_write_is_left_out() -> None:
    text = lat("healthy.json").replace('"test_info": {', '"test_info": {"made_up": 40E6,', 1)
    assert '"made_up"' in text
    report = READERS["perftest-lat"](ended(text))
    assert "made_up" not in report.settings
    assert report.settings["Mtu"] == "4096"
