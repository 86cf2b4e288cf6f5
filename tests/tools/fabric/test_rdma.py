"""`rdma link`, `rdma statistic` and `show_gids`."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.fabric import rdma_link, rdma_statistic, show_gids
from tests.tools.captures import capture, ended

GIDS = capture("show-gids", "healthy.txt")


def test_details_and_capabilities_of_links_are_read() -> None:
    first, second = rdma_link.parse(capture("rdma-link", "details.txt"))
    assert (first.lid, first.sm_lid, first.lmc) == (42, 1, 0)
    assert (first.netdev, first.netdev_index) == ("ibp3s0", 6)
    assert (second.state, second.physical_state, second.netdev) == ("DOWN", "DISABLED", None)


def test_links_of_old_versions_begin_with_numbers() -> None:
    first, second = rdma_link.parse(capture("rdma-link", "old.txt"))
    assert (first.ifindex, first.ifname, first.port, first.lid) == (1, "mlx5_0", 1, 42)
    assert (second.ifindex, second.state, second.netdev) == (2, "DOWN", "ens3f1np1")


def test_links_of_several_commands_are_read_and_none_twice() -> None:
    text = "$ rdma link show mlx5_0/1\nlink mlx5_0/1 state ACTIVE physical_state LINK_UP \n"
    text += "$ rdma link show rxe0/1\nlink rxe0/1 state DOWN physical_state POLLING \n"
    assert [link.ifname for link in rdma_link.parse(text)] == ["mlx5_0", "rxe0"]
    with pytest.raises(Unreadable, match="listed twice"):
        rdma_link.parse(text * 2)


@pytest.mark.parametrize(
    "text",
    [
        "link mlx5_0/1 state ACTI physical_state LINK_UP\n",
        "link mlx5_0/1 state\n",
        "link mlx5_0 state ACTIVE\n",
        '[{"ifname":"mlx5_0","port":1,"state":7}]',
        '[{"ifname":"mlx5_0","port":1}]\n[{"ifname":"mlx5_1","port":1}]\n',
    ],
)
def test_links_that_are_not_understood_are_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        rdma_link.parse(text)


def test_statistics_are_read_as_text_and_json() -> None:
    first, second = rdma_statistic.read(ended(capture("rdma-statistic", "healthy.txt")))
    assert (first.ifname, first.port, first.counters["rx_write_requests"]) == ("mlx5_0", 1, 1203)
    assert (len(second.counters), second.saturated) == (6, ())
    first, _ = rdma_statistic.parse(capture("rdma-statistic", "healthy.json"))
    assert first.saturated == ("np_cnp_sent",)


def test_pretty_statistics_are_one_counter_a_line() -> None:
    first, soft = rdma_statistic.parse(capture("rdma-statistic", "degraded.txt"))
    assert first.counters["local_ack_timeout_err"] == 17
    assert first.saturated == ("out_of_sequence",)
    assert soft.counters == {"sent_pkts": 12, "rcvd_pkts": 11}


def test_queue_pairs_have_counters_of_their_own() -> None:
    first, second = rdma_statistic.parse(capture("rdma-statistic", "queues.txt"))
    assert (first.counter_id, first.qp_type, first.pid) == (8, "RC", 4411)
    assert (first.comm, first.lqpns) == ("ib_write_bw", (178, 179))
    assert (second.comm, second.counters["out_of_sequence"]) == ("[ib_core]", 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "link mlx5_0/1 qp auto off\n",
        "dev mlx5_0 mrn 3 page_faults 0\n",
        "link mlx5_0/1 a 1 a 2\n",
        '[{"ifname":"mlx5_0","port":1,"a":-1}]',
        '[{"ifname":"mlx5_0","port":1,"a":true}]',
    ],
)
def test_statistics_that_are_not_understood_are_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        rdma_statistic.parse(text)


def test_gids_keep_blank_cells_blank() -> None:
    found = show_gids.read(ended(GIDS))
    assert (found.stated, found.complete, len(found.gids)) == (4, True, 4)
    assert [(g.index, g.ipv4, g.roce, g.netdev) for g in found.gids] == [
        (0, None, 1, "ens3f0np0"),
        (1, None, 2, "ens3f0np0"),
        (3, "10.20.0.7", 2, "ens3f0np0"),
        (0, None, 1, None),
    ]


def test_versions_of_two_words_are_one_cell() -> None:
    [row] = show_gids.parse(GIDS.splitlines()[4].replace("\tv2", "\tRoCE v2") + "\n").gids
    assert (row.version, row.roce, row.netdev, row.ipv4) == ("RoCE v2", 2, "ens3f0np0", "10.20.0.7")


def test_a_kernel_without_types_has_no_version() -> None:
    [row] = show_gids.parse(capture("show-gids", "degraded.txt")).gids
    assert (row.device, row.version, row.roce, row.netdev) == ("mlx5_bond_0", None, None, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        GIDS * 2,
        GIDS.replace("n_gids_found=4", "n_gids_found=5"),
        GIDS.replace("fe80:", "fe8:"),
        GIDS.replace("mlx5_1\t1\t0", "mlx5_0\t1\t0"),
    ],
)
def test_gids_that_are_not_understood_are_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        show_gids.parse(text)


def test_a_host_without_devices_is_a_failure() -> None:
    with pytest.raises(ToolFailed, match="cannot access"):
        show_gids.read(ended(capture("show-gids", "failed.txt")))


def test_counters_that_a_mail_wrapped_are_read() -> None:
    text = "> link mlx5_0/1 rx_write_requests 4 rx_read_requests\n> 7 out_of_buffer 0\n"
    [found] = rdma_statistic.parse(text)
    assert found.counters == {"rx_write_requests": 4, "rx_read_requests": 7, "out_of_buffer": 0}
