"""The shapes in which perftest's versions and options print their tables and JSON."""

from __future__ import annotations

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


def test_a_server_that_only_waited_has_no_result() -> None:
    with pytest.raises(Unreadable, match="only waited"):
        perftest.parse_bandwidth(bw("waited.txt"))


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


def test_two_tables_or_two_processes_are_two_reports() -> None:
    with pytest.raises(Unreadable, match="2 reports"):
        perftest.parse_bandwidth(bw("healthy.txt") + lat("healthy.txt"))
    labelled = "".join(
        f"{rank}: {line}\n" for rank in (0, 1) for line in bw("healthy.txt").splitlines()
    )
    with pytest.raises(Unreadable, match="2 processes"):
        perftest.parse_bandwidth(labelled)
    one = "".join(f"0: {line}\n" for line in bw("healthy.txt").splitlines())
    assert perftest.parse_bandwidth(one) == perftest.parse_bandwidth(bw("healthy.txt"))


def test_a_rate_that_the_messages_do_not_give_has_the_wrong_unit() -> None:
    with pytest.raises(Implausible, match="report_gbits"):
        perftest.parse_bandwidth(bw("mib.txt").replace("MB/sec", "Gb/sec"))
    with pytest.raises(Implausible, match="report_gbits"):
        perftest.parse_bandwidth_json(bw("healthy.json"), "MiB/sec")


def test_json_alone_does_not_say_its_unit() -> None:
    [row] = READERS["perftest-bw"](ended(bw("healthy.json"))).rows
    assert (row.average_in_unknown_unit, row.peak_in_unknown_unit) == (391.87, 392.11)
    assert row.unit == "Gb/sec"
    pasted = f"$ cat perftest_out.json\n{bw('healthy.json')}$ \n"
    assert READERS["perftest-bw"](ended(pasted)).rows == (row,)


def test_the_json_of_old_versions_is_read_by_its_lines() -> None:
    report = READERS["perftest-bw"](ended(bw("unquoted.json")))
    assert (report.test, report.settings) == ("RDMA_Write_BW_Test", {"Mtu": "4096"})
    [row] = report.rows
    assert (row.size_bytes, row.average_in_unknown_unit) == (65536, 391.87)
    assert READERS["perftest-lat"](ended(lat("unquoted.json"))).rows == perftest.parse_latency(
        lat("healthy.txt")
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("MsgRate: 0.747432,\n", ""),  # complete without it
        ("},\n}", "},\n"),
        ("Mtu: 4096,", "Mtu 4096,"),
        ("BW_peak: 392.11,", "BW_peak: 392.11.7,"),
        ("BW_peak: 392.11,", "BW_peak: 392.11,\nBW_peak: 1.0,"),
        ("results: {", "other: {"),
        ("},\n}\n", "},\n}\n{\n}\n"),
    ],
)
def test_what_is_not_the_old_shape_is_unreadable(old: str, new: str) -> None:
    text = bw("unquoted.json").replace(old, new)
    if not new and "MsgRate" in old:
        assert perftest.parse_bandwidth_json(text)[0].mpps is None
        return
    with pytest.raises(Unreadable):
        perftest.parse_bandwidth_json(text)


def test_duration_json_has_an_average_only() -> None:
    [row] = perftest.parse_latency_json(lat("duration.json"))
    assert (row.average_us, row.typical_us, row.transactions_per_s) == (1.75, None, 285714.28)
    assert row.cpu_util_percent == 3.12


def test_a_report_says_what_was_run_and_whether_it_ended() -> None:
    report = READERS["perftest-bw"](ended(bw("two-ports.txt")))
    assert (report.test, report.complete) == ("RDMA_Read BW Test", True)
    assert (report.settings["Device"], report.settings["Number of qps"]) == ("mlx5_2", "2")
    assert (report.settings["Dual-port"], report.settings["Mtu"]) == ("ON", "4096[B]")
    assert not READERS["perftest-bw"](ended(bw("forever.txt"))).complete
    left_out = bw("sweep.txt").replace(" 1048576 ", "...\n 1048576 ")
    assert not READERS["perftest-bw"](ended(left_out)).complete
    assert READERS["perftest-lat"](ended(lat("healthy.json"))).settings["Mtu"] == "4096"
