"""The elements of `nvidia-smi -q -x` below `<gpu>`, in the order of driver 580 (DTD v13).

Element names and their order are the tool's; values in braces come from the state. `{dead}` fields
say "GPU is lost" where the driver has lost the GPU, and their value elsewhere.
"""

IDENTITY = """
product_name {product}
product_brand NVIDIA
product_architecture {architecture}
display_mode Requested functionality has been deprecated
display_attached No
display_active Disabled
persistence_mode Enabled
addressing_mode {addressing}
mig_mode
 current_mig Disabled
 pending_mig Disabled
mig_devices
 =None
accounting_mode Disabled
accounting_mode_buffer_size 4000
driver_model
 current_dm N/A
 pending_dm N/A
serial {serial}
uuid {uuid}
pdi {pdi}
minor_number {index}
vbios_version {vbios}
multigpu_board No
board_id {board_id}
board_part_number {board_part}
gpu_part_number {gpu_part}
gpu_fru_part_number N/A
platformInfo
 chassis_serial_number {chassis}
 slot_number {slot}
 tray_index {tray}
 host_id {host_id}
 peer_type {peer_type}
 module_id {module}
 gpu_fabric_guid {fabric_guid}
inforom_version
 img_version {image}
 oem_object 2.1
 ecc_object 7.16
 pwr_object N/A
inforom_bbx_flush
 latest_timestamp N/A
 latest_duration N/A
gpu_operation_mode
 current_gom N/A
 pending_gom N/A
c2c_mode {c2c}
gpu_virtualization_mode
 virtualization_mode None
 host_vgpu_mode N/A
 vgpu_heterogeneous_mode N/A
gpu_recovery_action {recovery}
gsp_firmware_version {driver}
ibmnpu
 relaxed_ordering_mode N/A
pci
 pci_bus {bus}
 pci_device {device}
 pci_domain {domain}
 pci_base_class 3
 pci_sub_class 2
 pci_device_id {device_id}
 pci_bus_id {bus_id}
 pci_sub_system_id {sub_system_id}
 pci_gpu_link_info
  pcie_gen
   max_link_gen {max_gen}
   current_link_gen {gen}
   device_current_link_gen {gen}
   max_device_link_gen {max_device_gen}
   max_host_link_gen N/A
  link_widths
   max_link_width 16x
   current_link_width {width}x
 pci_bridge_chip
  bridge_chip_type N/A
  bridge_chip_fw N/A
 replay_counter 0
 replay_rollover_counter 0
 tx_util 0 KB/s
 rx_util 0 KB/s
 atomic_caps_outbound N/A
 atomic_caps_inbound FETCHADD_32 FETCHADD_64 SWAP_32 SWAP_64 CAS_32 CAS_64
fan_speed N/A
performance_state P0
"""

LOAD = """
clocks_event_reasons
 clocks_event_reason_gpu_idle {gpu_idle}
 clocks_event_reason_applications_clocks_setting Not Active
 clocks_event_reason_sw_power_cap {sw_power_cap}
 clocks_event_reason_hw_slowdown {hw_slowdown}
 clocks_event_reason_hw_thermal_slowdown {hw_thermal_slowdown}
 clocks_event_reason_hw_power_brake_slowdown {hw_power_brake_slowdown}
 clocks_event_reason_sync_boost Not Active
 clocks_event_reason_sw_thermal_slowdown {sw_thermal_slowdown}
 clocks_event_reason_display_clocks_setting Not Active
clocks_event_reasons_counters
 clocks_event_reasons_counters_sw_power_cap 0 us
 clocks_event_reasons_counters_sync_boost 0 us
 clocks_event_reasons_counters_sw_therm_slowdown 0 us
 clocks_event_reasons_counters_hw_therm_slowdown 0 us
 clocks_event_reasons_counters_hw_power_brake {braked_us} us
sparse_operation_mode N/A
fb_memory_usage
 total {fb_total}
 reserved {fb_reserved}
 used {fb_used}
 free {fb_free}
bar1_memory_usage
 total {bar1} MiB
 used 0 MiB
 free {bar1} MiB
cc_protected_memory_usage
 total 0 MiB
 used 0 MiB
 free 0 MiB
compute_mode Default
utilization
 gpu_util {gpu_util}
 memory_util {memory_util}
 encoder_util 0 %
 decoder_util 0 %
 jpeg_util 0 %
 ofa_util 0 %
encoder_stats
 session_count 0
 average_fps 0
 average_latency 0
fbc_stats
 session_count 0
 average_fps 0
 average_latency 0
dram_encryption_mode
 current_dram_encryption N/A
 pending_dram_encryption N/A
"""

MEMORY = """
ecc_mode
 current_ecc Enabled
 pending_ecc Enabled
ecc_errors
 volatile
  sram_correctable {sram_correctable}
  sram_uncorrectable_parity {sram_uncorrectable_parity}
  sram_uncorrectable_secded {sram_uncorrectable_secded}
  dram_correctable {dram_correctable}
  dram_uncorrectable {dram_uncorrectable}
 aggregate
  sram_correctable {ever_sram_correctable}
  sram_uncorrectable_parity {ever_sram_uncorrectable_parity}
  sram_uncorrectable_secded {ever_sram_uncorrectable_secded}
  dram_correctable {ever_dram_correctable}
  dram_uncorrectable {ever_dram_uncorrectable}
  sram_threshold_exceeded {sram_exceeded}
 aggregate_uncorrectable_sram_sources
  sram_l2 0
  sram_sm 0
  sram_microcontroller 0
  sram_pcie 0
  sram_other 0
 channel_repair_pending No
 tpc_repair_pending No
 unrepairable_memory No
retired_pages
 multiple_single_bit_retirement
  retired_count N/A
  retired_pagelist N/A
 double_bit_retirement
  retired_count N/A
  retired_pagelist N/A
 pending_blacklist N/A
 pending_retirement N/A
"""

REMAPPED_ROWS = """
remapped_rows
 remapped_row_corr {rows_corr}
 remapped_row_corr_inactive 0
 remapped_row_unc {rows_unc}
 remapped_row_unc_inactive {rows_waiting}
 remapped_row_pending {pending}
 remapped_row_failure {remap_failed}
 row_remapper_histogram
  row_remapper_histogram_max {banks_max} bank(s)
  row_remapper_histogram_high {banks_used} bank(s)
  row_remapper_histogram_partial 0 bank(s)
  row_remapper_histogram_low 0 bank(s)
  row_remapper_histogram_none 0 bank(s)
"""

REMAPPED_ROWS_LOST = "remapped_rows GPU is lost"

POWER = """
temperature
 gpu_temp {temp}
 gpu_temp_tlimit {tlimit}
 gpu_temp_max_tlimit_threshold -5 C
 gpu_temp_slow_tlimit_threshold -2 C
 gpu_temp_max_gpu_tlimit_threshold 0 C
 gpu_target_temperature N/A
 memory_temp {temp}
 gpu_temp_max_mem_tlimit_threshold 0 C
supported_gpu_target_temp
 gpu_target_temp_min N/A
 gpu_target_temp_max N/A
gpu_power_readings
 power_state P0
 average_power_draw {draw}
 instant_power_draw {draw}
 current_power_limit {limit:.2f} W
 requested_power_limit {limit:.2f} W
 default_power_limit {default_limit:.2f} W
 min_power_limit 200.00 W
 max_power_limit {default_limit:.2f} W
gpu_memory_power_readings
 average_power_draw {memory_draw}
 instant_power_draw N/A
module_power_readings
 power_state P0
 average_power_draw {module_draw}
 instant_power_draw {module_draw}
 current_power_limit {module_limit}
 requested_power_limit {module_limit}
 default_power_limit {module_limit}
 min_power_limit {module_min}
 max_power_limit {module_limit}
power_smoothing N/A
power_profiles
 power_profile_requested_profiles N/A
 power_profile_enforced_profiles N/A
clocks
 graphics_clock {clock}
 sm_clock {clock}
 mem_clock {memory_clock}
 video_clock {clock}
applications_clocks
 graphics_clock {boost} MHz
 mem_clock {memory_mhz} MHz
default_applications_clocks
 graphics_clock {boost} MHz
 mem_clock {memory_mhz} MHz
deferred_clocks
 mem_clock N/A
max_clocks
 graphics_clock {boost} MHz
 sm_clock {boost} MHz
 mem_clock {memory_mhz} MHz
 video_clock {boost} MHz
max_customer_boost_clocks
 graphics_clock {boost} MHz
clock_policy
 auto_boost N/A
 auto_boost_default N/A
"""

FABRIC = """
fabric
 state {fabric_state}
 status {fabric_status}
 cliqueId {clique}
 clusterUuid {cluster}
 health
  summary {health}
  bandwidth {bandwidth}
  route_recovery_in_progress {route_recovery_in_progress}
  route_unhealthy {route_unhealthy}
  access_timeout_recovery {access_timeout_recovery}
  incorrect_configuration {incorrect_configuration}
  partition_assigned N/A
supported_clocks
 supported_mem_clock
  value {memory_mhz} MHz
  supported_graphics_clock {boost} MHz
={processes}
accounted_processes/
capabilities
 egm disabled
"""
