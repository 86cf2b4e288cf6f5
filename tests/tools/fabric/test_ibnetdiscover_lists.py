"""The lists of ibnetdiscover: ports (-p), nodes (-l), and the scripts that make lists of it."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.fabric import ibnetdiscover
from fixtures.tools.fabric.ibnetdiscover_model import Kind, NodeList, PortReport
from tests.tools.captures import capture, ended

PORTS = capture("ibnetdiscover", "ports.txt")


def ports(text: str) -> PortReport:
    found = ibnetdiscover.parse(text)
    assert isinstance(found, PortReport)
    return found


def nodes(text: str) -> NodeList:
    found = ibnetdiscover.parse(text)
    assert isinstance(found, NodeList)
    return found


def test_a_linked_port_names_its_peer() -> None:
    port = ports(PORTS).ports[0]
    assert (port.kind, port.lid, port.number, port.width, port.speed) == (
        Kind.CA,
        *(21, 1, "4X", "NDR"),
    )
    assert port.description == "r03-ct07 mlx5_0"
    assert port.peer is not None
    assert (port.peer.lid, port.peer.port) == (11, 1)
    assert port.peer.description == "MF0;leaf-r0-1:MQM9700/U1"


def test_unlinked_ports_have_no_peer_whatever_speed_they_print() -> None:
    unlinked = ports(PORTS).unlinked
    assert [(port.number, port.speed) for port in unlinked] == [(3, "SDR"), (2, None), (1, "SDR")]
    assert unlinked[2].width is None


def test_names_without_quotes_are_those_of_older_versions() -> None:
    assert ports(PORTS).ports[-1].description == "it's a router"


def test_a_pair_of_names_that_cannot_be_told_apart_is_unknown() -> None:
    text = PORTS.replace("'r03-ct07 mlx5_0' - '", "'a' - 'b' - '")
    port = ports(text).ports[0]
    assert port.description is None
    assert port.peer is not None
    assert port.peer.description is None
    assert port.peer.lid == 11


def test_a_peer_without_a_row_makes_a_list_incomplete() -> None:
    assert ports(PORTS).complete
    assert not ports(PORTS[: PORTS.index("SW    11  1")]).complete


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (" 4x NDR - SW", " 4x NDR SW", "a name in quotes|a row like"),
        ("'MF0;leaf-r0-1:MQM9700/U1'\nSW", "'MF0;leaf\nSW", "a name in quotes"),
        ("- CA    21  1", "- CA    21  2", "which says otherwise|listed"),
        (" 4x NDR", "", "a row like"),
    ],
)
def test_a_damaged_row_is_refused(old: str, new: str, says: str) -> None:
    assert old in PORTS
    with pytest.raises(Unreadable, match=says):
        ports(PORTS.replace(old, new))


def test_a_cut_list_is_never_read_wrong() -> None:
    whole = ports(PORTS).ports
    for at in range(100, len(PORTS) - 1):
        found = ports(PORTS[:at])
        assert found.ports == whole[: len(found.ports)]


def test_a_port_that_is_listed_twice_is_refused() -> None:
    with pytest.raises(Unreadable, match="listed twice"):
        ports(PORTS + PORTS)


def test_nodes_of_every_kind_are_listed() -> None:
    found = nodes(capture("ibnetdiscover", "nodes.txt")).nodes
    assert [node.kind for node in found] == [Kind.CA, Kind.CA, Kind.SWITCH, Kind.ROUTER]
    assert [node.aggregation for node in found] == [False, True, False, False]
    assert (found[2].device_id, found[2].vendor_id, found[2].port_count) == (0xD2F2, 0x2C9, 65)
    assert found[3].description == 'edge "x" router'


def test_ibswitches_adds_what_a_topology_says_of_port_0() -> None:
    leaf, spine = nodes(capture("ibswitches", "healthy.txt")).nodes
    assert (leaf.lid, leaf.lmc, leaf.enhanced_port0) == (11, 0, True)
    assert (spine.lid, spine.lmc, spine.enhanced_port0) == (13, 1, False)
    assert spine.description == 'spine "one"'


def test_ibnodes_prints_both_lists() -> None:
    assert len(nodes(capture("ibnodes", "healthy.txt")).nodes) == 4


def test_a_node_that_is_listed_twice_is_refused() -> None:
    text = capture("ibhosts", "healthy.txt")
    with pytest.raises(Unreadable, match="listed twice"):
        nodes(text + text)


def test_a_cut_list_of_nodes_leaves_out_the_row_that_is_cut() -> None:
    text = capture("ibnodes", "healthy.txt")
    assert nodes(text).complete
    cut = nodes(text[: text.index(" base port 0") - 3])
    assert (len(cut.nodes), cut.complete) == (3, False)


def test_ibrouters_lists_routers() -> None:
    found = ibnetdiscover.read_routers(ended(capture("ibrouters", "healthy.txt")))
    assert isinstance(found, NodeList)
    assert [node.kind for node in found.nodes] == [Kind.ROUTER, Kind.ROUTER]
    assert found.nodes[0].description == 'edge "one" router'


def test_a_fabric_without_routers_prints_nothing_and_that_is_an_answer() -> None:
    assert ibnetdiscover.read_routers(ended("\n")) == NodeList(nodes=(), complete=True)
    unanswered = ibnetdiscover.read_routers(ended("", stderr="src/query_smp.c:197; timed out"))
    assert unanswered == NodeList(nodes=(), complete=False)


def test_nothing_is_no_answer_of_the_other_lists_nor_of_one_that_failed() -> None:
    with pytest.raises(Unreadable, match="or a list"):
        ibnetdiscover.read(ended(""))
    with pytest.raises(ToolFailed):
        ibnetdiscover.read_routers(ended("", rc=1, stderr="iberror: failed: discover failed"))
