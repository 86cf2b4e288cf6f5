"""Traffic takes the cables of the plan, and every end of every link of its way counts it."""

from __future__ import annotations

import pytest

from lab.simrack.flows import Flows
from lab.simrack.network import Network
from tests.simrack.bench import bench


def network(name: str = "rack7", *faults: str) -> Network:
    return bench(name, *faults).site.world.network


def nodes(net: Network, near: str, far: str) -> list[str]:
    return [end.node for _, end in net.way(net.nics[near], net.nics[far])]


@pytest.mark.parametrize(("name", "cables"), [("rack7", 136), ("hgx8", 192), ("rack42", 1216)])
def test_every_cable_of_the_plan_is_a_link_with_two_ends(name: str, cables: int) -> None:
    net = network(name)
    assert len(net.cables) == cables
    assert len(net.ends) == 2 * cables
    assert all(net.trained(link) for link in net.cables.values())
    assert len({switch.guid for switch in net.switches.values()}) == len(net.switches)


def test_a_way_stays_in_a_leaf_or_takes_one_spine() -> None:
    net = network()
    here = nodes(net, "r01-ct01/mlx5_0/1", "r01-ct02/mlx5_0/1")
    assert here == ["r01-ct01/mlx5_0", "leaf-r0-1"]
    over = nodes(net, "r01-ct01/mlx5_0/1", "r01-ct02/mlx5_1/1")
    assert [node.split("-")[0] for node in over] == ["r01", "leaf", "spine", "leaf"]


def test_static_ways_are_spread_over_all_links_of_a_leaf() -> None:
    net = network()
    near = net.nics["r01-ct01/mlx5_0/1"]
    ways = [net.way(near, nic) for port, nic in net.nics.items() if "/mlx5_0/" not in port]
    assert {link.cable for _, (link, _), *_ in ways} == {
        link.cable for link, _ in net.ups("leaf-r0-1")
    }


def test_a_transfer_is_counted_at_both_ends_of_every_link() -> None:
    net = network()
    net.manager.adaptive = False
    near, far = net.nics["r01-ct01/mlx5_0/1"], net.nics["r01-ct02/mlx5_1/1"]
    with Flows().flow(net, near, far) as flow:
        flow.carry(near, 1000, 1)
    for link, source in net.way(near, far):
        assert (source.sent_bytes, link.opposite(source).received_bytes) == (1000, 1000)
    assert near.end.received_bytes == 0


def test_adaptive_routing_uses_every_way_and_static_routing_collides() -> None:
    net, flows = network(), Flows()
    near, far = net.nics["r01-ct01/mlx5_0/1"], net.nics["r01-ct02/mlx5_1/1"]
    with flows.flow(net, near, far) as one, flows.flow(net, near, far) as other:
        assert len(one.there[1]) == 16
        assert one.reaches == other.reaches == 200.0
    net.manager.adaptive = False
    with flows.flow(net, near, far) as alone:
        assert [len(stage) for stage in alone.there] == [1, 1, 1, 1]
        assert alone.reaches == 400.0


@pytest.mark.parametrize("fault", ["port.down@r01-ct01/mlx5_0/1", "nic.missing@r01-ct01/mlx5_0/1"])
def test_a_nic_without_a_link_leaves_its_leaf_without_one_too(fault: str) -> None:
    net = network("rack7", fault)
    leaf_end = net.ends["leaf-r0-1/1"]
    assert net.peer(leaf_end) is None
    assert nodes(net, "r01-ct01/mlx5_0/1", "r01-ct02/mlx5_0/1") == []


def test_a_narrow_port_is_narrow_at_its_leaf() -> None:
    link = network("rack7", "port.narrow@r01-ct01/mlx5_0/1").at["leaf-r0-1/1"]
    assert (link.lanes, link.reaches) == (2, 200.0)
