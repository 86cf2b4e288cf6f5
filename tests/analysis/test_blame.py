"""Which part a run points to: one fault at a time, and what follows from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.analysis.actions import action_of
from fixtures.analysis.blame import Finding, findings
from fixtures.analysis.families import FAMILIES
from fixtures.analysis.signals import Row, independent
from tests.analysis.rack import GPUS, HOSTS, PORTS, RACKS, cells, row, rows, small_domain

TRAY = "r01-ct01"
GPU = f"{TRAY}/gpu2"
PORT = f"{TRAY}/mlx5_0/1"
PAIRS = [f"{a}->{b}" for rail in (0, 1) for a, b in (
    (f"{HOSTS[n]}/mlx5_{rail}/1", f"{HOSTS[n + 1]}/mlx5_{rail}/1") for n in (0, 2, 4)
)]  # fmt: skip


def blame(*groups: list[Row]) -> list[Finding]:
    return findings([one for group in groups for one in group], small_domain())


def parts(found: list[Finding]) -> list[str]:
    return [one.part for one in found]


def test_healthy_rack_has_no_findings() -> None:
    assert blame(rows("nvlink.links_active", GPUS), rows("nccl.busbw", RACKS)) == []


def test_state_names_the_gpu_with_medium_confidence() -> None:
    (found,) = blame(rows("nvlink.links_active", GPUS, [GPU]))
    assert (found.part, found.kind, found.label) == (GPU, "gpu", "U21 slot 3")
    assert (found.confidence, found.signals) == ("medium", ("nvlink.links_active",))
    assert found.repeat == ("identity", "nvlink")


def test_link_that_is_down_explains_its_gpus_count() -> None:
    (found,) = blame(
        rows("nvlink.links_active", GPUS, [GPU]),
        [row("nvlink.link_state", f"{GPU}/link5", "FAIL")],
    )
    assert (found.part, found.kind) == (f"{GPU}/link5", "link")
    assert len(found.because) == 2


def test_several_links_blame_their_gpu() -> None:
    links = [f"{GPU}/link{n}" for n in range(18)]
    (found,) = blame(rows("nvlink.link_state", links, links[3:5]))
    assert found.part == GPU
    assert found.suspects == (links[3], links[4])


def test_state_and_matrix_row_make_high_confidence() -> None:
    bad = [cell for cell in cells(TRAY) if GPU in cell.split("->")]
    (found,) = blame(
        rows("nvlink.links_active", GPUS, [GPU]),
        rows("nvlink.d2d_bandwidth", cells(TRAY), bad),
    )
    assert (found.part, found.confidence) == (GPU, "high")


@pytest.mark.parametrize("role", [0, 1])
def test_row_or_column_blames_the_gpu(role: int) -> None:
    bad = [cell for cell in cells(TRAY) if cell.split("->")[role] == GPU]
    assert parts(blame(rows("nvlink.d2d_bandwidth", cells(TRAY), bad))) == [GPU]


def test_single_cell_blames_the_path_with_both_ends_suspect() -> None:
    cell = f"{GPU}->{TRAY}/gpu0"
    (found,) = blame(rows("nvlink.d2d_bandwidth", cells(TRAY), [cell]))
    assert (found.part, found.kind, found.confidence) == (cell, "pair", "low")
    assert found.suspects == (GPU, f"{TRAY}/gpu0")
    assert "known good" in found.action


def test_all_cells_blame_the_tray() -> None:
    every = [cell for host in HOSTS for cell in cells(host)]
    (found,) = blame(rows("nvlink.d2d_bandwidth", every, cells(TRAY)))
    assert (found.part, found.kind) == (TRAY, "host")


def test_several_gpus_blame_the_tray_and_all_trays_the_rack() -> None:
    pair = [GPU, f"{TRAY}/gpu3"]
    (found,) = blame(rows("nvlink.links_active", GPUS, pair))
    assert (found.part, found.suspects) == (TRAY, tuple(pair))
    rack = [gpu for gpu in GPUS if gpu.startswith("r02")]
    (found,) = blame(rows("nvlink.links_active", GPUS, rack))
    assert (found.part, found.kind, found.suspects) == ("r02", "rack", RACKS["r02"])


def test_uniformly_wrong_domain_is_one_finding() -> None:
    (found,) = blame(rows("host.driver", HOSTS, HOSTS))
    assert (found.part, found.kind, found.suspects) == ("dom", "domain", tuple(RACKS))


def test_driver_that_differs_blames_the_host() -> None:
    (found,) = blame(rows("host.driver", HOSTS, [TRAY]))
    assert (found.part, found.kind, found.repeat) == (TRAY, "host", ("identity",))
    assert "bought" in found.action


def test_rail_pair_suspects_both_ends_without_a_signal() -> None:
    (found,) = blame(rows("rdma.write_bandwidth", PAIRS, [PAIRS[0]]))
    assert (found.part, found.suspects) == (PAIRS[0], (PORT, "r01-ct02/mlx5_0/1"))


def ring(rail: int) -> list[str]:
    """Each port of a rail to the next one."""
    ports = [port for port in PORTS if f"mlx5_{rail}/" in port]
    return [f"{a}->{b}" for a, b in zip(ports, [*ports[1:], ports[0]], strict=True)]


def test_two_bad_pairs_of_a_ring_name_the_port_that_they_share() -> None:
    pairs = [*ring(0), *ring(1)]
    bad = [pair for pair in pairs if PORT in pair]
    (found,) = blame(rows("rdma.write_bw", pairs, bad))
    assert (found.part, found.confidence) == (PORT, "medium")
    counted = rows("counters.symbol_errors_delta", PORTS, [PORT])
    (found,) = blame(rows("rdma.write_bw", pairs, bad), counted)
    assert (found.part, found.confidence) == (PORT, "high")


@pytest.mark.parametrize("reason", ["tool-missing", "tool-failed"])
def test_a_host_whose_ports_all_failed_is_named_itself(reason: str) -> None:
    """What is missing on a host keeps all of its pairs from being measured."""
    pairs = [*ring(0), *ring(1)]
    unread = [
        row("rdma.write_bw", pair, "INCONCLUSIVE" if TRAY in pair else "PASS",
            reason if TRAY in pair else "")
        for pair in pairs
    ]  # fmt: skip
    (found,) = blame(unread)
    assert (found.part, found.confidence) == (TRAY, "medium")


def test_rail_pair_follows_the_ports_own_signal() -> None:
    (found,) = blame(
        rows("ib.width", PORTS, [PORT]), rows("rdma.write_bandwidth", PAIRS, [PAIRS[0]])
    )
    assert (found.part, found.kind, found.confidence) == (PORT, "port", "high")
    assert found.suspects == ("r01-ct02/mlx5_0/1",)


def test_rail_pair_follows_a_warning_too() -> None:
    (found,) = blame(
        [row("ib.symbol_errors", PORT, warned=True)],
        rows("rdma.write_bandwidth", PAIRS, [PAIRS[0]]),
    )
    assert (found.part, found.confidence) == (PORT, "high")


def test_whole_rail_blames_the_rail() -> None:
    rail = [pair for pair in PAIRS if "mlx5_0" in pair]
    (found,) = blame(rows("rdma.write_bandwidth", PAIRS, rail))
    assert (found.part, found.kind, found.suspects) == ("rail0", "rail", ("leaf-r0-1",))
    (found,) = blame(rows("ib.state", PORTS, [port for port in PORTS if "mlx5_1" in port]))
    assert found.part == "rail1"


def test_low_rack_is_suspected_with_its_trays() -> None:
    (found,) = blame(rows("nccl.busbw", ["dom", *RACKS], ["dom", "r02"]))
    assert (found.part, found.kind, found.confidence) == ("r02", "rack", "low")
    assert found.suspects == RACKS["r02"]
    assert "all_reduce per tray" in found.action
    assert len(found.because) == 2


def test_good_racks_and_low_domain_blame_what_is_between() -> None:
    (found,) = blame(rows("nccl.busbw", ["dom", *RACKS], ["dom"]))
    assert (found.part, found.kind, found.suspects) == ("dom", "domain", tuple(RACKS))
    assert "between the racks" in found.action


def test_one_bad_part_in_a_low_rack_is_the_cause() -> None:
    (found,) = blame(
        rows("nvlink.links_active", GPUS, [GPU]), rows("nccl.busbw", ["dom", *RACKS], ["r01"])
    )
    assert (found.part, found.confidence) == (GPU, "high")
    assert found.repeat == ("identity", "nvlink", "nccl")


def test_wrong_version_does_not_explain_a_low_rack() -> None:
    found = blame(rows("host.driver", HOSTS, [TRAY]), rows("nccl.busbw", RACKS, ["r01"]))
    assert parts(found) == [TRAY, "r01"]


def test_nic_that_is_not_there_explains_a_low_domain_and_another_nic_does_not() -> None:
    nic, low = f"{TRAY}/mlx5_1", rows("nccl.busbw", ["dom", *RACKS], ["dom"])
    (found,) = blame([row("identity.port_guid", nic, "FAIL", absent=True)], low)
    assert (found.part, found.signals) == (nic, ("identity.port_guid", "nccl.busbw"))
    assert "reseat" in found.action
    logged = row("nic.driver_faults", TRAY, "FAIL")
    (found,) = blame([row("identity.port_guid", nic, "FAIL", absent=True), logged], low)
    assert (found.part, found.confidence) == (nic, "high")
    another = blame([row("identity.port_guid", nic, "FAIL")], low)
    assert parts(another) == [nic, "dom"]
    assert "delivery note" in another[0].action


def test_unreachable_host_explains_everything_it_is_needed_for() -> None:
    blocked = f"blocked-by:reach.ssh@{TRAY}"
    (found,) = blame(
        rows("reach.ssh", HOSTS[1:]),
        [row("reach.ssh", TRAY, "INCONCLUSIVE", "unreachable")],
        [row("nvlink.links_active", f"{TRAY}/gpu{n}", "INCONCLUSIVE", blocked) for n in range(4)],
        [row("rdma.write_bandwidth", PAIRS[0], "INCONCLUSIVE", "unreachable")],
        [row("nccl.busbw", "dom", "INCONCLUSIVE", "launch")],
    )
    assert (found.part, found.kind, found.confidence) == (TRAY, "host", "medium")
    assert found.signals == ("reach.ssh",)
    assert len(found.because) == 7


def test_missing_gpu_explains_its_links_and_what_it_blocks() -> None:
    (found,) = blame(
        rows("gpu.responsive", GPUS, [GPU]),
        rows("nvlink.links_active", GPUS, [GPU]),
        [row("nvlink.d2d_bandwidth", c, "INCONCLUSIVE", f"blocked-by:gpu.responsive@{GPU}")
         for c in cells(TRAY) if GPU in c],
        [row("nccl.busbw", "r01", "INCONCLUSIVE", f"blocked-by:gpu.responsive@{GPU}")],
    )  # fmt: skip
    assert (found.part, found.signals) == (GPU, ("gpu.responsive", "nvlink.links_active"))
    assert (found.confidence, len(found.because)) == ("medium", 9)  # the driver says it twice


def test_chain_of_blocks_ends_at_the_first_cause() -> None:
    (found,) = blame(
        [row("reach.ssh", TRAY, "INCONCLUSIVE", "tool-failed")],
        [row("gpu.responsive", GPU, "INCONCLUSIVE", f"blocked-by:reach.ssh@{TRAY}")],
        [row("nccl.busbw", "dom", "INCONCLUSIVE", f"blocked-by:gpu.responsive@{GPU}")],
    )
    assert (found.part, len(found.because)) == (TRAY, 3)


def test_blocks_in_a_circle_end() -> None:
    found = blame(
        [row("gpu.a", GPU, "INCONCLUSIVE", f"blocked-by:gpu.b@{GPU}")],
        [row("gpu.b", GPU, "INCONCLUSIVE", f"blocked-by:gpu.a@{GPU}")],
    )
    assert parts(found) == [GPU]


def test_rack_without_power_is_one_finding() -> None:
    lost = set(RACKS["r02"])
    (found,) = blame([
        row("reach.ssh", host, *(("INCONCLUSIVE", "unreachable") if host in lost else ("PASS",)))
        for host in HOSTS
    ])  # fmt: skip
    assert (found.part, found.suspects) == ("r02", RACKS["r02"])


def test_missing_tool_on_one_host_is_one_finding() -> None:
    (found,) = blame(
        rows("gpu.clock", GPUS[4:]),
        [row("gpu.clock", gpu, "INCONCLUSIVE", "tool-missing") for gpu in GPUS[:4]],
        [row("gpu.ecc", gpu, "INCONCLUSIVE", "tool-missing") for gpu in GPUS[:4]],
        rows("gpu.ecc", GPUS[4:]),
    )
    assert (found.part, found.kind) == (TRAY, "host")
    assert "install" in found.action


def test_what_never_ran_is_one_finding_and_blames_no_part() -> None:
    (found,) = blame([row("gpu.clock", gpu, "INCONCLUSIVE", "not-run") for gpu in GPUS])
    assert (found.part, found.confidence) == ("dom", "low")
    assert "without -k" in found.action


def test_failures_come_before_what_could_not_be_judged() -> None:
    found = blame(
        [row("reach.ssh", HOSTS[3], "INCONCLUSIVE", "unreachable")],
        rows("nvlink.links_active", GPUS, [GPUS[0]]),
        rows("gpu.ecc_errors", GPUS, [GPUS[6]]),
    )
    assert parts(found) == [GPUS[6], GPUS[0], HOSTS[3]]


@pytest.mark.parametrize(
    ("metric", "kind"),
    [
        ("reach.ssh", "reach"),
        ("reach.clock_skew", "clock"),
        ("identity.driver", "version"),
        ("identity.host_serial", "identity"),
        ("gpu.bound", "missing"),
        ("gpu.ecc_uncorrectable_volatile", "memory"),
        ("gpu.pcie_width", "pcie"),
        ("gpu.power_limit", "power"),
        ("fabric.state", "fabric"),
        ("nvlink.inactive_links", "nvlink"),
        ("nvlink.d2d_bandwidth", "nvlink-bandwidth"),
        ("port.sm_lid", "subnet"),
        ("counters.link_downed_delta", "port"),
        ("rdma.write_lat_p99", "rdma"),
        ("reach.hung_tasks", "hung"),
        ("gpu.xid_fatal_count", "xid"),
        ("nvlink.inter_rack_pair_ratio", "nvlink-bandwidth"),
        ("identity.imex_service", "service"),
        ("identity.nccl_settings", "library"),
        ("identity.memory_share", "host-memory"),
        ("identity.slot", "identity"),
        ("link.cabled", "cabling"),
        ("link.state", "port"),
        ("subnet.manager", "subnet"),
        ("port.pkeys", "subnet"),
        ("switch.present", "missing"),
        ("nccl.wrong", "corruption"),
        ("nccl.rack_all_reduce_busbw", "collective"),
    ],
)
def test_every_metric_has_its_own_next_step(metric: str, kind: str) -> None:
    assert action_of(metric).name == kind


def test_two_readings_of_one_output_are_one_signal() -> None:
    one = row("gpu.ecc_errors", GPU, "FAIL", evidence=("e1",))
    two = row("fabric.state", GPU, "FAIL", evidence=("e1",))
    other = row("fabric.state", GPU, "FAIL", evidence=("e2",))
    both = row("nvlink.one_sided_ports", GPU, "FAIL", evidence=("e2", "e3"))
    assert not independent([one, two])
    assert independent([one, other])
    assert not independent([other, both])
    assert independent([one, both])


def test_bandwidth_that_is_low_on_every_tray_is_one_finding() -> None:
    every = [cell for host in HOSTS for cell in cells(host)]
    (found,) = blame(rows("nvlink.d2d_bandwidth", every, every))
    assert (found.part, found.suspects) == ("dom", tuple(RACKS))


def test_action_is_that_of_the_state_and_not_of_what_follows() -> None:
    (found,) = blame(
        rows("port.sm_lid", PORTS, [PORT]),
        rows("port.phys_state", PORTS, [PORT]),
    )
    assert found.signals == ("port.phys_state", "port.sm_lid")
    assert "reseat the cable" in found.action


ALONE = ("nccl.tray_all_reduce_busbw", HOSTS)


def test_a_tray_that_is_slow_alone_is_named_for_its_rack() -> None:
    (found,) = blame(rows(*ALONE, [TRAY]), rows("nccl.busbw", ["dom", *RACKS], ["dom", "r01"]))
    assert (found.part, found.confidence) == (TRAY, "medium")
    assert f"{TRAY}/gpu0" in found.suspects
    assert len(found.because) == 3


def test_a_slow_gpu_is_named_for_its_tray_and_its_rack() -> None:
    (found,) = blame(
        rows("nccl.gpu_all_reduce_ratio", [f"{TRAY}/gpu{n}" for n in range(4)], [GPU]),
        rows(*ALONE, [TRAY]),
        rows("nccl.busbw", RACKS, ["r01"]),
    )
    assert (found.part, len(found.because)) == (GPU, 3)
    assert "change places" in found.action


def test_trays_that_are_all_slow_are_one_rack() -> None:
    (found,) = blame(rows(*ALONE, RACKS["r01"]))
    assert found.part == "r01"


def test_every_family_of_signals_is_explained_to_readers() -> None:
    page = (Path(__file__).parents[2] / "docs" / "verdicts.md").read_text(encoding="utf-8")
    told = [f"| {one.name} | {one.source} |" for one in FAMILIES]
    assert [line for line in told if line not in page] == []


def test_driver_that_does_not_answer_is_the_first_step() -> None:
    silent = [row("identity.driver", TRAY, "INCONCLUSIVE", "tool-failed")]
    (found,) = blame(silent, rows("identity.driver", HOSTS[1:]))
    assert (found.part, found.kind) == (TRAY, "host")
    assert "GPU driver" in found.action


def test_cable_without_a_link_is_reseated_and_one_at_the_wrong_port_is_moved() -> None:
    (found,) = blame(rows("link.cabled", PORTS, [PORT]), rows("port.state", PORTS, [PORT]))
    assert "reseat the cable" in found.action
    (found,) = blame(rows("link.cabled", PORTS, [PORT]))
    assert "as the cut sheet says" in found.action
