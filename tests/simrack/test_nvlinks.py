"""NVLinks as hardware: where each ends, what a broken one leaves, and what traffic counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.model.loading import load_inventory
from fixtures.model.subjects import subjects
from fixtures.tools.nvlink import imex_ctl
from lab.simrack.devices import NO_CLUSTER, GpuState
from lab.simrack.host_setup import Service
from lab.simrack.imex import joined
from lab.simrack.machine import Site
from lab.simrack.nvlink_traffic import (
    count_collective,
    count_copy,
    group_share,
    pair_share,
    trunk_share,
)
from lab.simrack.nvlinks import chip
from lab.simrack.state import World, build
from tests.simrack import probes as ask
from tests.simrack.bench import INVENTORIES, Bench, bench


@pytest.fixture(scope="module")
def rack7() -> World:
    return bench("rack7").site.world


@pytest.fixture
def rack42() -> World:
    return bench("rack42").site.world


def gpu(world: World, part: str) -> GpuState:
    host, slot = part.split("/")
    return next(one for one in world.hosts[host].gpus if one.slot == slot)


def test_every_gpu_has_one_link_to_each_chip_of_its_rack(rack7: World) -> None:
    chips = {chip(link) for link in gpu(rack7, "r01-ct18/gpu3").links}
    assert chips == {(f"r01-sw{tray:02d}", number) for tray in range(1, 10) for number in (1, 2)}


def test_a_switch_tray_has_an_access_port_for_each_link_that_ends_there(rack7: World) -> None:
    ports = rack7.nvlinks.ports["r01-sw04"]
    assert set(ports) == {f"acp{number}" for number in range(1, 145)}
    assert ports["acp91"].near.node == "r01-ct05/gpu2"
    assert (ports["acp91"].near.port, ports["acp91"].far.chip) == ("link7", 2)


def test_a_server_has_its_switch_chips_on_its_own_board() -> None:
    links = gpu(bench("hgx8").site.world, "hgx03/gpu7").links
    on_board = [link.far.node for link in links]
    assert [on_board.count(f"hgx03/nvswitch{number}") for number in range(4)] == [5, 4, 4, 5]
    assert len({(link.far.node, link.far.port) for link in links}) == 18


def test_trunks_join_the_trays_that_the_plan_joins(rack42: World) -> None:
    trunk = rack42.nvlinks.ports["r01-sw04"]["sw1p2s1"]
    assert (trunk.near.node, trunk.near.port) == ("r01-sw04", "sw1p2s1")
    assert (trunk.far.node, trunk.far.port, trunk.cable) == ("r03-sw04", "sw1p1s1", "C1229")
    assert len(list(rack42.nvlinks.trunks_of("r08"))) == 7 * 9


def test_a_pair_gets_what_the_slower_end_carries_at_each_chip() -> None:
    world = bench("rack7", "nvlink.link_down@r01-ct02/gpu1/link3").site.world
    one, other = gpu(world, "r01-ct02/gpu1"), gpu(world, "r01-ct09/gpu0")
    other.links[4].share = 0.5
    assert pair_share(world, one, other) == pytest.approx((18 - 1.5) / 18)
    other.links[3].up = False
    assert pair_share(world, one, other) == pytest.approx((18 - 1.5) / 18)


def test_a_port_that_forwards_nothing_takes_its_share_although_the_link_is_up(rack7: World) -> None:
    world = bench("rack7").site.world
    one, other = gpu(world, "r01-ct02/gpu1"), gpu(world, "r01-ct09/gpu0")
    one.links[3].far.active = False
    assert one.links[3].trained == one.links[3].rate
    assert pair_share(world, one, other) == pytest.approx(17 / 18)


def test_racks_without_trunks_between_them_do_not_reach_each_other(rack42: World) -> None:
    one, other = gpu(rack42, "r01-ct02/gpu1"), gpu(rack42, "r05-ct09/gpu0")
    assert pair_share(rack42, one, other) == pytest.approx(1.0)
    rack42.nvlinks.between("r05", "r01")[3][0].up = False
    assert pair_share(rack42, one, other) == pytest.approx(16 / 18)
    assert group_share(rack42, [one, other]) == pytest.approx(8 / 9)
    for trunk in rack42.nvlinks.trunks_of("r05"):
        trunk.up = False
    assert pair_share(rack42, one, other) == 0.0
    assert trunk_share(rack42, "r05") == 0.0
    assert trunk_share(rack42, "r01") == pytest.approx(6 / 7)


def test_a_copy_is_counted_at_both_ends_of_every_link_of_its_way(rack42: World) -> None:
    source, target = gpu(rack42, "r01-ct02/gpu1"), gpu(rack42, "r05-ct09/gpu0")
    count_copy(rack42, source, target, 18 * 1000)
    assert [link.near.sent_bytes for link in source.links] == [1000] * 18
    assert [link.far.received_bytes for link in source.links] == [1000] * 18
    assert [link.far.sent_bytes for link in target.links] == [1000] * 18
    assert [link.near.received_bytes for link in target.links] == [1000] * 18
    trunks = [links[0] for links in rack42.nvlinks.between("r01", "r05").values()]
    assert [trunk.far.received_bytes for trunk in trunks] == [2000] * 9


def test_a_collective_brings_the_errors_of_the_links_that_it_uses() -> None:
    world = bench("rack7").site.world
    link = gpu(world, "r01-ct02/gpu1").links[14]
    link.near.rates["link_recovery"] = 2.0
    members = world.hosts["r01-ct02"].gpus
    count_collective(world, members, 18 << 30)
    assert link.near.errors == {"link_recovery": 2}


def test_nvbandwidth_moves_the_counters_of_the_links() -> None:
    rack = bench("rack7", "nvlink.link_down@r01-ct02/gpu1/link3")
    rack.run("r01-ct02", "nvbandwidth", "-j", "-t", "device_to_device_memcpy_read_ce")
    links = gpu(rack.site.world, "r01-ct02/gpu1").links
    assert links[3].near.sent_bytes == links[3].far.received_bytes == 0
    assert links[2].near.sent_bytes == links[2].far.received_bytes > 1 << 30


def test_links_that_the_product_does_not_have_are_no_fault() -> None:
    """Twelve of eighteen, as a pair of PCIe cards has: twelve are active, and none is missing."""
    bought = load_inventory("hgx8", INVENTORIES)
    counts = {**bought.profile.counts}
    twelve = counts["nvlinks_per_gpu"].model_copy(update={"equals": 12})
    counts["nvlinks_per_gpu"] = twelve
    inventory = replace(bought, profile=replace(bought.profile, counts=counts))
    rack = Bench(inventory, Site.of(build(inventory, 1)))
    facts = ask.facts(rack, "hgx02")
    links = [facts.link_summary(slot) for slot in facts.gpus]
    assert [(one.active, one.inactive, one.down) for one in links] == [(12, 0, [])] * 8
    report = ask.copies(ask.D2D)(rack, "hgx02")
    assert {round(gbytes / 10) for _, _, gbytes in report.flows()} == {26}


def test_two_servers_that_imex_connects_are_no_nvlink_domain() -> None:
    """IMEX is up on both, and still no GPU of one reaches the other over NVLink."""
    rack = bench("hgx8")
    pair = [rack.site.world.hosts[name] for name in ("hgx01", "hgx02")]
    for host in pair:
        host.imex = joined([one.address for one in pair], host.driver)
        host.setup.services["nvidia-imex"] = Service()
    assert imex_ctl.read(rack.result("hgx01", imex_ctl.command())).up
    facts = ask.facts(rack, "hgx01")
    assert {slot.fabric_domain for slot in facts.gpus} == {f"{NO_CLUSTER}/0"}
    assert subjects(rack.inventory, "imex-domain") == []
