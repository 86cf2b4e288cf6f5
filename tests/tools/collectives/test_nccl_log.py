"""NCCL's log says which network, transports and devices a job used, or that it does not say."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.collectives import nccl_log
from fixtures.tools.collectives.log_model import Setting
from tests.tools.captures import capture, ended

HEALTHY = nccl_log.parse(capture("nccl-log", "healthy.txt"))
DEGRADED = nccl_log.parse(capture("nccl-log", "degraded.txt"))
PREFIX = "r01-ct01:9:9 [0] NCCL INFO "


def test_network_version_and_devices_are_read() -> None:
    assert (HEALTHY.versions, HEALTHY.network) == (("2.28.3+cuda13.0",), "IB")
    assert HEALTHY.cuda_driver == 13000
    assert [(hca.name, hca.link_layer, hca.sharp) for hca in HEALTHY.hcas or ()] == [
        ("mlx5_0", "IB", True),
        ("mlx5_1", "RoCE", False),
        ("mlx5_2", "RoCE", False),
    ]
    assert [(gdr.name, gdr.enabled) for gdr in HEALTHY.gdr or ()] == [("mlx5_0", True)]
    assert HEALTHY.settings == (Setting(name="NCCL_IB_HCA", value="mlx5_0,mlx5_1"),)


def test_several_lines_make_one_rank() -> None:
    [rank] = HEALTHY.ranks or ()
    assert (rank.rank, rank.nranks, rank.nodes, rank.mnnvl) == (0, 8, 2, True)
    assert (rank.cuda_device, rank.nvml_device, rank.comm_id) == (0, 2, "0x7d11")
    assert rank.states == ("Init START", "Init COMPLETE")


def test_a_bus_id_is_an_address() -> None:
    [rank] = HEALTHY.ranks or ()
    assert rank.pci == "0008:01:00.0"
    assert [old.pci for old in DEGRADED.ranks or ()] == ["0000:1b:00.0"]


def test_domains_of_nvlink_and_switches_are_read() -> None:
    [mnnvl], [fabric] = HEALTHY.mnnvl or (), HEALTHY.fabric or ()
    assert (mnnvl.used, mnnvl.clique_id, mnnvl.clique_size) == (True, 0x7FFE, 8)
    assert (fabric.state, fabric.health_mask, fabric.pci) == (3, 0, "0008:01:00.0")
    assert [nvls.available for nvls in HEALTHY.nvls or ()] == [True]
    assert [nvls.available for nvls in DEGRADED.nvls or ()] == [False]
    assert [what.what for what in HEALTHY.connected or ()] == ["all rings", "NVLS tree"]
    assert [(c.coll, c.nvls, c.p2p) for c in HEALTHY.channels or ()] == [(24, 16, 32)]


def test_channels_go_over_transports() -> None:
    assert HEALTHY.transports == {"P2P/MNNVL", "NET/IB"}
    edges = HEALTHY.edges or ()
    assert len(edges) == 3  # the order of a ring (`Channel 00/24 : 0 1 2`) is no edge
    assert (edges[2].source, edges[2].target, edges[2].direction) == (7, 0, "receive")
    assert edges[2].transport == "NET/IB/0/GDRDMA/Shared"


def test_old_releases_and_other_networks_have_their_own_forms() -> None:
    assert DEGRADED.versions == ("2.18.3+cuda12.1",)
    assert (DEGRADED.network, DEGRADED.sockets) == ("Socket", ("eth0", "eth1"))
    assert [edge.connection for edge in DEGRADED.edges or ()] == [None, None]
    assert [(gdr.hca, gdr.gpu, gdr.enabled) for gdr in DEGRADED.gdr or ()] == [(1, "43000", False)]


def test_a_host_without_adapters_has_none() -> None:
    assert DEGRADED.hcas == ()


def test_a_network_may_have_a_name_of_two_words() -> None:
    log = nccl_log.parse(capture("nccl-log", "plugin.txt"))
    assert log.network == "AWS Libfabric"
    assert log.versions == ("2.22.3-develop:1a2b3c",)
    assert [(plugin.kind, plugin.name, plugin.version) for plugin in log.plugins or ()] == [
        ("NET", "AWS Libfabric", "v8"),
        ("NET/collnet", "SHARP", "v8"),
        ("TUNER", "nccl_ofi_tuner", None),
    ]
    assert [edge.transport for edge in log.edges or ()] == [
        "COLLNET/SHARP/0/GDRDMA",
        "NET/AWS Libfabric/2(1)/GDRDMA",
    ]


def test_a_log_of_warnings_does_not_say_which_network() -> None:
    log = nccl_log.read(ended(capture("nccl-log", "failed.txt"), rc=1))
    assert (log.info, log.networks, log.network, log.hcas, log.edges) == (False,) + (None,) * 4
    first, second = log.warnings
    assert (first.file, first.line, first.function) == ("transport/net_ib.cc", 1301, "ncclIbTest")
    assert (second.host, second.device, second.function) == ("r01-ct02", 3, None)
    assert second.text.endswith("Connection refused")


def test_ranks_with_different_networks_have_no_common_one() -> None:
    log = nccl_log.parse(f"{PREFIX}Using network IB\n{PREFIX}Using network Socket\n")
    assert (log.networks, log.network) == (("IB", "Socket"), None)


def test_two_ranks_in_one_line_are_not_untangled() -> None:
    said = "NVLS multicast support is available on dev 0"
    torn = f"{PREFIX}{said}3767c65d25c4:9:9 [1] NCCL INFO Using network IB\n"
    log = nccl_log.parse(f"{torn}{PREFIX}Connected all trees\n")
    assert (log.nvls, log.networks) == (None, None)


def test_a_warning_without_its_source_is_a_warning() -> None:
    log = nccl_log.parse("graph/topo.cc:15 (f) NCCL WARN Fusing NET devices\n")
    [warned] = log.warnings
    assert (warned.host, warned.file, warned.line) == (None, "graph/topo.cc", 15)


@pytest.mark.parametrize("text", ["", "hello\n", "# nThread 1 nGpus 1\n", "NCCL_DEBUG=INFO ./a"])
def test_a_log_without_nccl_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable, match="no line of NCCL"):
        nccl_log.parse(text)


def test_a_log_on_standard_error_is_read() -> None:
    log = nccl_log.read(ended("3 epochs\n", stderr=f"{PREFIX}Using network IB\n"))
    assert log.network == "IB"


def test_blanks_before_colons_differ() -> None:
    log = nccl_log.parse(
        "NCCL INFO NET/IB: GPU Direct RDMA Enabled for HCA 2 'mlx5_2'\n"
        "NCCL INFO NET/FastSocket : Using [0]ens7:192.0.2.4<0>\n"
        "NCCL INFO Ring 03 : 0[0] -> 1[1] via P2P/IPC\n"
    )
    assert [(gdr.net, gdr.name) for gdr in log.gdr or ()] == [("IB", "mlx5_2")]
    assert (log.sockets, log.hcas) == (("ens7",), None)
    assert log.transports == {"P2P/IPC"}


def test_a_plugin_names_functions_instead_of_files() -> None:
    [warned] = nccl_log.parse(
        "[2026-03-04 05:06:07] r03-ct07:71001:71100 [2] "
        "ncclResult_t plugin_init(logger_t, plugin_t**):166 NCCL WARN NET/OFI no device\n"
    ).warnings
    assert (warned.host, warned.pid, warned.device) == ("r03-ct07", 71001, 2)
    assert (warned.function, warned.line) == ("ncclResult_t plugin_init(logger_t, plugin_t**)", 166)
    assert (warned.file, warned.text) == (None, "NET/OFI no device")


def test_lines_that_a_paste_joined_with_blanks_are_told_apart() -> None:
    joined = (
        "r03-ct07:1:11 [0] NCCL INFO Using network IB" + " " * 40 + "r03-ct07:2:12 [1] NCCL INFO "
        "Connected all rings   r03-ct07:3:13 [2] NCCL INFO Using network Socket"
    )
    log = nccl_log.parse(joined)
    assert (log.networks, log.connected and log.connected[0].pid) == (("IB", "Socket"), 2)


def test_the_nvlink_domain_and_gins_plugin_came_with_2_30() -> None:
    log = nccl_log.parse(
        "r03-ct07:1:1 [0] NCCL INFO GIN/Plugin: Assigned plugin GIN_IB_PROXY type 2 to comm\n"
        "r03-ct07:1:1 [0] NCCL INFO MNNVL 1 cliqueId 7f cliqueSize 8 cliqueRank 5 "
        "nvlDomainSize 16\n"
    )
    [mnnvl], [plugin] = log.mnnvl or (), log.plugins or ()
    assert (mnnvl.clique_id, mnnvl.clique_size, mnnvl.domain_size) == (0x7F, 8, 16)
    assert (plugin.kind, plugin.name, plugin.version) == ("GIN", "GIN_IB_PROXY", None)


@pytest.mark.parametrize(
    "prefix",
    ["", "  ", " 0: ", "> ", "[1,0]<stdout>:", "[prterun-r03-7@1,0]<stdout>: ", "[pod/a/b] "],
)
def test_the_version_may_have_a_launchers_label(prefix: str) -> None:
    log = nccl_log.parse(f"{prefix}NCCL version 2.28.3+cuda13.0\n")
    assert (log.versions, log.info) == (("2.28.3+cuda13.0",), False)


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (
            "MNNVL busId 0x801000 fabric UUID 9b2.71c cliqueId 0x7ffe state 3 healthMask 0x0",
            "fabric",
        ),
        ("NVLS multicast support is available on dev 80", "nvls"),
        ("MNNVL 1 cliqueId 7ffe cliqueSize 8 cliqueRank 0", "mnnvl"),
        ("cudaDriverVersion 13000", "cuda_driver"),
    ],
)
def test_a_number_that_runs_into_something_else_is_none(message: str, field: str) -> None:
    line = f"r01-ct01:9001:9051 [0] NCCL INFO {message}"
    assert getattr(nccl_log.parse(f"{line}\n"), field) is not None
    assert getattr(nccl_log.parse(f"{line}r01-ct01\n"), field) is None
