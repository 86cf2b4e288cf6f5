"""`nvidia-smi -q -x` gives what the driver knows of each GPU, and None for what it does not."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.gpus import nvidia_smi
from fixtures.tools.gpus.nvidia_smi import Ecc, RemappedRows
from tests.tools.captures import capture, ended

HEALTHY = capture("nvidia-smi", "healthy.xml")


def test_healthy_gpus_are_read() -> None:
    log = nvidia_smi.read(ended(HEALTHY))
    assert (log.driver_version, log.cuda_version, log.attached_gpus) == ("580.95.05", "13.0", 2)
    gpu = log.gpus[0]
    assert (gpu.pci, gpu.product, gpu.lost) == ("0008:01:00.0", "NVIDIA GB300", False)
    assert (gpu.chassis_serial, gpu.slot_number, gpu.tray_index) == ("1820000004242", 12, 7)
    assert (gpu.host_id, gpu.module_id) == (1, 2)
    assert (gpu.pcie_gen_current, gpu.pcie_gen_max) == (6, 6)
    assert (gpu.pcie_width_current, gpu.pcie_width_max) == (16, 16)
    assert gpu.remapped == RemappedRows(
        correctable=0, uncorrectable=0, pending=False, failure=False
    )
    assert (gpu.power_limit_w, gpu.power_limit_default_w) == (1400.0, 1400.0)
    assert (gpu.temperature_c, gpu.throttle) == (31.0, ("gpu_idle",))
    assert (gpu.processes, gpu.recovery_action) == ((), "None")


def test_fabric_health_has_every_sub_field() -> None:
    fabric = nvidia_smi.parse(HEALTHY).gpus[0].fabric
    assert fabric is not None
    assert (fabric.state, fabric.status, fabric.clique_id) == ("Completed", "Success", 3)
    assert fabric.clustered
    assert fabric.health == {"summary": "Healthy", "bandwidth": "Full", "route_unhealthy": "False"}


def test_unknown_error_counters_are_none_and_not_zero() -> None:
    gpu = nvidia_smi.parse(HEALTHY).gpus[0]
    assert gpu.ecc_volatile == Ecc(sram_parity=0, sram_secded=0, dram=0, sram_correctable=0)
    assert gpu.ecc_aggregate == Ecc(dram=0)
    assert Ecc().uncorrectable is None


def test_a_degraded_gpu_is_read() -> None:
    gpu = nvidia_smi.parse(capture("nvidia-smi", "degraded.xml")).gpus[0]
    assert gpu.ecc_volatile.uncorrectable == 3
    assert (gpu.remapped.uncorrectable, gpu.remapped.pending) == (1, True)
    assert (gpu.pcie_width_current, gpu.throttle) == (8, ("hw_thermal_slowdown",))
    assert gpu.processes is not None
    [process] = gpu.processes
    assert (process.pid, process.name) == (4242, "/opt/train/python3")
    assert process.used_memory_bytes == 1024**3


def test_a_lost_gpu_is_a_reading() -> None:
    first, lost, joining = nvidia_smi.parse(capture("nvidia-smi", "degraded.xml")).gpus
    assert (first.lost, lost.lost, joining.lost) == (False, True, False)
    assert (lost.product, lost.temperature_c, lost.throttle) == ("NVIDIA GB300", None, None)
    assert joining.fabric is not None
    assert (joining.fabric.state, joining.fabric.clique_id) == ("In Progress", None)


def test_two_vital_unknown_errors_are_a_lost_gpu_and_one_is_not() -> None:
    one = HEALTHY.replace("31 C", "Unknown Error")
    two = one.replace("284208 MiB", "[Unknown Error]", 1)
    assert not nvidia_smi.parse(one).gpus[0].lost
    assert nvidia_smi.parse(two).gpus[0].lost


def test_a_gpu_named_before_the_xml_is_lost() -> None:
    message = "Unable to determine the device handle for GPU2: 0019:01:00.0: Unknown Error\n"
    log = nvidia_smi.parse(message + HEALTHY)
    assert [(gpu.pci, gpu.lost) for gpu in log.gpus][-1] == ("0019:01:00.0", True)
    assert log.complete


def test_a_message_alone_says_nothing_of_the_other_gpus() -> None:
    log = nvidia_smi.read(ended(capture("nvidia-smi", "lost-only.txt"), rc=15))
    assert [(gpu.pci, gpu.lost) for gpu in log.gpus] == [("0008:01:00.0", True)]
    assert not log.complete


def test_no_device_found_is_a_count_of_zero() -> None:
    log = nvidia_smi.read(ended("No devices were found\n", rc=6))
    assert (log.gpus, log.attached_gpus, log.complete) == ((), 0, True)


def test_an_old_driver_is_read() -> None:
    [gpu] = nvidia_smi.parse(capture("nvidia-smi", "old-driver.xml")).gpus
    assert (gpu.pci, gpu.module_id) == ("0000:c1:00.0", 4)
    assert gpu.ecc_volatile == Ecc(sram=1, dram=2)
    assert (gpu.throttle, gpu.power_limit_w) == (("sw_power_cap",), 400.0)
    assert (gpu.remapped.pending, gpu.temperature_c) == (None, None)
    assert gpu.fabric is not None
    assert (gpu.fabric.state, gpu.fabric.health) == (None, {})


@pytest.mark.parametrize("rc", [0, 18, 255])
def test_a_driver_mismatch_is_tool_failed(rc: int) -> None:
    with pytest.raises(ToolFailed, match="Driver/library version mismatch"):
        nvidia_smi.read(ended(capture("nvidia-smi", "failed.txt"), rc=rc))


@pytest.mark.parametrize(
    "text",
    [
        capture("nvidia-smi", "empty.txt"),
        HEALTHY[: len(HEALTHY) // 2],
        HEALTHY.replace("16x", "sixteen"),
        HEALTHY.replace("<attached_gpus>2", "<attached_gpus>", 1).replace("gpu id", "cpu id"),
        HEALTHY.replace("00000018:01:00.0", "00000008:01:00.0"),
        "<nvidia_smi_log></nvidia_smi_log>",
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nvidia_smi.parse(text)


@pytest.mark.parametrize("more", ["", "\n[root@n1 ~]# exit\n"])
def test_gpus_before_a_cut_are_certain(more: str) -> None:
    first = nvidia_smi.parse(HEALTHY).gpus[0]
    for at in range(HEALTHY.index("</gpu>") + 6, HEALTHY.rindex("</gpu>") + 6, 200):
        log = nvidia_smi.parse(HEALTHY[:at] + more)
        assert (log.gpus, log.attached_gpus, log.complete) == ((first,), 2, False)
    with pytest.raises(Unreadable, match="cut before the end of its first GPU"):
        nvidia_smi.parse(HEALTHY[: HEALTHY.index("</gpu>") + 5] + more)


def test_the_element_of_a_gpu_is_read_without_its_document() -> None:
    excerpt = HEALTHY[HEALTHY.index("<gpu id=") : HEALTHY.index("</gpu>") + 6]
    log = nvidia_smi.parse(f"$ nvidia-smi -q -x -i 0 | sed -n 9,200p\n{excerpt}\n")
    assert (log.gpus, log.complete) == (nvidia_smi.parse(HEALTHY).gpus[:1], False)
    with pytest.raises(Unreadable, match="2 reports"):
        nvidia_smi.parse(excerpt + HEALTHY)


def test_lines_left_out_of_the_xml_make_it_incomplete() -> None:
    assert not nvidia_smi.parse(HEALTHY.replace("<fabric>", "\n...\n<fabric>", 1)).complete


def test_entities_are_refused() -> None:
    bomb = '<!DOCTYPE nvidia_smi_log [<!ENTITY a "aaaa">]><nvidia_smi_log>&a;</nvidia_smi_log>'
    with pytest.raises(Unreadable):
        nvidia_smi.parse(bomb)


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("GPU 0000:C3:00.0: GPU is lost.  Reboot the system to recover this GPU", "0000:c3:00.0"),
        ("GPU1: 0000:C3:00.0: Unknown Error", "0000:c3:00.0"),
        ("GPU0000:C3:00.0: GPU is lost.", "0000:c3:00.0"),
        ("GPU 00000008:01:00.0: GPU requires reset", "0008:01:00.0"),
        ("GPU1: GPU is lost", None),
    ],
)
def test_every_wording_of_an_unreachable_gpu_is_known(said: str, address: str | None) -> None:
    log = nvidia_smi.parse(f"Unable to determine the device handle for {said}\n")
    assert [(gpu.pci, gpu.lost) for gpu in log.gpus] == [(address, True)]
    assert not log.complete


def test_fewer_gpus_than_attached_are_no_complete_list() -> None:
    assert not nvidia_smi.parse(HEALTHY.replace("gpus>2<", "gpus>3<")).complete


@pytest.mark.parametrize("word", ["GPU requires reset", "[Timeout]", "Function Not Found", "ERROR"])
def test_an_error_word_in_place_of_a_number_is_none(word: str) -> None:
    assert nvidia_smi.parse(HEALTHY.replace("31 C", word)).gpus[0].temperature_c is None


def test_the_status_of_the_fabric_is_an_error_word_by_nature() -> None:
    text = HEALTHY.replace("<status>Success", "<status>Unknown Error")
    fabric = nvidia_smi.parse(text).gpus[0].fabric
    assert fabric is not None
    assert fabric.status == "Unknown Error"


def test_the_module_of_old_drivers_has_another_name() -> None:
    text = "<nvidia_smi_log><attached_gpus>1</attached_gpus><gpu id='0000:01:00.0'>{}</gpu>"
    text += "</nvidia_smi_log>"
    assert nvidia_smi.parse(text.format("<gpu_module_id>5</gpu_module_id>")).gpus[0].module_id == 5


def test_an_element_that_is_deeper_than_any_known_one_does_no_harm() -> None:
    deep = "<a>" * 3000 + "</a>" * 3000
    assert nvidia_smi.parse(HEALTHY.replace("<processes>", f"{deep}<processes>", 1)).complete


def test_a_shell_prompt_behind_the_xml_is_not_read() -> None:
    assert nvidia_smi.parse(f"$ nvidia-smi -q -x\n{HEALTHY}$ ") == nvidia_smi.parse(HEALTHY)


def test_processes_that_the_driver_cannot_list_are_unknown() -> None:
    text = HEALTHY.replace("<processes>\n\t\t</processes>", "<processes>N/A</processes>", 1)
    assert nvidia_smi.parse(text).gpus[0].processes is None


@pytest.mark.parametrize(("rc", "said"), [(6, "no device"), (15, "no GPU is shown as lost")])
def test_an_exit_status_that_the_text_contradicts_is_unreadable(rc: int, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        nvidia_smi.read(ended(HEALTHY, rc=rc))


def test_status_255_is_a_failure_unless_a_gpu_is_named() -> None:
    with pytest.raises(ToolFailed, match="255"):
        nvidia_smi.read(ended(HEALTHY, rc=255))
    lost = "Unable to determine the device handle for GPU 0000:C3:00.0: Unknown Error\n"
    assert nvidia_smi.read(ended(lost, rc=255)).gpus[0].lost


@pytest.mark.parametrize(
    "text", [HEALTHY + HEALTHY, HEALTHY.replace("gpus>2<", "gpus>1<")], ids=["two", "one too many"]
)
def test_two_reports_are_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nvidia_smi.parse(text)


UUID = "<clusterUuid>"


def test_a_cluster_of_zeros_is_no_cluster_and_no_fault() -> None:
    before, _, rest = HEALTHY.partition(UUID)
    zeros = f"{before}{UUID}00000000-0000-0000-0000-000000000000{rest[rest.index('<') :]}"
    text = zeros.replace("<bandwidth>Full", "<bandwidth>N/A", 1)
    fabric = nvidia_smi.parse(text).gpus[0].fabric
    assert fabric is not None
    assert (fabric.state, fabric.status, fabric.clustered) == ("Completed", "Success", False)
    assert (fabric.health["summary"], fabric.health["bandwidth"]) == ("Healthy", None)


def test_drivers_before_the_fabric_have_none() -> None:
    start, end = HEALTHY.index("<fabric>"), HEALTHY.index("</fabric>") + len("</fabric>")
    gpu = nvidia_smi.parse(HEALTHY[:start] + HEALTHY[end:]).gpus[0]
    assert (gpu.fabric, gpu.product) == (None, "NVIDIA GB300")


def test_a_bus_address_may_be_short_and_a_section_forbidden() -> None:
    denied = "<power_smoothing>Insufficient Permissions</power_smoothing><fabric>"
    text = HEALTHY.replace("00000008:01:00.0", "0008:01:00.0").replace("<fabric>", denied)
    assert nvidia_smi.parse(text) == nvidia_smi.parse(HEALTHY)
    denied = HEALTHY.replace("31 C", "Insufficient Permissions")
    assert nvidia_smi.parse(denied).gpus[0].temperature_c is None


def test_a_module_has_one_serial_number_for_its_gpus() -> None:
    serials = [gpu.serial for gpu in nvidia_smi.parse(HEALTHY).gpus]
    assert serials == ["1650000000042"] * 2


@pytest.mark.parametrize("rc", [0, 255])
def test_a_gpu_named_before_a_table_is_lost(rc: int) -> None:
    message = "Unable to determine the device handle for GPU1: 0000:C3:00.0: Unknown Error\n"
    table = "+---+\n| NVIDIA-SMI 590.44.01   Driver Version: 590.44.01   CUDA Version: 13.1 |\n"
    log = nvidia_smi.read(ended(message + table, rc=rc))
    assert [(gpu.pci, gpu.lost) for gpu in log.gpus] == [("0000:c3:00.0", True)]
    assert not log.complete
