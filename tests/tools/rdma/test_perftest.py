"""perftest reports give Gb/s and microseconds, whatever the layout."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.rdma import perftest, perftest_command
from tests.tools.captures import capture, ended


def bw(name: str) -> str:
    return capture("perftest", f"bw-{name}")


def lat(name: str) -> str:
    return capture("perftest", f"lat-{name}")


def test_bandwidth_is_read() -> None:
    [row] = perftest.read_bandwidth(ended(bw("healthy.txt")), iterations=5000)
    assert (row.size_bytes, row.iterations) == (65536, 5000)
    assert (row.peak_gbps, row.average_gbps, row.mpps) == (392.11, 391.87, 0.747432)
    assert perftest.parse_bandwidth(bw("degraded.txt"))[0].average_gbps == 96.02


def test_mib_are_converted() -> None:
    [row] = perftest.parse_bandwidth(bw("mib.txt"))
    assert row.average_gbps == pytest.approx(391.899, abs=0.001)


def test_a_duration_has_no_peak() -> None:
    [row] = perftest.parse_bandwidth(bw("duration.txt"))
    assert (row.peak_gbps, row.average_gbps) == (None, 391.86)


def test_a_sweep_has_its_rows() -> None:
    assert [row.size_bytes for row in perftest.parse_bandwidth(bw("sweep.txt"))] == [2, 1048576]


def test_latency_is_read() -> None:
    [row] = perftest.read_latency(ended(lat("healthy.txt")))
    assert (row.min_us, row.typical_us, row.average_us) == (1.71, 1.75, 1.76)
    assert (row.p99_us, row.p999_us, row.max_us, row.stdev_us) == (1.85, 4.02, 4.02, 0.04)
    assert perftest.parse_latency(lat("degraded.txt"))[0].p99_us == 188.85
    [long] = perftest.parse_latency(lat("duration.txt"))
    assert (long.average_us, long.p99_us) == (1.75, None)


def test_json_gives_the_same() -> None:
    assert perftest.parse_bandwidth_json(bw("healthy.json")) == perftest.parse_bandwidth(
        bw("healthy.txt")
    )
    assert perftest.parse_latency_json(lat("healthy.json")) == perftest.parse_latency(
        lat("healthy.txt")
    )


@pytest.mark.parametrize(
    "text", [bw("healthy.json")[:-4], bw("healthy.json") * 2, '{"results": []}', "{}", ""]
)
def test_broken_json_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        perftest.parse_bandwidth_json(text)
    with pytest.raises(Unreadable):
        perftest.parse_latency_json(text)


def test_what_cannot_be_true_is_implausible() -> None:
    for text in (bw("nan.txt"), bw("healthy.txt").replace("392.11", "192.11")):
        with pytest.raises(Implausible):
            perftest.parse_bandwidth(text)
    with pytest.raises(Implausible, match="p99"):
        perftest.parse_latency(lat("p99-below-min.txt"))
    with pytest.raises(Implausible, match="iterations"):
        perftest.parse_bandwidth(bw("healthy.txt"), iterations=5001)


@pytest.mark.parametrize("text", ["", bw("healthy.txt") * 2, lat("healthy.txt")])
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        perftest.parse_bandwidth(text)


def test_a_test_that_did_not_end_is_tool_failed() -> None:
    with pytest.raises(ToolFailed, match="Completion with error"):
        perftest.read_bandwidth(ended(bw("failed.txt"), rc=1))
    with pytest.raises(ToolFailed, match="did not run to its end"):
        perftest.parse_bandwidth(bw("torn.txt"))
    with pytest.raises(ToolFailed, match="Couldn't connect"):
        perftest.read_latency(ended(lat("failed.txt"), rc=1))


def test_versions_tell_who_writes_json() -> None:
    text = capture("perftest", "version.txt")
    assert perftest.read_version(ended(text, rc=1)) == (6, 24)
    assert perftest.supports_json(text)
    assert not perftest.supports_json("Version: 6.06\n")
    assert perftest.version("Version: 6.2\x1b[0m4\r\n") == (6, 24)
    for wrong in ("", "Version: ٣6.24\n", "Version: 6.2429496\n", "Version: 6.1e9\n", text * 2):
        with pytest.raises(Unreadable):
            perftest.supports_json(wrong)


def test_both_ends_get_the_same_test() -> None:
    pair = perftest_command.Pair(
        program="ib_write_bw", key="load/rail0", port=18515, size_bytes=65536, iterations=5000
    )
    server = pair.server("mlx5_0", gid_index=3)
    client = pair.client("mlx5_1", "192.0.2.7", json_file="/run/x.json")
    shared = ("-i", "1", "-p", "18515", "-s", "65536", "-n", "5000", "--report_gbits", "-F")
    assert server.argv == ("ib_write_bw", "-d", "mlx5_0", *shared, "-x", "3")
    assert client.argv == (
        *("ib_write_bw", "-d", "mlx5_1", *shared),
        *("--out_json", "--out_json_file=/run/x.json", "192.0.2.7"),
    )
    assert (server.key, client.key) == ("load/rail0/server", "load/rail0/client")
    assert pair.on_port(18516).server("mlx5_0").argv[6] == "18516"


def test_packets_are_marked_where_the_site_marks_them() -> None:
    pair = perftest_command.Pair(
        program="ib_write_bw", key="k", port=1, size_bytes=2, iterations=1, traffic_class=106
    )
    assert "--tclass=106" in pair.server("mlx5_0").argv
    assert "--tclass=106" in pair.client("mlx5_0", "192.0.2.7").argv


def test_a_latency_pair_over_time() -> None:
    pair = perftest_command.Pair(
        program="ib_write_lat", key="load/x", port=1, size_bytes=2, duration_s=120
    )
    argv = pair.server("mlx5_0").argv
    assert "-D" in argv
    assert "--report_gbits" not in argv
    assert pair.server("mlx5_0").deadline_s == 135.0
    with pytest.raises(ValueError, match="either"):
        perftest_command.Pair(program="ib_write_bw", key="k", port=1, size_bytes=2).server("m")
