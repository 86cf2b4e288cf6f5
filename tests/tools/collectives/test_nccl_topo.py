"""NCCL's topology and graph files."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, RackError, Unreadable
from fixtures.tools.collectives import nccl_graph, nccl_topo
from tests.tools.captures import capture

HEALTHY = capture("nccl-topo", "healthy.xml")
GRAPH = capture("nccl-graph", "healthy.xml")


def test_a_dump_has_gpus_networks_and_links() -> None:
    topology = nccl_topo.parse(HEALTHY)
    [gpu], [nic] = topology.gpus, topology.nics
    assert gpu.gpu is not None
    assert (gpu.pci, gpu.parent, gpu.numa) == ("0008:01:00.0", "0000:05:00.0", 0)
    assert (gpu.gpu.sm, gpu.gpu.rank, gpu.gpu.gdr) == (103, 0, True)
    assert [(c2c.count, c2c.bw_mbytes) for c2c in gpu.gpu.c2c] == [(5, 44712)]
    [net] = nic.nets
    assert (net.name, net.speed_mbps, net.port, net.gdr) == ("mlx5_0", 800000, 1, True)
    assert (nic.link_speed_gts, nic.link_width) == (64.0, 16)


def test_an_unseen_switch_has_no_address() -> None:
    [gpu] = nccl_topo.parse(HEALTHY).gpus
    assert gpu.gpu is not None
    assert [(link.target, link.count) for link in gpu.gpu.links] == [(None, 18)]


def test_guids_have_all_their_digits() -> None:
    [nic] = nccl_topo.parse(HEALTHY).nics
    assert nic.nets[0].guid == "005a00a1b2c3d4e5"


def test_networks_without_pci_hang_on_the_cpu() -> None:
    [cpu] = nccl_topo.parse(HEALTHY).cpus
    [net] = cpu.nets
    assert (net.name, net.speed_mbps, net.guid) == ("eth0", None, None)


def test_what_the_kernel_does_not_know_is_unknown() -> None:
    topology = nccl_topo.parse(capture("nccl-topo", "degraded.xml"))
    gpu, nic = topology.devices
    assert (gpu.link_speed_gts, gpu.link_width, nic.link_speed_gts, nic.link_width) == (None,) * 4
    assert (topology.cpus[0].numa, topology.cpus[0].affinity) == (-1, None)


def test_a_prompt_before_the_file_is_not_its() -> None:
    assert nccl_topo.parse(f"$ cat topo.xml\n{HEALTHY}$ ") == nccl_topo.parse(HEALTHY)


def test_a_log_after_the_file_is_not_its() -> None:
    text = capture("nccl-topo", "healthy.xml")
    log = "```\n\nhost:1:1 [0] NCCL INFO Bootstrap : Using bond0:192.0.2.1<0>\n"
    assert nccl_topo.parse(text + log) == nccl_topo.parse(text)
    with pytest.raises(Unreadable, match="two files"):
        nccl_topo.parse(text + log + text)


def test_depth_does_not_matter() -> None:
    deep = "".join(f'<pci busid="0000:{n // 32:02x}:{n % 32:02x}.0">' for n in range(5000))
    text = f'<system version="1"><cpu numaid="0">{deep}{"</pci>" * 5000}</cpu></system>'
    assert len(nccl_topo.parse(text).devices) == 5000


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEALTHY + HEALTHY,
        HEALTHY[:-20],
        HEALTHY.replace('busid="0000:06:00.0"', 'busid="0000:05:00.0"'),
        HEALTHY.replace('busid="0008:01:00.0"', 'busid="GPU0"'),
        HEALTHY.replace('link_speed="64.0 GT/s PCIe"', 'link_speed="fast"'),
        HEALTHY.replace('dev="0" sm', "sm"),
        '<system version="1"/>',
        GRAPH,
        capture("nccl-topo", "failed.xml"),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nccl_topo.parse(text)


def test_an_impossible_number_is_implausible() -> None:
    with pytest.raises(Implausible):
        nccl_topo.parse(HEALTHY.replace('count="18"', 'count="-3"'))


def test_graphs_give_the_order_of_their_channels() -> None:
    ring, switch = nccl_graph.parse(GRAPH).graphs
    assert (ring.pattern_name, ring.type_intra, ring.speed_inter_gbytes) == ("ring", "NVL", 18.5)
    assert (ring.speed_intra_gbytes, nccl_graph.parse(GRAPH).version) == (20, 1)
    [channel] = ring.channels
    assert [hop.kind for hop in channel.hops] == ["net", "gpu", "gpu", "net"]
    assert channel.gpus == (1, 0)
    assert (switch.pattern_name, switch.channels) == ("NVLS", ())


def test_networks_of_newer_graphs_are_hexadecimal() -> None:
    [channel] = nccl_graph.parse(GRAPH).graphs[0].channels
    assert channel.hops[0].dev == 0x200000001


@pytest.mark.parametrize(
    "text",
    [
        "",
        GRAPH + GRAPH,
        GRAPH.replace('nchannels="1"', 'nchannels="2"'),
        GRAPH.replace('id="3"', 'id="0"'),
        GRAPH.replace('<gpu dev="1"/>', "").replace('<gpu dev="0"/>', ""),
        '<graphs version="1"/>',
        HEALTHY,
    ],
)
def test_graphs_that_do_not_add_up_are_refused(text: str) -> None:
    with pytest.raises(RackError):
        nccl_graph.parse(text)


def test_a_virtual_machine_has_bridges_that_do_not_exist() -> None:
    """Their devices have neither `gpu` nor `nic`; classes tell what they are."""
    bridge = '<pci busid="ffff:ff:0{0}.0" class="0x060400">{1}</pci>'
    pair = '<pci busid="000{0}:00:00.0" class="0x030200"/>'
    pair += '<pci busid="010{0}:00:00.0" class="0x020700"/>'
    pairs = "".join(bridge.format(n, pair.format(n)) for n in (1, 2))
    topology = nccl_topo.parse(f'<system version="1"><cpu numaid="0">{pairs}</cpu></system>')
    assert [gpu.pci for gpu in topology.gpus] == ["0001:00:00.0", "0002:00:00.0"]
    assert [(nic.pci, nic.parent) for nic in topology.nics] == [
        ("0101:00:00.0", "ffff:ff:01.0"),
        ("0102:00:00.0", "ffff:ff:02.0"),
    ]
    assert [device.is_virtual for device in topology.devices[:2]] == [True, False]


def test_a_dump_of_rccl_has_xgmi_links_below_a_comment() -> None:
    text = """<!--
 - somebody's rights
 -->
<system version="2"><cpu numaid="0"><pci busid="0000:4e:00.0" class="0x038000">
<gpu dev="0" sm="104" gcn="910" arch="38911" rank="0" gdr="1">
<xgmi target="0000:51:00.0" count="4" tclass="0x038000"/></gpu></pci></cpu></system>
"""
    topology = nccl_topo.parse(text)
    [device] = topology.gpus
    assert topology.version == 2
    assert device.gpu is not None
    assert [(link.kind, link.target, link.count) for link in device.gpu.links] == [
        ("xgmi", "0000:51:00.0", 4),
    ]
