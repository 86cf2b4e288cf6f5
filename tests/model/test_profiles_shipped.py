"""The profiles that the project ships: they load, and they say what their drafts said."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from fixtures.model.bought import reference
from fixtures.model.measurement import Scalar
from fixtures.model.profile import Profile, load_profile
from fixtures.model.profile_schema import GATES, LimitSchema, MetricSchema, ProfileSchema, scalar
from fixtures.model.yamlfile import read_yaml, validate

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "inventories" / "profiles"
DRAFTS = ROOT.parent / "shared" / "profiles"
FACTS = ("kind", "source")
SHIPPED = sorted(path.stem for path in FOLDER.glob("*.yaml"))
STACKS = {
    "gb200-nvl72": ("gb200-nvl72", "ndr"),
    "nvl576": ("nvl576", "ndr"),
    "hgx-h100": ("hgx-h100", "ndr"),
    "rdma-hosts": ("rdma-hosts", ""),
    "ndr": ("ndr", ""),
    "hdr": ("hdr", ""),
}
BOUGHT = {
    "host_serial", "gpu_serial", "guid", "gpu_product", "slot", "power.gpu_limit", "ranks",
    "partition",
    "firmware.kernel", "firmware.gpu_driver", "firmware.vbios", "firmware.nic",
    "firmware.ofed", "imex",
    "firmware.nvos", "firmware.switch_chip", "access_ports",
    "firmware.psid",
}  # fmt: skip

# drafts: metric of the draft | ours | floor of the draft, then other floors | conditions
# `counts.x` is a count that an inventory must agree with; `comment` stands in the file as prose.
TABLE = """
gb200-nvl72: topology.gpus_per_rack | counts.gpus_per_rack | 72
gb200-nvl72: topology.compute_trays_per_rack | counts.trays_per_rack | 18
gb200-nvl72: topology.gpus_per_compute_tray | counts.gpus_per_tray | 4
gb200-nvl72: topology.nvlink_switch_trays_per_rack | counts.switches_per_rack | 9
gb200-nvl72: topology.nvswitch_asics_per_rack | nvlink.switch_asics | 18
gb200-nvl72: topology.gpu_nvlinks_per_rack | nvlink.links_active_per_rack | 1296
gb200-nvl72: topology.nodes_per_cluster_uuid | fabric.nodes_per_cluster_uuid | 18
gb200-nvl72: topology.ib_ports_400g_per_tray | counts.nics_per_tray | 4
gb200-nvl72: topology.unavailable_nodes_tolerated_acceptance | reach.unavailable_trays | 0
gb200-nvl72 hgx-h100: nvlink.links_per_gpu | nvlink.links_active | 18
gb200-nvl72 nvl576 hgx-h100: nvlink.inactive_links_per_gpu | nvlink.inactive_links | 0
gb200-nvl72: nvlink.speed_reported_per_link | nvlink.link_rate | 53.125
hgx-h100: nvlink.speed_reported_per_link | nvlink.link_rate | 26.562
gb200-nvl72: nvlink.bw_unidir_per_gpu | nvlink.bw_unidir_per_gpu | 900
hgx-h100: nvlink.bw_unidir_per_gpu | nvlink.bw_unidir_per_gpu | 450
nvl576: nvlink.bw_unidir_per_gpu | comment | 1800
gb200-nvl72: nvlink.bw_bidir_per_gpu | nvlink.bw_bidir_per_gpu | 1800
hgx-h100: nvlink.bw_bidir_per_gpu | nvlink.bw_bidir_per_gpu | 900
gb200-nvl72: nvlink.nccl_model_bw_per_gpu | nvlink.nccl_model_bw_per_gpu | 721.8
hgx-h100: nvlink.nccl_model_bw_per_gpu | nvlink.nccl_model_bw_per_gpu | 370.8
gb200-nvl72 nvl576: fabric.state | fabric.state | Completed
gb200-nvl72 nvl576: fabric.status | fabric.status | Success
gb200-nvl72 nvl576: fabric.health_mask_degraded | fabric.health | Healthy
gb200-nvl72: fabric.distinct_cluster_uuids_per_domain | fabric.distinct_cluster_uuids_per_domain | 1
nvl576: fabric.distinct_cluster_uuids_per_domain | fabric.distinct_cluster_uuids_per_domain | 1
gb200-nvl72 nvl576: fabric.distinct_clique_ids_per_partition | fabric.distinct_clique_ids_per_partition | 1
gb200-nvl72 nvl576: imex.domain_state | imex.domain_state | UP
gb200-nvl72 nvl576: imex.not_connected_pairs | imex.not_connected_pairs | 0
gb200-nvl72 nvl576: imex.distinct_driver_versions | imex.distinct_driver_versions | 1
gb200-nvl72 nvl576 hgx-h100: nvlink.effective_ber | nvlink.effective_ber | 1e-12 1.5e-254
gb200-nvl72 nvl576 hgx-h100: nvlink.symbol_ber | nvlink.symbol_ber | 0
gb200-nvl72 nvl576 hgx-h100: nvlink.error_counters_delta | nvlink.error_counters_delta | 0
gb200-nvl72 nvl576 hgx-h100: gpu.xid_fatal_count | gpu.xid_fatal_count | 0
gb200-nvl72 nvl576 hgx-h100: gpu.row_remap_correctable | gpu.row_remap_correctable | 10 0
gb200-nvl72 nvl576 hgx-h100: gpu.row_remap_uncorrectable | gpu.row_remap_uncorrectable | 0
gb200-nvl72 nvl576 hgx-h100: gpu.ecc_uncorrectable_volatile | gpu.ecc_uncorrectable_volatile | 0
gb200-nvl72 nvl576 hgx-h100: gpu.throttle_hw_thermal_events | gpu.throttle_hw_thermal_events | 0
gb200-nvl72 nvl576: nvlink.xid_144_150_count | nvlink.xid_144_150_count | 0
gb200-nvl72: nvbandwidth.multinode_d2d_read_ce_pair | nvlink.multinode_pair_bandwidth | 750
gb200-nvl72: nvbandwidth.multinode_d2d_read_ce_sum_8gpu | nvlink.multinode_sum_bandwidth_8gpu | 42450
gb200-nvl72: nvbandwidth.intra_tray_d2d_unidir | nvlink.d2d_bandwidth | 731
gb200-nvl72: nvbandwidth.pair_below_median_pct | nvlink.d2d_below_median_pct | 5
gb200-nvl72: nvbandwidth.h2d_c2c | gpu.h2d_bandwidth | none
gb200-nvl72: dcgm.memory_bw | gpu.dcgm_memory_bandwidth | 2602.5
gb200-nvl72: dcgm.target_power | gpu.dcgm_target_power | 1139
gb200-nvl72: power.rack_nominal | power.rack_nominal | 132
gb200-nvl72: nccl.all_reduce.4gpu.16G | nccl.all_reduce_busbw | 680 | ranks=4 size_bytes=17179869184
gb200-nvl72: nccl.all_reduce.8gpu.16G | nccl.all_reduce_busbw | 770 | ranks=8 size_bytes=17179869184
gb200-nvl72: nccl.all_gather.8gpu.16G | nccl.all_gather_busbw | 646 | ranks=8 size_bytes=17179869184
gb200-nvl72: nccl.all_to_all.8gpu.16G | nccl.all_to_all_busbw | 650 | ranks=8 size_bytes=17179869184
gb200-nvl72: nccl.all_reduce.16gpu.16G | nccl.all_reduce_busbw | 838 | ranks=16 size_bytes=17179869184
gb200-nvl72: nccl.all_gather.16gpu.16G | nccl.all_gather_busbw | 579 | ranks=16 size_bytes=17179869184
gb200-nvl72: nccl.all_to_all.16gpu.16G | nccl.all_to_all_busbw | 540 | ranks=16 size_bytes=17179869184
gb200-nvl72: nccl.all_reduce.16gpu.16G.mnnvl_off | nccl.all_reduce_busbw | 180 | ranks=16 size_bytes=17179869184 mnnvl=off
gb200-nvl72: nccl.all_gather.16gpu.16G.mnnvl_off | nccl.all_gather_busbw | 180 | ranks=16 size_bytes=17179869184 mnnvl=off
gb200-nvl72: nccl.all_to_all.16gpu.16G.mnnvl_off | nccl.all_to_all_busbw | 54 | ranks=16 size_bytes=17179869184 mnnvl=off
gb200-nvl72: nccl.all_reduce.72gpu.8G | nccl.all_reduce_busbw | 795 | ranks=72 size_bytes=8589934592
gb200-nvl72: nccl.all_reduce.72gpu.4G | nccl.all_reduce_busbw | 795 | ranks=72 size_bytes=4294967296
gb200-nvl72: nccl.all_reduce.72gpu.2G | nccl.all_reduce_busbw | 715 | ranks=72 size_bytes=2147483648
gb200-nvl72: nccl.all_reduce.72gpu.1G | nccl.all_reduce_busbw | 640 | ranks=72 size_bytes=1073741824
gb200-nvl72: nccl.all_reduce.72gpu.512M | nccl.all_reduce_busbw | 545 | ranks=72 size_bytes=536870912
gb200-nvl72: nccl.all_reduce.144gpu.16G | nccl.all_reduce_busbw | 770 | ranks=144 size_bytes=17179869184
gb200-nvl72: nccl.all_reduce.144gpu.8G | nccl.all_reduce_busbw | 753 | ranks=144 size_bytes=8589934592
gb200-nvl72: nccl.all_reduce.1440gpu.16G | nccl.all_reduce_busbw | 380 | ranks=1440 size_bytes=17179869184
gb200-nvl72: rdma.ib_write_lat_max | rdma.write_lat_max | 9
gb200-nvl72: train.reference_tflops_per_gpu | train.tflops_per_gpu | 1100
nvl576: topology.racks_per_domain | counts.racks_per_domain | 8
nvl576: topology.gpus_per_domain | counts.gpus_per_domain | 576
nvl576: topology.gpus_per_rack | counts.gpus_per_rack | 72
nvl576: topology.compute_trays_per_rack | comment | 18
nvl576: topology.compute_trays_per_domain | counts.trays_per_domain | 144
nvl576: topology.nvlink_switch_trays_per_rack | comment | 18
nvl576: topology.inter_rack_trunk_links_per_rack | nvlink.trunk_links | none
nvl576: topology.planned_trunks_up_pct | nvlink.planned_trunks_up_pct | 100
nvl576: fabric.nodes_per_cluster_uuid | fabric.nodes_per_cluster_uuid | 144
nvl576: imex.nodes_in_domain | imex.nodes_in_domain | 144
nvl576: nvlink.trunk_symbol_errors_125min | nvlink.trunk_symbol_errors_125min | 3
nvl576: nvlink.trunk_link_downed_delta | nvlink.trunk_link_downed_delta | 0
nvl576: optics.module_temperature | optics.module_temperature | 70
nvl576: ratio.intra_rack_pair_bw_vs_rack_profile | nvlink.intra_rack_pair_ratio | 0.95
nvl576: ratio.inter_rack_pair_bw_vs_intra_rack | nvlink.inter_rack_pair_ratio | 0.9
nvl576: ratio.rack_to_rack_bisection_min_vs_median | nvlink.rack_to_rack_min_vs_median | 0.95
nvl576: ratio.all_reduce_576_vs_72_busbw | nccl.all_reduce_ratio | 0.9
nvl576: ratio.all_to_all_576_vs_72_busbw | nccl.all_to_all_ratio | 0.85
nvl576: ratio.inter_rack_latency_minus_intra_rack | nvlink.inter_rack_extra_latency | 2
hgx-h100: topology.gpus_per_node | counts.gpus_per_tray | 8
hgx-h100: topology.nvswitches_per_node | nvlink.switch_asics | 4
hgx-h100: topology.ib_ports_400g | counts.nics_per_tray | 8
hgx-h100: nvbandwidth.d2d_write_ce_unidir | nvlink.d2d_bandwidth | 365
hgx-h100: nvbandwidth.d2d_bidir_total | nvlink.d2d_bidir_bandwidth | 712
hgx-h100: nvbandwidth.h2d_ce | gpu.h2d_bandwidth | 50
hgx-h100: nvbandwidth.d2h_ce | gpu.d2h_bandwidth | 50
hgx-h100: hbm.copy_bw | gpu.hbm_copy_bandwidth | 2800
hgx-h100: dcgm.memory_bw | gpu.dcgm_memory_bandwidth | 1905
hgx-h100: dcgm.target_power | gpu.dcgm_target_power | 665
hgx-h100: gemm.ubergemm_60s | gpu.gemm_60s | 715 742
hgx-h100: nccl.all_reduce.8gpu.16G | nccl.all_reduce_busbw | 460 | ranks=8 size_bytes=17179869184
hgx-h100: nccl.all_reduce.8gpu.1G | nccl.all_reduce_busbw | 440 | ranks=8 size_bytes=1073741824
hgx-h100: nccl.all_reduce.8gpu.16M | nccl.all_reduce_busbw | 210 | ranks=8 size_bytes=16777216
hgx-h100: nccl.all_reduce.8gpu.16G.nvls_off | nccl.all_reduce_busbw | 348 | ranks=8 size_bytes=17179869184 nvls=off
hgx-h100: nccl.all_gather.8gpu.16G | nccl.all_gather_busbw | 343 | ranks=8 size_bytes=17179869184
hgx-h100: nccl.reduce_scatter.8gpu.16G | nccl.reduce_scatter_busbw | 344 | ranks=8 size_bytes=17179869184
hgx-h100: nccl.all_reduce.16gpu.16G | nccl.all_reduce_busbw | 430 | ranks=16 size_bytes=17179869184
hgx-h100: nccl.all_gather.16gpu.16G | nccl.all_gather_busbw | 311 | ranks=16 size_bytes=17179869184
hgx-h100: nccl.all_to_all.16gpu.16G | nccl.all_to_all_busbw | 72 | ranks=16 size_bytes=17179869184
hgx-h100: nccl.all_reduce.64gpu.8G | nccl.all_reduce_busbw | 365 | ranks=64 size_bytes=8589934592
hgx-h100: nccl.all_reduce.1024gpu.16G | nccl.all_reduce_busbw | 370 | ranks=1024 size_bytes=17179869184
ndr hgx-h100: rdma.ib_write_bw_gdr | rdma.write_bw_gdr | 380
ndr hdr: link.state | port.state | ACTIVE
ndr hdr: link.phys_state | port.phys_state | LinkUp
ndr hdr: link.width | port.width | 4X
ndr: link.speed_iblinkinfo | port.lane_speed | 106.25
hdr: link.speed_iblinkinfo | port.lane_speed | 53.125
ndr: link.rate_ibstat | port.rate | 400
hdr: link.rate_ibstat | port.rate | 200
ndr: ber.symbol_errors_delta_125min | ber.symbol_errors_delta_125min | 3
hdr: ber.symbol_errors_delta_125min | ber.symbol_errors_delta_125min | 1.5
ndr: ber.symbol_errors_delta_12min | ber.symbol_errors_delta_12min | 2.88
hdr: ber.symbol_errors_delta_12min | ber.symbol_errors_delta_12min | 1.44
ndr hdr: ber.symbol_ber | ber.symbol_ber | 1e-15
ndr hdr: ber.effective_ber | ber.effective_ber | 1e-15
ndr hdr: ber.raw_ber | ber.raw_ber | 1e-7
ndr: ber.min_observation_zero_error_95pct | ber.min_observation_zero_error_95pct | 125
hdr: ber.min_observation_zero_error_95pct | ber.min_observation_zero_error_95pct | 250
ndr hdr: counters.link_downed_delta | counters.link_downed_delta | 0
ndr hdr: counters.link_error_recovery_delta | counters.link_error_recovery_delta | 0
ndr hdr: counters.port_rcv_errors_delta | counters.port_rcv_errors_delta | 0
ndr hdr: counters.local_link_integrity_delta | counters.local_link_integrity_delta | 0
ndr hdr: counters.excessive_buffer_overrun_delta | counters.excessive_buffer_overrun_delta | 0
ndr hdr: counters.xmit_discards_delta | counters.xmit_discards_delta | 0
ndr hdr: counters.rnr_nak_retry_err_delta | counters.rnr_nak_retry_err_delta | 0
ndr hdr: counters.packet_drop_rate | counters.packet_drop_rate | 1e-12
ndr hdr: flap.count_during_acceptance | flap.count_during_acceptance | 0
ndr hdr: module.temperature | module.temperature | 70
ndr hdr: module.temperature_delta | module.temperature_delta | 10
ndr hdr: module.optical_power | module.optical_power | none
ndr: rdma.ib_write_bw_unidir | rdma.write_bw | 384
hdr: rdma.ib_write_bw_unidir | rdma.write_bw | 192
ndr hdr: rdma.vendor_pass_fraction_of_port_rate | rdma.write_bw_fraction_of_rate | 0.9
ndr hdr: rdma.vendor_write_send_lat_avg | rdma.write_send_lat_avg | 2.5
ndr hdr: rdma.vendor_read_lat_avg | rdma.read_lat_avg | 4.5
ndr: rdma.ib_write_bw_bidir_gdr | rdma.write_bw_bidir_gdr | 720
ndr hdr: rdma.write_lat_2B_intra_leaf_typ | rdma.write_lat_typ | 1.6 | hops=1
ndr hdr: rdma.write_lat_2B_intra_leaf_p99 | rdma.write_lat_p99 | 2.1 | hops=1
ndr hdr: rdma.write_lat_2B_3hop_typ | rdma.write_lat_typ | 2.1 | hops=3
ndr: rdma.write_lat_2B_5hop_typ | rdma.write_lat_typ | 2.5 | hops=5
ndr: rdma.write_lat_p99_hard_limit | rdma.write_lat_p99 | 4.2
ndr hdr: rdma.send_lat_2B_intra_leaf_typ | rdma.send_lat_typ | 1.7 | hops=1
ndr hdr: rdma.read_lat_2B_intra_leaf_typ | rdma.read_lat_typ | 3 | hops=1
hdr: rdma.read_lat_2B_3hop_typ | rdma.read_lat_typ | 4.2 | hops=3
ndr hdr: rdma.atomic_fetch_add_lat_typ | rdma.atomic_fetch_add_lat_typ | 3.2
ndr hdr: rdma.lat_p99_over_typ | rdma.lat_p99_over_typ | 1.5
"""  # noqa: E501

# What the suites of each gate judge: metric, gate, per; `!` marks a prerequisite.
EVERYWHERE = """
reach.ssh! reach host | reach.clock_skew reach host | reach.sudo reach sudo-host
identity.host_serial identity tray
port.state infiniband port | port.phys_state infiniband port
launch.hosts rdma domain
rdma.bytes_moved rdma rail-pair | rdma.transport_errors rdma rail-pair
rdma.write_bw rdma rail-pair | rdma.write_lat_typ rdma rail-pair | rdma.write_lat_p99 rdma rail-pair
"""
WITH_GPUS = """
identity.kernel identity tray
identity.nic_firmware identity nic | identity.port_guid identity nic
identity.nic_psid identity nic | nic.pcie_share infiniband nic
nic.pcie_width infiniband nic | nic.pcie_generation infiniband nic
port.active_mtu infiniband port | port.pkeys infiniband ib-port
nic.write_ordering infiniband ib-port | nic.vfs infiniband virtual-nic
nic.vf_guids infiniband virtual-nic | nic.vf_ports infiniband virtual-nic
identity.gpu_serial identity gpu | identity.driver identity tray | identity.vbios identity gpu
gpu.bound! compute gpu | gpu.responsive! compute gpu | gpu.product compute gpu
gpu.pcie_width compute gpu | gpu.pcie_gen_loaded compute gpu | gpu.power_limit compute gpu
gpu.foreign_processes! compute gpu | gpu.pcie_path_lacking compute gpu
gpu.power_brake compute gpu | gpu.power_brake_loaded compute gpu | gpu.capped_power compute gpu
gpu.power_limit_loaded compute gpu | gpu.sm_clock_loaded compute gpu
gpu.thermal_margin_loaded compute gpu | gpu.throttle_hw_thermal_events compute gpu
gpu.ecc_sram_uncorrectable_aggregate compute gpu | gpu.ecc_correctable_delta compute gpu
gpu.ecc_uncorrectable_delta compute gpu
gpu.ecc_uncorrectable_volatile compute gpu | gpu.row_remap_correctable compute gpu
gpu.row_remap_uncorrectable compute gpu | gpu.row_remap_pending compute gpu
gpu.row_remap_failure compute gpu | gpu.xid_fatal_count compute gpu
nic.driver_faults infiniband tray | reach.hung_tasks reach tray
identity.driver_installed identity tray
identity.ofed identity tray | identity.memlock identity tray | identity.memory_share identity tray
identity.cma_total identity tray | identity.nccl_settings identity tray
fabric.state nvlink gpu | fabric.status nvlink gpu | fabric.health nvlink gpu
fabric.partition nvlink partition-gpu
nvlink.links_active nvlink gpu | nvlink.inactive_links nvlink gpu | nvlink.link_rate nvlink gpu
nvlink.d2d_bandwidth nvlink gpu-pair
nvlink.error_counters_delta nvlink gpu | nvlink.recoveries nvlink gpu
port.rate infiniband port | port.width infiniband port
counters.symbol_errors_delta infiniband port | counters.port_rcv_errors_delta infiniband port
counters.link_downed_delta infiniband port | counters.link_error_recovery_delta infiniband port
counters.local_link_integrity_delta infiniband port
counters.excessive_buffer_overrun_delta infiniband port
counters.rnr_nak_retry_err_delta infiniband port
port.lid infiniband ib-port | port.sm_lid infiniband ib-port
switch.present! infiniband ib-switch | switch.extra_links infiniband ib-switch
link.cabled infiniband ib-link | link.state infiniband ib-link | link.width infiniband ib-link
port.lane_speed infiniband ib-link | link.errors_delta infiniband ib-link
subnet.manager infiniband domain | subnet.adaptive_routing infiniband adaptive-subnet
link.flap_events infiniband watched-link | link.cabling_events infiniband watched-link
ber.raw_over_peers infiniband ib-port
nccl.completed nccl domain | nccl.ranks nccl domain | nccl.wrong nccl domain
nccl.all_reduce_busbw nccl domain
"""
RACK = """
identity.slot identity slotted-tray
nccl.rack_completed nccl rack | nccl.rack_ranks nccl rack | nccl.rack_wrong nccl rack
nccl.rack_all_reduce_busbw nccl rack
nvlink.xid_144_150_count nvlink gpu | identity.imex_service identity tray
nvlink.effective_ber nvlink gpu | nvlink.symbol_ber nvlink gpu
identity.switch_serial identity switch | identity.nvos identity switch
identity.switch_chip_firmware identity switch
nvlink.switch_asics nvlink rack | nvlink.tray_chips nvlink switch
nvlink.access_ports nvlink switch | nvlink.one_sided_ports nvlink switch
nvlink.access_port_rate nvlink switch
imex.domain_state nvlink imex-domain | imex.not_connected_pairs nvlink imex-domain
imex.distinct_driver_versions nvlink imex-domain | imex.node_numbers nvlink imex-domain
imex.ensembles nvlink imex-domain | imex.node_list nvlink imex-tray
imex.node_state nvlink imex-tray | imex.node_version nvlink imex-tray
imex.channels nvlink imex-tray
"""
NVSWITCHES = """
identity.fabric_manager identity tray | identity.fabric_manager_version identity tray
fabric.manager_start_delay nvlink tray
"""
COLLECTIVES = """
nccl.tray_completed! nccl tray | nccl.tray_wrong nccl tray
nccl.tray_all_reduce_busbw nccl tray | nccl.tray_all_reduce_spread nccl tray
nccl.version nccl tray | nccl.network nccl tray | nccl.nics nccl tray
nccl.stray_settings nccl tray | nccl.rail_completed nccl rail-nic
nccl.sharp_plugin nccl sharp-tray | nccl.collnet_channels nccl sharp-domain
nccl.scale_completed nccl domain | nccl.scale_ratio nccl domain
nccl.all_to_all_completed nccl domain | nccl.all_to_all_wrong nccl domain
"""
TRUNKS = """
nccl.all_reduce_ratio nccl domain
nvlink.planned_trunks_up_pct nvlink rack | nvlink.trunk_rate nvlink rack
nvlink.trunk_effective_ber nvlink rack | nvlink.trunk_link_downed_delta nvlink rack
"""
REQUIRED = {
    "rdma-hosts": EVERYWHERE,
    "hgx-h100": EVERYWHERE
    + COLLECTIVES
    + WITH_GPUS
    + NVSWITCHES
    + "gpu.rail_nic_path compute gpu | gpu.h2d_bandwidth compute gpu"
    + "| rdma.gdr_completed rdma rail-pair | rdma.gdr_ratio rdma rail-pair",
    "gb200-nvl72": EVERYWHERE + WITH_GPUS + COLLECTIVES + RACK,
    "nvl576": EVERYWHERE + WITH_GPUS + COLLECTIVES + RACK + TRUNKS,
}


class Row(NamedTuple):
    """One metric of one draft, and where it went."""

    draft: str
    metric: str
    ours: str
    floors: list[object]
    when: dict[str, object]


def rows() -> list[Row]:
    found = []
    for line in TABLE.strip().splitlines():
        drafts, _, rest = line.partition(": ")
        metric, ours, floors, when = (*rest.split(" | "), "")[:4]
        pairs = (pair.split("=") for pair in when.split())
        conditions = {key: scalar(value) for key, value in pairs}
        numbers = [scalar(word) for word in floors.split() if word != "none"]
        found += [Row(draft, metric, ours, numbers, conditions) for draft in drafts.split()]
    return found


ROWS = rows()
IDS = [f"{row.draft}:{row.metric}" for row in ROWS]


def stack(name: str) -> Profile:
    product, link = STACKS[name]
    return load_profile(product, FOLDER, link=link)


def schema(path: Path) -> ProfileSchema:
    return validate(ProfileSchema, read_yaml(path))


def as_written(profile: Profile, name: str) -> MetricSchema:
    """The metric as its file has it, with the published value that a limit does not carry."""
    return schema(FOLDER / f"{profile.metric(name).profile}.yaml").metrics[name]


def bounds(limit: LimitSchema) -> list[object]:
    numbers = [bound for bound in (limit.min, limit.max) if bound is not None]
    return [*numbers, *(limit.equals or [])]


def limits_of(row: Row) -> list[LimitSchema]:
    found = as_written(stack(row.draft), row.ours).limits
    return [limit for limit in found if limit.when == row.when]


def test_the_shipped_profiles_are_these() -> None:
    assert SHIPPED == [
        "adapter", "common", "gb200-nvl72", "gpu", "hdr", "hgx-h100", "infiniband", "nccl",
        "ndr", "nvl576", "rdma-hosts", "rdma-port", "roce",
    ]  # fmt: skip


@pytest.mark.parametrize("name", SHIPPED)
def test_every_limit_names_unit_kind_and_source(name: str) -> None:
    for metric, written in schema(FOLDER / f"{name}.yaml").metrics.items():
        assert written.about, metric
        for limit in written.limits:
            assert limit.unit == written.unit, metric
            assert limit.source.strip(), metric
            assert limit.kind, metric
            if limit.kind == "derived" or limit.level == "report-only":
                assert limit.provisional, metric
            if (name_behind := reference(limit.limit(provisional=False))) is not None:
                assert name_behind in BOUGHT, metric


@pytest.mark.parametrize("name", SHIPPED)
def test_a_product_leaves_its_links_to_the_inventory(name: str) -> None:
    layers = {path.stem for path in load_profile(name, FOLDER).files}
    if name not in ("ndr", "hdr", "roce"):
        assert not layers & {"ndr", "hdr", "roce"}


@pytest.mark.parametrize("name", REQUIRED)
def test_a_product_requires_exactly_what_the_suites_judge(name: str) -> None:
    profile = stack(name)
    cells = REQUIRED[name].replace("\n", "|").split("|")
    expected = {cell.strip() for cell in cells if cell.strip()}
    found = {
        f"{metric.name}{'!' if metric.prerequisite else ''} {metric.gate} {metric.per}"
        for metric in profile.metrics.values()
        if metric.required
    }
    assert found == expected


@pytest.mark.parametrize("name", REQUIRED)
def test_the_gates_of_a_product_cover_what_it_requires(name: str) -> None:
    profile = stack(name)
    assert list(profile.gates) == [gate for gate in GATES if gate in profile.gates]
    assert {m.gate for m in profile.metrics.values() if m.required} == set(profile.gates)


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_a_draft_metric_keeps_its_number(row: Row) -> None:
    if row.ours == "comment":
        text = (FOLDER / f"{row.draft}.yaml").read_text(encoding="utf-8")
        assert f"# - {row.metric}, {row.floors[0]} " in text
    elif row.ours.startswith("counts."):
        count = stack(row.draft).counts[row.ours.removeprefix("counts.")]
        assert [count.equals] == row.floors
    else:
        found = limits_of(row)
        assert [bound for limit in found for bound in bounds(limit)] == row.floors
        assert [limit.level for limit in found if not bounds(limit)] == (
            [] if row.floors else ["report-only"]
        )


def test_the_rack_is_held_to_what_was_published_for_72_ranks() -> None:
    """The same five numbers judge one rack of an NVL72 and each rack of an NVL576."""
    for name in ("gb200-nvl72", "nvl576"):
        limits = as_written(stack(name), "nccl.rack_all_reduce_busbw").limits
        assert [(limit.when["ranks"], limit.when["size_bytes"], limit.min) for limit in limits] == [
            (72, 8 << 30, 795), (72, 4 << 30, 795), (72, 2 << 30, 715), (72, 1 << 30, 640),
            (72, 512 << 20, 545),
        ]  # fmt: skip


def test_an_off_switch_is_judged_by_its_own_limit() -> None:
    busbw = stack("gb200-nvl72").metric("nccl.all_reduce_busbw")
    on: dict[str, Scalar] = {"ranks": 16, "size_bytes": 16 << 30, "mnnvl": "on"}
    assert [limit.minimum for limit in busbw.matching(on)] == [838]
    assert [limit.minimum for limit in busbw.matching(on | {"mnnvl": "off"})] == [180]


@pytest.mark.parametrize("name", sorted({row.draft for row in ROWS}))
def test_no_draft_metric_is_lost_or_rewritten(name: str) -> None:
    """Against the drafts themselves, where they lie beside the project: names, values, sources."""
    if not DRAFTS.is_dir():
        pytest.skip(f"{DRAFTS} is not there: the drafts are not part of the project")
    draft = yaml.safe_load((DRAFTS / f"{name}.yaml").read_text(encoding="utf-8"))["metrics"]
    mine = [row for row in ROWS if row.draft == name]
    assert sorted(row.metric for row in mine) == sorted(draft)
    for row in mine:
        if row.ours.startswith("counts."):
            count = stack(name).counts[row.ours.removeprefix("counts.")]
            assert (count.kind, count.source) == tuple(draft[row.metric][k] for k in FACTS)
            assert count.note == draft[row.metric].get("note", "")
        elif row.ours != "comment":
            for limit in limits_of(row):
                _same_facts(draft[row.metric], limit)


def _same_facts(draft: dict[str, object], limit: LimitSchema) -> None:
    if draft["floor"] is None:
        assert limit.level == "report-only"
        return
    assert (limit.kind, limit.source) == tuple(draft[key] for key in FACTS)
    assert limit.value in (draft["value"], None)
    assert str(draft.get("note", "")).removeprefix("see ndr.yaml") in limit.note
    assert limit.unit == draft["unit"] or draft["unit"] in ("enum", "GB/s busbw")
    assert limit.provisional or not draft.get("baseline_required")
    if draft.get("severity") == "warn":
        assert limit.level == "warn"
