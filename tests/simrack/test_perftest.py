"""perftest between two machines: both ends report, and both ends' counters move."""

from __future__ import annotations

import json

import pytest

from fixtures.tools.fabric import ib_port
from fixtures.tools.rdma import perftest
from fixtures.tools.rdma.perftest_command import Pair
from lab.simrack.machine import Outcome
from tests.simrack.bench import Bench, as_result, bench

NEAR, FAR = "r01-ct01", "r01-ct02"
COUNTED = ib_port.counters_command(["mlx5_1"])


def run(rack: Bench, pair: Pair, json_file: str | None = None) -> list[Outcome]:
    address = rack.inventory.hosts[FAR].peer_address
    client = pair.client("mlx5_1", address, json_file=json_file)
    return rack.together((FAR, pair.server("mlx5_1").argv), (NEAR, client.argv))


def pair(program: str = "ib_write_bw", **changes: object) -> Pair:
    asked: dict[str, object] = {"size_bytes": 65536, "iterations": 5000, **changes}
    return Pair(program=program, key="load/rdma", port=18600, **asked)  # type: ignore[arg-type]


def counters(rack: Bench, host: str) -> ib_port.PortCounters:
    return ib_port.read_counters(rack.result(host, COUNTED))[0]


def test_bandwidth_is_read_and_counted_at_both_ends() -> None:
    rack = bench("rack7")
    before = counters(rack, NEAR), counters(rack, FAR)
    server, client = run(rack, pair())
    assert (server.rc, client.rc) == (0, 0)
    rows = perftest.read_bandwidth(
        as_result(NEAR, pair().client("mlx5_1", "x"), client), iterations=5000
    )
    assert rows[0].average_gbps == pytest.approx(392, abs=4)
    assert perftest.parse_bandwidth(server.stdout.decode()) == rows
    sent = counters(rack, NEAR).value("port_xmit_data") - before[0].value("port_xmit_data")
    received = counters(rack, FAR).value("port_rcv_data") - before[1].value("port_rcv_data")
    assert sent == received
    assert sent * 4 >= 5000 * 65536


def test_a_duration_is_kept_and_has_no_peak() -> None:
    _, client = run(bench("rack7"), pair(iterations=None, duration_s=1))
    assert client.duration_s >= 1
    assert perftest.parse_bandwidth(client.stdout.decode())[0].peak_gbps is None


def test_latency_is_ordered_and_longer_over_a_spine() -> None:
    rack = bench("rack42")
    asked = pair("ib_write_lat", size_bytes=2, iterations=1000)
    client = asked.client("mlx5_0", "r08-ct18")
    _, far = rack.together(("r08-ct18", asked.server("mlx5_0").argv), (NEAR, client.argv))
    near = run(rack, asked)[1]
    rows = [perftest.parse_latency(end.stdout.decode(), iterations=1000)[0] for end in (near, far)]
    assert rows[0].typical_us == pytest.approx(1.27, abs=0.02)
    assert rows[1].typical_us == pytest.approx(1.72, abs=0.02)


def test_the_client_writes_its_json_file() -> None:
    rack = bench("rack7")
    run(rack, pair(), json_file="/tmp/result.json")
    text = rack.ask(NEAR, "cat", "/tmp/result.json")
    assert perftest.parse_bandwidth_json(text, iterations=5000)[0].size_bytes == 65536
    run(rack, pair("ib_write_lat", size_bytes=2), json_file="/tmp/result.json")
    text = rack.ask(NEAR, "cat", "/tmp/result.json")
    assert perftest.parse_latency_json(text, iterations=5000)[0].size_bytes == 2
    assert set(json.loads(text)) == {"test_info", "results"}


def test_a_client_without_a_server_is_refused() -> None:
    outcome = bench("rack7").run(NEAR, *pair().client("mlx5_1", FAR).argv)
    assert outcome.rc == 1
    assert outcome.stderr.startswith(b"Couldn't connect to r01-ct02:18600")


def test_a_client_that_comes_as_the_server_ends_is_refused() -> None:
    rack = bench("rack7")
    server = ("timeout", "0.05", *pair().server("mlx5_1").argv)
    client = pair().client("mlx5_1", FAR).argv
    outcomes = rack.together((FAR, server), (NEAR, ("sleep", "0.05")), (NEAR, client))
    assert outcomes[0].rc in (0, 124)
    assert rack.run(NEAR, *client).rc == 1


def test_two_servers_cannot_have_one_port() -> None:
    rack = bench("rack7")
    argv = ("timeout", "0.2", *pair().server("mlx5_1").argv)
    first, second = rack.together((FAR, argv), (FAR, argv))
    assert (first.rc, second.rc) == (124, 1)
    assert not rack.site.listening


def test_a_port_that_is_down_or_slow_shows() -> None:
    down = bench("rack7", f"port.down@{NEAR}/mlx5_1/1")
    assert down.run(NEAR, *pair().client("mlx5_1", FAR).argv).stderr.startswith(
        b" Port number 1 state is Down"
    )
    _, client = run(bench("rack7", f"port.wrong_rate@{FAR}/mlx5_1"), pair())
    row = perftest.parse_bandwidth(client.stdout.decode())[0]
    assert row.average_gbps == pytest.approx(196, abs=3)


def test_the_version_is_one_that_writes_json() -> None:
    outcome = bench("rack7").run(NEAR, "ib_write_bw", "--version")
    assert outcome.rc == 1
    assert perftest.supports_json(outcome.stdout.decode())
