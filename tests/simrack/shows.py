"""How each kind of the library looks to the suite's readers: true with it, false without."""

from __future__ import annotations

from collections.abc import Mapping

from fixtures.model.errors import Unreadable
from fixtures.model.measure import Reading
from fixtures.tools.binding.host_setup import HostSetup
from fixtures.tools.binding.placement import lacking_lanes, slot_number
from fixtures.tools.collectives.sharp import plugin
from tests.simrack import probes as ask
from tests.simrack.probes import Probe, at_gpu, at_host, at_nic, at_port, at_setup, at_slot, raises
from tests.simrack.shows_cabling import CABLING
from tests.simrack.shows_nvswitch import IMEX, NVSWITCH, TRUNKS
from tests.simrack.shows_ufm import UFM

NO_FABRIC = "00000000-0000-0000-0000-000000000000"


def late(delay: Reading) -> bool:
    return isinstance(delay, float) and delay > 900


HOSTS: Mapping[str, Probe] = {
    "host.unreachable": lambda rack, at: "refused" in ask.reached(rack, at),
    "host.hangs": lambda rack, at: "timed out" in ask.reached(rack, at),
    "host.key_changed": lambda rack, at: "verification failed" in ask.reached(rack, at),
    "launch.peers_refused": lambda rack, at: "Permission denied" in ask.reached(rack, at),
    "launch.left_out": lambda rack, at: ask.collect(rack, at).ranks == 4,
    "tool.missing": raises("tool-missing", ask.smi),
    "tool.hangs": raises("timeout", ask.smi),
    "driver.library_mismatch": at_setup(lambda setup: not setup.installed_driver.equal),
    "host.sudo_asks": at_host(lambda facts: facts.sudo == "sudo: a password is required"),
    "driver.not_loaded": raises("tool-failed", lambda rack, at: ask.facts(rack, at).driver),
    "driver.mismatch": at_host(
        lambda facts: facts.driver == facts.smi.driver_version != "580.95.05"
    ),
    "kernel.mismatch": at_host(lambda facts: facts.kernel.startswith("6.8.0-1025")),
    "clock.skew": lambda rack, at: ask.shown_clock(rack, at) > 20,
    "clock.behind": lambda rack, at: ask.shown_clock(rack, at) < -3,
    "clock.nearly_right": lambda rack, at: 0.1 < ask.shown_clock(rack, at) < 1,
    "tray.wrong_serial": at_host(lambda facts: facts.dmi.product_serial != facts.host.serial),
    "tray.swapped": at_host(
        lambda facts: (
            facts.dmi.product_serial != facts.host.serial
            and all(slot.device.serial != slot.slot.serial for slot in facts.gpus)
            and all(slot.guid != slot.nic.guid for slot in facts.ports)
        )
    ),
    "tray.slots_swapped": at_host(
        lambda facts: slot_number(facts) != int(facts.host.label.split()[-1])
    ),
    "tray.power_brake": at_host(
        lambda facts: (
            [slot.power_brake == "Active" for slot in facts.gpus] == [False] * 2 + [True] * 2
        )
    ),
    "host.fqdn": at_host(lambda facts: facts.own_name == f"{facts.host.name}.hall3.example"),
    "gpu.none": at_host(lambda facts: [slot.bound for slot in facts.gpus] == ["missing"] * 4),
    "gpu.module_order": at_host(lambda facts: facts.gpus[0].device.module_id == 3),
    "nic.renamed": at_host(
        lambda facts: all(slot.device and slot.device.name != slot.nic.slot for slot in facts.ports)
    ),
    "nic.undeclared_vfs": lambda rack, at: (
        rack.ask(at, "ibstat").count("CA '")
        == sum(1 + nic.vfs for nic in rack.inventory.hosts[at].nics) + 2
    ),
    "nic.extra": lambda rack, at: "mlx5_bond_0" in rack.ask(at, "ibstat"),
    "nccl.not_installed": raises("tool-failed", ask.collect),
    "nvbandwidth.not_installed": raises("tool-missing", ask.copies(ask.D2D)),
    "nvbandwidth.crashes": raises("tool-failed", ask.copies(ask.H2D)),
    "nvbandwidth.test_fails": raises("tool-failed", ask.copies(ask.D2D)),
    "perftest.not_installed": raises("tool-missing", ask.bandwidth),
    "perftest.crashes": raises("tool-failed", ask.latency),
    "perftest.old": at_host(lambda facts: not facts.perftest_writes_json),
    "driver.hung": lambda rack, at: ask.kernel(rack, at).hung.count == 1,
    "kernel_log.overwritten": lambda rack, at: isinstance(
        ask.kernel(rack, at).fatal(f"{at}/gpu0").count, Unreadable
    ),
    "fabric_manager.wrong_version": at_setup(
        lambda setup: not setup.fabric_manager_version.equal and setup.fabric_manager == "failed"
    ),
    "fabric_manager.died": at_setup(lambda setup: setup.fabric_manager == "failed"),
    "fabric_manager.restarted": at_setup(lambda setup: late(setup.fabric_manager_delay_s)),
    "fabric_manager.masked": at_setup(lambda setup: setup.fabric_manager == "masked"),
    "fabric_manager.nothing_to_do": at_setup(lambda setup: setup.fabric_manager == "failed"),
    "imex.disabled": at_setup(lambda setup: setup.imex == "inactive"),
    "imex.not_at_boot": at_setup(lambda setup: setup.imex == "running, not at boot"),
    "persistenced.off": at_setup(lambda setup: not setup.service("nvidia-persistenced").running),
    "ofed.mismatch": at_setup(lambda setup: setup.ofed == "24.04-0.7.0.0"),
    "memlock.limited": at_setup(lambda setup: setup.memlock == "64 KiB"),
    "memory.missing": at_setup(lambda setup: setup.memory_bytes < 1_600 * 2**30),
    "cma.none": at_setup(lambda setup: setup.cma_mib == 0),
    "nccl.left_over_file": at_setup(lambda setup: "nccl.conf" in setup.nccl_settings({})),
    "nccl.stale_environment": at_setup(lambda setup: "old.xml" in setup.nccl_settings({})),
    "nccl.commented_file": lambda rack, at: (
        "USE_INLINE" in rack.run(at, "cat", "/etc/nccl.conf").stdout.decode()
        and HostSetup(ask.facts(rack, at)).nccl_settings({}) == "none"
    ),
    "perftest.chatty": lambda rack, at: (
        "Conflicting CPU" in ask.traffic("ib_write_bw", ask.port_of(at), rack).stderr
    ),
}
GPUS: Mapping[str, Probe] = {
    "gpu.missing": at_slot(lambda slot: slot.bound == "missing"),
    "gpu.lost": at_slot(lambda slot: slot.responsive is False),
    "gpu.moved": at_slot(lambda slot: slot.bound == "missing" and len(slot.strangers) == 1),
    "gpu.wrong_serial": at_slot(lambda slot: slot.device.serial != slot.slot.serial),
    "gpu.swapped": at_slot(lambda slot: slot.device.serial != slot.slot.serial),
    "gpu.wrong_vbios": at_gpu(lambda gpu: gpu.vbios == "97.00.82.00.0A"),
    "gpu.wrong_product": at_gpu(lambda gpu: gpu.product == "NVIDIA GB300"),
    "gpu.power_capped": at_gpu(lambda gpu: gpu.power_limit_w == 500),
    "gpu.pcie_narrow": lambda rack, at: (
        ask.facts(rack, at).pcie_width(ask.slot(rack, at)) == 8
        and ask.slot(rack, at).device.pcie_width_current == 8
    ),
    "gpu.pcie_switch_narrow": lambda rack, at: (
        lacking_lanes(ask.facts(rack, at), [ask.slot(rack, at)])[at] == 8
        and min(ask.copies(ask.H2D)(rack, at).cells) < 30
    ),
    "gpu.pcie_slow": lambda rack, at: ask.watched(rack, at).generation == 4,
    "gpu.slow_copy": lambda rack, at: ask.slow_copies(rack, at) == 6,
    "gpu.foreign_process": at_gpu(lambda gpu: [p.pid for p in gpu.processes or ()] == [4242]),
    "gpu.ecc_sram": at_gpu(
        lambda gpu: gpu.ecc_volatile.uncorrectable == gpu.ecc_aggregate.uncorrectable == 5
    ),
    "gpu.ecc_dram": at_gpu(lambda gpu: gpu.ecc_volatile.dram == 1 and gpu.remapped.pending is True),
    "gpu.ecc_unknown": at_gpu(lambda gpu: gpu.ecc_volatile.uncorrectable is None),
    "gpu.correctable_errors": at_gpu(lambda gpu: gpu.ecc_volatile.dram_correctable == 412),
    "gpu.remapped_correctable": at_gpu(lambda gpu: gpu.remapped.correctable == 11),
    "gpu.few_remapped_rows": at_gpu(lambda gpu: gpu.remapped.correctable == 3),
    "gpu.remapped_uncorrectable": at_gpu(lambda gpu: gpu.remapped.uncorrectable == 1),
    "gpu.remap_pending": at_gpu(lambda gpu: gpu.remapped.pending is True),
    "gpu.remap_failed": at_gpu(lambda gpu: gpu.remapped.failure is True),
    "gpu.capped_at_full_power": lambda rack, at: ask.capped_under_load(rack, at),
    "gpu.gsp_timeout": lambda rack, at: ask.xids(rack, at) == [119],
    "gpu.xid_of_earlier_boot": lambda rack, at: (
        79 in ask.remembered_xids(rack, at) and ask.xids(rack, at) == []
    ),
    "gpu.xid_of_program": lambda rack, at: ask.xids(rack, at) == [31],
    "gpu.power_brake": lambda rack, at: (
        ask.slot(rack, at).power_brake == "Active" and ask.watched(rack, at).braked_pct == 100
    ),
    "gpu.power_brake_loaded": lambda rack, at: (
        ask.slot(rack, at).power_brake == "Not Active" and ask.watched(rack, at).clock_pct == 40
    ),
    "gpu.hot": lambda rack, at: ask.watched(rack, at).heat_spells == 1,
    "gpu.warm": lambda rack, at: ask.watched(rack, at).margin_c == -1,
    "gpu.little_margin": lambda rack, at: ask.watched(rack, at).margin_c == 3,
    "gpu.capped_at_low_power": lambda rack, at: ask.watched(rack, at).capped_power_pct == 44,
    "gpu.power_limit_left": lambda rack, at: (
        ask.slot(rack, at).device.power_limit_w == 1200
        and ask.copies(ask.H2D)(rack, at) is not None
        and ask.slot(rack, at).device.power_limit_w == 500
    ),
    "gpu.slow_clock": lambda rack, at: ask.watched(rack, at).clock_pct == 85.6,
    "gpu.ecc_correctable_loaded": lambda rack, at: (
        ask.slot(rack, at).device.ecc_volatile.dram_correctable == 0
        and (ask.watched(rack, at).corrected or 0) >= 4647
    ),
    "gpu.corrected_under_load": lambda rack, at: (ask.watched(rack, at).corrected or 0) > 0,
    "gpu.ecc_uncorrectable_loaded": lambda rack, at: (ask.watched(rack, at).uncorrected or 0) > 0,
    "gpu.ecc_sram_returned": at_gpu(
        lambda gpu: (
            gpu.ecc_volatile.uncorrectable == 0 and gpu.ecc_aggregate.sram_uncorrectable == 5
        )
    ),
    "nccl.slow_gpu": lambda rack, at: ask.busbw(rack, at) < 500,
    "nccl.wrong_data": lambda rack, at: ask.wrong(rack, at) == 3,
    "nccl.rank_crashes": raises("tool-failed", ask.collect),
    "nccl.hangs": ask.hangs,
    "nccl.multicast_stale": lambda rack, at: "'invalid argument'" in ask.alone(rack, at).stdout,
    "nccl.over_sockets": lambda rack, at: ask.logged(rack, at).network == "Socket",
    "nccl.wrong_nic": lambda rack, at: "mlx5_4" in ask.adapters(rack, at),
    "nccl.old_library": lambda rack, at: (
        ask.logged(rack, at).versions == ("2.21.5+cuda12.4",) and ask.at_scale(rack, at).rc == 134
    ),
    "nccl.ports_closed": lambda rack, at: (
        "No route to host" in ask.at_scale(rack, at).stdout and ask.alone(rack, at).rc == 0
    ),
    "nccl.nic_fails": lambda rack, at: "status=12" in ask.over_nic(rack, at).stdout,
    "nccl.lacks_resources": lambda rack, at: (
        "ibv_create_cq" in ask.at_scale(rack, at, "alltoall").stdout
    ),
    "nccl.sharp_unused": lambda rack, at: not ask.collnet(rack),
    "nccl.sharp_not_installed": lambda rack, at: (
        plugin(ask.logged(rack, at)) == "none" and not ask.collnet(rack)
    ),
    "nccl.sharp_not_bought": lambda rack, at: plugin(ask.logged(rack, at)) == "loaded",
    "nccl.too_many_ranks": lambda rack, at: ask.at_scale(rack, at).rc == 139,
    "nccl.ranks_apart": lambda rack, at: ask.alone(rack, at).stdout.count("Using devices") == 4,
    "nccl.mpi_stuck": lambda rack, at: "MPI_INIT failed" in ask.alone(rack, at).stderr,
    "nccl.old_tests": lambda rack, at: " 1e-06" in ask.alone(rack, at).stdout,
    "nccl.unsteady": lambda rack, at: ask.spread(rack, at) > 0.02,
}
NVLINK: Mapping[str, Probe] = {
    "fabric.in_progress": at_slot(lambda slot: slot.fabric.state == "In Progress"),
    "fabric.not_started": at_slot(lambda slot: slot.fabric.state == "Not Started"),
    "fabric.insufficient_resources": at_slot(
        lambda slot: (
            (slot.fabric.state, slot.fabric.status) == ("Completed", "Insufficient Resources")
        )
    ),
    "fabric.no_cluster": lambda rack, at: (
        ask.slot(rack, at).fabric_domain == f"{NO_FABRIC}/0" and ask.busbw(rack, at) < 200
    ),
    "fabric.wrong_clique": lambda rack, at: (
        ask.slot(rack, at).fabric.clique_id == 7 and ask.slow_copies(rack, at) == 6
    ),
    "fabric.other_cluster": at_host(
        lambda facts: (
            {slot.fabric.clique_id for slot in facts.gpus} == {32766}
            and all(not str(slot.fabric_domain).startswith("6f1d7c2e") for slot in facts.gpus)
        )
    ),
    "fabric.unhealthy": at_slot(lambda slot: slot.fabric_health == "degraded: summary Unhealthy"),
    "fabric.bandwidth_degraded": at_slot(
        lambda slot: "bandwidth Degraded" in str(slot.fabric_health)
    ),
    "fabric.route_unhealthy": at_slot(
        lambda slot: "route_unhealthy True" in str(slot.fabric_health)
    ),
    "fabric.route_recovery": at_slot(
        lambda slot: "route_recovery_in_progress True" in str(slot.fabric_health)
    ),
    "fabric.access_timeout": at_slot(
        lambda slot: "access_timeout_recovery True" in str(slot.fabric_health)
    ),
    "fabric.misconfigured": at_slot(
        lambda slot: "incorrect_configuration No Partition" in str(slot.fabric_health)
    ),
    "fabric.health_unknown": at_slot(lambda slot: slot.fabric_health == "N/A"),
    "nvlink.link_down": lambda rack, at: ask.links(rack, at)[0] == 1,
    "nvlink.slow_lane": lambda rack, at: 26 < ask.links(rack, at)[1] < 27,
    "nvlink.several_down": lambda rack, at: ask.links(rack, at)[0] == 4,
    "nvlink.all_down": lambda rack, at: ask.links(rack, at) == (18, 0.0),
    "nvlink.xid_fatal": lambda rack, at: (
        ask.xids(rack, at) == [149] and ask.kernel(rack, at).nvlink(ask.gpu_of(at)).count == 1
    ),
    "nvlink.xid_ignored": lambda rack, at: (
        ask.xids(rack, at) == [145] and ask.kernel(rack, at).nvlink(ask.gpu_of(at)).count == 0
    ),
    "nvlink.slow_pair": lambda rack, at: ask.slow_copies(rack, at) == 1,
}
PORTS: Mapping[str, Probe] = {
    "port.down": at_port(lambda port: (port.state, port.phys_state) == ("DOWN", "Polling")),
    "port.disabled": at_port(lambda port: (port.state, port.phys_state) == ("DOWN", "Disabled")),
    "port.initializing": at_port(
        lambda port: (port.state, port.lid, port.sm_lid) == ("INIT", 0, 0)
    ),
    "port.armed": at_port(lambda port: port.state == "ARMED" and port.sm_lid == 1),
    "port.wrong_rate": at_port(lambda port: (port.rate_gbps, port.width) == (200, "4X")),
    "port.narrow": at_port(
        lambda port: (port.rate_gbps, port.width, port.speed) == (200, "2X", "NDR")
    ),
    "port.wrong_link_layer": at_port(
        lambda port: (port.link_layer, port.rate_gbps, port.lid) == ("Ethernet", 40, 0)
    ),
    "port.other_sm": at_port(lambda port: port.sm_lid == 97),
    "nic.missing": at_nic(lambda slot: slot.device is None and slot.guid == "missing"),
    "nic.wrong_guid": at_nic(lambda slot: slot.guid == "b8e9240399990001"),
    "nic.swapped": at_nic(lambda slot: slot.guid != slot.nic.guid),
    "nic.wrong_firmware": at_nic(lambda slot: slot.fitted.fw_ver == "28.36.1010"),
    "nic.pcie_narrow": lambda rack, at: ask.card_link(rack, at).card.width == 8,
    "nic.pcie_slow": lambda rack, at: ask.card_link(rack, at).card.generation == 3,
    "nic.bridge_narrow": lambda rack, at: (
        ask.card_link(rack, at).share == 0.5 and ask.bandwidth(rack, at) < 252
    ),
    "nic.vf_without_guid": lambda rack, at: "has none" in ask.functions(rack, at)[1],
    "nic.vf_down": lambda rack, at: ask.functions(rack, at)[2].endswith("is DOWN"),
    "nic.vfs_missing": lambda rack, at: ask.functions(rack, at)[0] == "1 of 2",
    "nic.wrong_psid": at_nic(lambda slot: slot.fitted.board_id == "DEL0000000033"),
    "nic.forced_ordering": lambda rack, at: (
        ask.setup(rack, at).write_ordering(ask.port_slot(rack, at)) == "force_relax"
    ),
    "port.small_mtu": lambda rack, at: (
        ask.setup(rack, at).active_mtu(ask.port_slot(rack, at)) == 1024
    ),
    "port.limited_member": lambda rack, at: ask.keys(rack, at) == (0x7FFF,),
    "port.other_partition": lambda rack, at: ask.keys(rack, at) == (0x8001,),
    "port.trust_pcp": lambda rack, at: ask.qos(rack, at).trust == "pcp",
    "port.no_pfc": lambda rack, at: ask.qos(rack, at).pauses == "none",
    "port.default_priority": lambda rack, at: ask.priorities(rack, at) == [0],
    "port.gid_shifted": lambda rack, at: (
        "RoCE v2 is at 5" in str(ask.setup(rack, at).gid_state(ask.port_slot(rack, at)))
    ),
    "port.gid_vanishes": lambda rack, at: ask.gid_after_load(rack, at) is None,
    "gpu.rail_apart": lambda rack, at: ask.rail_path(rack, at) == "NODE",
    "nic.not_initialised": lambda rack, at: (
        ask.port_slot(rack, at).device is None and ask.kernel(rack, at).nic_faults.count == 1
    ),
    "port.slow": lambda rack, at: ask.bandwidth(rack, at) < 200,
    "nic.far_from_gpu": lambda rack, at: (
        ask.gpu_bandwidth(rack, at) < 100 < 380 < ask.bandwidth(rack, at)
    ),
    "nic.gdr_hangs": lambda rack, at: ask.gpu_traffic(rack, at).timed_out,
    "port.late": lambda rack, at: (ask.latency(rack, at).typical_us or 0) > 3,
    "port.tail": lambda rack, at: (ask.latency(rack, at).p99_us or 0) > 4.2,
    "port.lossy": lambda rack, at: (
        ask.moved(rack, at, "symbol_error") == ask.counter(rack, at, "out_of_sequence") == 38
    ),
    "port.recovers": lambda rack, at: ask.moved(rack, at, "link_error_recovery") == 3,
    "port.overrun": lambda rack, at: ask.moved(rack, at, "excessive_buffer_overrun_errors") == 2,
    "port.not_ready": lambda rack, at: ask.moved(rack, at, "rnr_nak_retry_err") == 12,
    "port.flaps": lambda rack, at: ask.moved(rack, at, "link_downed") == 1,
    "port.bypassed": lambda rack, at: ask.moved(rack, at, "port_xmit_data") == 0,
    "port.counters_cleared": lambda rack, at: (
        ask.moved(rack, at, "port_xmit_data") < 0 == ask.counter(rack, at, "port_xmit_packets")
    ),
    "port.counters_saturated": raises(
        "implausible", lambda rack, at: ask.counter(rack, at, "local_ack_timeout_err")
    ),
    "perftest.disordered": raises("implausible", ask.latency),
    "port.old_errors": lambda rack, at: (
        ask.counter(rack, at, "link_downed") == 14 and ask.moved(rack, at, "link_downed") == 0
    ),
    "port.waits": lambda rack, at: ask.moved(rack, at, "port_xmit_wait") > 1_000_000,
}
SHOWS: Mapping[str, Probe] = {
    **HOSTS,
    **GPUS,
    **NVLINK,
    **NVSWITCH,
    **IMEX,
    **TRUNKS,
    **PORTS,
    **CABLING,
    **UFM,
}
