"""One trouble at the far end of many links is one finding, and it names what they share."""

from __future__ import annotations

import pytest

from fixtures.analysis.blame import Finding, findings
from fixtures.analysis.signals import Row
from tests.analysis.rack import row, rows
from tests.analysis.site import (
    CABLES,
    GPUS,
    HOSTS,
    LINKS,
    PORTS,
    SWITCHES,
    TRAYS,
    cable_at,
    leaf_of,
    site,
)

RACK = [gpu for gpu in GPUS if gpu.startswith("r02")]
TRAY = "r02-sw02"
COPIES = [f"{a}->{b}" for host in HOSTS for a in GPUS for b in GPUS
          if a != b and a.startswith(host) and b.startswith(host)]  # fmt: skip


def blame(*groups: list[Row]) -> list[Finding]:
    return findings([one for group in groups for one in group], site())


def down(links: list[str]) -> list[Row]:
    """What nvidia-smi shows of GPUs that have lost these links."""
    gpus = {link.rpartition("/")[0] for link in links}
    return [
        *rows("nvlink.links_active", GPUS, gpus),
        *rows("nvlink.inactive_links", GPUS, gpus),
        *rows("fabric.health", GPUS, gpus),
        *(row("nvlink.inactive_links", link, "FAIL") for link in links),
    ]


def test_dead_chip_is_one_finding_with_its_tray_and_number() -> None:
    (found,) = blame(down([f"{gpu}/link3" for gpu in RACK]))
    assert (found.part, found.kind, found.label) == (TRAY, "switch", "U24 ASIC 2")
    assert len(found.because) == 4 * len(RACK)


def test_dead_switch_tray_is_one_finding_for_both_of_its_chips() -> None:
    (found,) = blame(down([f"{gpu}/link{n}" for gpu in RACK for n in (2, 3)]))
    assert (found.part, found.label) == (TRAY, "U24")


def test_copies_that_are_slow_for_it_are_its_second_signal() -> None:
    slow = [cell for cell in COPIES if cell.startswith("r02")]
    (found,) = blame(
        down([f"{gpu}/link3" for gpu in RACK]),
        rows("nvlink.d2d_bandwidth", COPIES, slow),
        rows("nccl.rack_all_reduce_busbw", list(TRAYS), ["r02"]),
    )
    assert (found.part, found.confidence) == (TRAY, "high")


def test_every_tray_being_slow_alone_is_explained_by_the_switch_of_their_rack() -> None:
    (found,) = blame(
        down([f"{gpu}/link3" for gpu in RACK]),
        rows("nccl.tray_all_reduce_busbw", HOSTS, TRAYS["r02"]),
        rows("nccl.rack_all_reduce_busbw", list(TRAYS), ["r02"]),
    )
    assert (found.part, found.confidence) == (TRAY, "high")


def test_log_of_a_host_is_about_the_nic_that_has_failed() -> None:
    nic = PORTS[2].removesuffix("/1")
    (found,) = blame(
        rows("identity.port_guid", [port[:-2] for port in PORTS], [nic]),
        rows("nic.driver_faults", HOSTS, [nic.split("/")[0]]),
    )
    assert (found.part, found.confidence) == (nic, "high")


def test_switch_that_says_so_itself_is_the_second_signal() -> None:
    (found,) = blame(
        down([f"{gpu}/link3" for gpu in RACK]),
        rows(
            "nvlink.switch_asics", [tray for trays in SWITCHES.values() for tray in trays], [TRAY]
        ),
    )
    assert (found.part, found.confidence) == (TRAY, "high")


def test_a_gpu_with_a_dead_link_of_its_own_is_named_beside_the_chip() -> None:
    links = [f"{gpu}/link3" for gpu in RACK]
    found = blame(down([*links, f"{RACK[5]}/link0", f"{RACK[5]}/link1"]))
    assert {one.part for one in found} == {TRAY, RACK[5]}


def test_links_of_one_number_on_two_gpus_are_not_a_chip() -> None:
    found = blame(down([f"{RACK[0]}/link3", f"{RACK[9]}/link3"]))
    assert {one.part for one in found} == {f"{RACK[0]}/link3", f"{RACK[9]}/link3"}
    assert all(one.startswith(TRAY) for each in found for one in each.suspects)


def test_link_that_is_down_at_both_ends_is_one_finding_and_the_links() -> None:
    link, port = f"{RACK[0]}/link3", f"{TRAY}/acp17"
    (found,) = blame(down([link]), [row("nvlink.access_port_rate", port, "FAIL")])
    assert (found.part, found.suspects) == (link, (port,))


def test_port_that_is_bad_at_the_switch_alone_explains_the_copies_of_its_gpu() -> None:
    port, gpu = f"{TRAY}/acp17", RACK[0]
    (found,) = blame(
        [row("nvlink.one_sided_ports", port, "FAIL")],
        rows("nvlink.d2d_bandwidth", COPIES, [c for c in COPIES if gpu in c.split("->")]),
        rows("nccl.tray_all_reduce_busbw", HOSTS, [gpu.split("/")[0]]),
        rows("nccl.rack_all_reduce_busbw", list(TRAYS), ["r02"]),
    )
    assert (found.part, found.confidence) == (port, "high")
    assert f"{gpu}/link3" in found.suspects


def test_tray_that_is_slow_alone_is_explained_by_the_link_in_it_that_is_down() -> None:
    link = f"{RACK[0]}/link3"
    (found,) = blame(
        [row("nvlink.inactive_links", link, "FAIL")],
        rows("nccl.tray_all_reduce_busbw", HOSTS, [link.split("/")[0]]),
    )
    assert (found.part, found.confidence) == (link, "high")


def test_switch_tray_that_is_dead_and_does_not_answer_is_one_finding() -> None:
    (found,) = blame(
        down([f"{gpu}/link{n}" for gpu in RACK for n in (2, 3)]),
        [row("reach.ssh", TRAY, "INCONCLUSIVE", "unreachable")],
        [row("nvlink.switch_asics", TRAY, "INCONCLUSIVE", f"blocked-by:reach.ssh@{TRAY}")],
    )
    assert (found.part, found.confidence) == (TRAY, "high")
    assert "check power" in found.action


def test_rack_that_has_lost_all_links_is_the_rack() -> None:
    found = blame(down([f"{gpu}/link{n}" for gpu in RACK for n in range(LINKS)]))
    assert found[0].part == "r02"


def test_dead_leaf_is_one_finding() -> None:
    ports = [port for port in PORTS if leaf_of(port) == "leaf-r1-2"]
    (found,) = blame(rows("port.state", PORTS, ports), rows("port.phys_state", PORTS, ports))
    assert (found.part, found.kind) == ("leaf-r1-2", "switch")


def test_dead_leaf_is_seen_from_both_sides() -> None:
    ports = [port for port in PORTS if leaf_of(port) == "leaf-r1-2"]
    ends = [end for _, *both in CABLES.values() for end in both if end.startswith("leaf")]
    mine = [end for end in ends if end.startswith("leaf-r1-2/")]
    (found,) = blame(rows("port.state", PORTS, ports), rows("link.state", ends, mine))
    assert (found.part, found.confidence) == ("leaf-r1-2", "high")


def test_dead_spine_explains_its_cables_of_every_leaf() -> None:
    ends = [end for _, *both in CABLES.values() for end in both if end.startswith("leaf")]
    up = [end for end in ends if cable_at(end) in set(spine_cables("spine-02"))]
    (found,) = blame(rows("link.state", ends, up))
    assert (found.part, found.kind, len(found.because)) == ("spine-02", "switch", len(up))


def spine_cables(spine: str) -> list[str]:
    return [f"cable:{name}" for name, (_, *ends) in CABLES.items()
            if any(end.startswith(spine) for end in ends)]  # fmt: skip


def test_trunk_cable_explains_both_of_its_ends() -> None:
    ends = ["r01-sw02/sw1p3s1", "r03-sw02/sw1p1s1"]
    others = [f"{tray}/sw1p2s1" for tray in SWITCHES["r01"]]
    (found,) = blame(rows("nvlink.trunk_state", [*ends, *others], ends))
    assert (found.part, found.kind, found.suspects) == (cable_at(ends[0]), "cable", tuple(ends))
    assert "r01-sw02 sw1p3s1" in found.label


def test_host_cable_with_both_ends_bad_is_named_by_the_port() -> None:
    port = PORTS[3]
    far = next(both[1] for _, *both in CABLES.values() if both[0] == port)
    (found,) = blame(rows("port.state", PORTS, [port]), [row("link.state", far, "FAIL")])
    assert (found.part, found.confidence) == (port, "high")
    assert set(found.suspects) == {far, cable_at(port)}


def test_one_ended_trouble_of_a_port_suspects_cable_and_far_end() -> None:
    (found,) = blame(rows("port.width", PORTS, [PORTS[3]]))
    assert found.part == PORTS[3]
    assert cable_at(PORTS[3]) in found.suspects
    assert "before a swap" in found.action


def test_rack_that_is_cut_off_is_named_and_not_its_neighbours() -> None:
    trunks = [ends for kind, *ends in CABLES.values() if kind == "trunk"]
    every = [end for ends in trunks for end in ends]
    lost = [end for ends in trunks if any(end.startswith("r03") for end in ends) for end in ends]
    (found,) = blame(rows("nvlink.trunk_state", every, lost))
    assert (found.part, found.kind) == ("r03", "rack")


def test_slow_rack_is_not_blamed_on_a_port_that_its_collective_does_not_use() -> None:
    found = blame(
        rows("port.width", PORTS, [PORTS[0]]),
        rows("nccl.rack_all_reduce_busbw", list(TRAYS), ["r01"]),
    )
    assert {one.part for one in found} == {PORTS[0], "r01"}


def test_wrong_serial_does_not_make_a_slow_path_its_own() -> None:
    cell = f"{GPUS[0]}->{GPUS[1]}"
    found = blame(
        rows("identity.gpu_serial", GPUS, [GPUS[0]]), rows("nvlink.d2d_bandwidth", COPIES, [cell])
    )
    assert {(one.part, one.confidence) for one in found} == {(GPUS[0], "medium"), (cell, "low")}


@pytest.mark.parametrize("metric", ["imex.domain_state", "fabric.nodes_per_cluster_uuid"])
def test_registration_of_the_domain_is_explained_by_the_tray_that_is_down(metric: str) -> None:
    (found,) = blame(rows("gpu.bound", GPUS, [GPUS[6]]), [row(metric, "dom", "FAIL")])
    assert found.part == GPUS[6]
    (found,) = blame(
        [row("reach.ssh", HOSTS[2], "INCONCLUSIVE", "unreachable")], [row(metric, "dom", "FAIL")]
    )
    assert found.part == HOSTS[2]


def test_unknown_metric_names_its_part_with_a_general_step() -> None:
    (found,) = blame(rows("quark.spin", GPUS, [GPUS[4]]))
    assert (found.part, found.confidence) == (GPUS[4], "medium")
    assert "evidence" in found.action
