"""`nvidia-smi -q` as text gives what the XML of the same machine gives, or says what is missing."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.gpus import nvidia_smi
from fixtures.tools.gpus.nvidia_smi import Fabric, Gpu, RetiredPages
from tests.tools.captures import capture, ended

TWO = capture("nvidia-smi", "two.txt")
ONE = TWO[: TWO.index("GPU 00000000:C3")]
FABRIC = "    Fabric\n        State   : {state}\n        Status  : {status}\n"


def only(text: str) -> Gpu:
    [gpu] = nvidia_smi.parse(text).gpus
    return gpu


def test_text_and_xml_of_one_machine_are_the_same() -> None:
    log = nvidia_smi.read(ended(TWO))
    assert log == nvidia_smi.read(ended(capture("nvidia-smi", "two.xml")))
    assert (log.complete, [gpu.pci for gpu in log.gpus]) == (True, ["0000:1b:00.0", "0000:c3:00.0"])
    assert log.gpus[0].processes == ()
    assert log.gpus[1].processes is not None
    assert [(p.pid, p.kind) for p in log.gpus[1].processes] == [(31337, "C"), (31338, "M+C")]
    assert log.gpus[1].processes[0].name == "/opt/app/bin/python3 : worker"


def test_the_values_are_those_of_the_gpu_and_not_of_its_mig_devices() -> None:
    gpu = nvidia_smi.parse(TWO).gpus[1]
    assert gpu.mig_devices is not None
    assert [(mig.index, mig.sram_uncorrectable) for mig in gpu.mig_devices] == [(0, 9), (1, 0)]
    assert gpu.ecc_volatile.sram is None
    assert gpu.ecc_volatile.uncorrectable == 13
    assert gpu.memory_total_bytes == 275040 * 2**20


def test_a_label_column_of_any_width_is_read() -> None:
    narrow = "\n".join(line.replace(" " * 12 + ":", ":") for line in TWO.split("\n"))
    assert nvidia_smi.parse(narrow) == nvidia_smi.parse(TWO)


def test_nested_reasons_count_and_have_the_names_of_the_xml() -> None:
    assert nvidia_smi.parse(TWO).gpus[1].throttle == (
        "sw_power_cap",
        "hw_slowdown",
        "hw_power_brake_slowdown",
    )


def test_one_section_leaves_the_others_unknown() -> None:
    log = nvidia_smi.parse(capture("nvidia-smi", "section-ecc.txt"))
    first, second = log.gpus
    assert (log.complete, log.attached_gpus) == (True, 2)
    assert (first.ecc_volatile.single_bit, first.ecc_volatile.uncorrectable) == (3, 0)
    assert (second.ecc_aggregate.single_bit, second.ecc_aggregate.uncorrectable) == (None, 4)
    assert (first.fabric, first.processes, first.retired_pages) == (None, None, None)


def test_a_lost_gpu_is_lost_and_a_warning_is_kept() -> None:
    log = nvidia_smi.read(ended(capture("nvidia-smi", "degraded.txt"), rc=14))
    assert [gpu.lost for gpu in log.gpus] == [False, True]
    assert log.gpus[0].retired_pages == RetiredPages(single_bit=0, double_bit=6, pending=True)
    assert log.gpus[1].retired_pages == RetiredPages()
    assert log.warnings == ("WARNING: infoROM is corrupted at gpu 0000:1B:00.0",)


def test_an_excerpt_is_read_and_not_complete() -> None:
    log = nvidia_smi.parse(capture("nvidia-smi", "excerpt.txt"))
    assert not log.complete
    assert [gpu.pci for gpu in log.gpus] == [None, None]
    assert [gpu.fabric and gpu.fabric.state for gpu in log.gpus] == ["Completed", "In Progress"]
    assert [gpu.fabric and gpu.fabric.clique_id for gpu in log.gpus] == [4, None]


@pytest.mark.parametrize(
    "before",
    [
        "$ nvidia-smi -q | grep -A 2 Fabric\n",
        "The new node says\n",
        "```\n",
        "GPU Fabric GUID : N/A\n",
    ],
)
def test_an_excerpt_among_other_lines_is_read(before: str) -> None:
    text = before + FABRIC.format(state="In Progress", status="N/A") + "root@n1:~# \n"
    assert only(text).fabric == Fabric(state="In Progress")


def test_an_excerpt_whose_first_blanks_were_not_copied_is_read() -> None:
    text = (FABRIC * 2).format(state="Completed", status="Success").lstrip()
    assert [gpu.fabric and gpu.fabric.state for gpu in nvidia_smi.parse(text).gpus] == [
        "Completed",
        "Completed",
    ]


def test_grep_for_the_word_fabric_finds_the_guid_first() -> None:
    group = "        GPU Fabric GUID : 0x4c1\n    Inforom Version\n        Image Version : G1\n--\n"
    text = (group + FABRIC + "--\n") * 3
    found = nvidia_smi.parse(text.format(state="Completed", status="Success")).gpus
    assert [gpu.fabric and gpu.fabric.status for gpu in found] == ["Success"] * 3


def test_a_mig_devices_errors_in_an_excerpt_are_not_the_gpus() -> None:
    text = "        ECC Errors\n            Volatile\n                SRAM Uncorrectable : 3\n"
    gpu = only(text + FABRIC.format(state="Completed", status="Success"))
    assert gpu.ecc_volatile.sram is None


def test_the_state_of_the_fabric_is_no_other_state() -> None:
    text = "    Performance State : P0\n    Unknown Things\n        State : Completed\n"
    assert only(text).fabric is None


def test_driver_610_puts_a_notice_behind_the_old_versions() -> None:
    notice = " [Deprecated; will be removed in CUDA 14.0. Use KMD Version instead]"
    old = "Driver Version                                         : 590.44.01"
    assert nvidia_smi.parse(TWO.replace(old, old + notice)).driver_version == "590.44.01"
    both = TWO.replace(old, f"{old}{notice}\nKMD Version : 610.11.02")
    assert nvidia_smi.parse(both).driver_version == "610.11.02"


def test_windows_does_not_know_the_memory_of_a_process() -> None:
    text = TWO.replace("1500 MiB", "Not available in WDDM driver model").replace("\n", "\r\n")
    processes = nvidia_smi.parse(text).gpus[1].processes
    assert processes is not None
    assert processes[0].used_memory_bytes is None


@pytest.mark.parametrize(
    "text",
    [
        TWO[: TWO.index("    Temperature", len(TWO) // 2)],
        TWO[: TWO.index("GPU 00000000:C3")],
        TWO.replace("    Temperature\n", "    ...\n", 1),
        capture("nvidia-smi", "section-ecc.txt")[:-40],
    ],
    ids=["cut", "one GPU of two", "left out", "section cut"],
)
def test_what_is_not_whole_says_so(text: str) -> None:
    assert not nvidia_smi.parse(text).complete


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TWO + TWO, "2 reports"),
        ("".join(f"{n}: {line}\n" for n in (0, 1) for line in TWO.split("\n")), "2 reports"),
        (
            FABRIC.format(state="Completed", status="Success") + "$ nvidia-smi -q\n" + FABRIC,
            "2 exc",
        ),
        (TWO.replace("C3:00.0", "1B:00.0"), "occurs twice"),
        (TWO.replace("GPU 00000000:C3:00.0\n", ""), "different values"),
        (TWO.replace("83 C", "83 F"), "expected a number of C"),
        (
            TWO.replace("Remapping Failure Occurred                     : No", "Pending : Yes"),
            "diff",
        ),
        ("FRU Device Description : Builtin\n Product Name : X\n Product Serial : 1\n", "expected"),
        ("| NVIDIA-SMI 590.44.01   Driver Version: 590.44.01 |\n", "run `nvidia-smi -q -x`"),
        ("", "found 'nothing'"),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        nvidia_smi.parse(text)


@pytest.mark.parametrize("before", ["", " ", "    "])
def test_without_indent_sections_are_told_by_their_names(before: str) -> None:
    flat = "".join(f"{before}{line.strip()}\n" for line in ONE.splitlines())
    read = nvidia_smi.parse(flat)
    assert read.gpus == nvidia_smi.parse(ONE).gpus
    assert not read.complete


def test_without_indent_a_label_of_a_section_that_is_not_read_is_not_the_gpus() -> None:
    text = "GPU 0000:1B:00.0\nProduct Name : A\nMax Clocks\nSM : 1980 MHz\nClocks\nSM : 210 MHz\n"
    gpu = only(text + "vGPU Software Licensed Product\nProduct Name : B\n")
    assert (gpu.product, gpu.sm_clock_mhz) == ("A", 210.0)


def test_without_indent_reasons_below_a_title_are_read() -> None:
    text = "Clocks Event Reasons\nIdle : Not Active\nHW Slowdown\nHW Thermal Slowdown : Active\n"
    more = "Clocks Event Reasons Counters\nSync Boost : 5 us\nPerformance State : P2\n"
    gpu = only(text + more)
    assert (gpu.throttle, gpu.performance_state) == (("hw_thermal_slowdown",), "P2")


def test_without_indent_mig_devices_cannot_be_told_apart() -> None:
    flat = "\n".join(map(str.strip, TWO.splitlines()))
    with pytest.raises(Unreadable, match="the indent is lost"):
        nvidia_smi.parse(flat)


def test_a_paste_can_lose_the_first_level_of_indent() -> None:
    shifted = "".join(f"{line.removeprefix('    ')}\n" for line in TWO.splitlines())
    assert nvidia_smi.parse(shifted) == nvidia_smi.parse(TWO)


def test_the_indent_of_the_banner_does_not_matter() -> None:
    assert nvidia_smi.parse(TWO.replace("=====", "      =====", 1)) == nvidia_smi.parse(TWO)


def test_a_board_without_a_pci_address_is_read() -> None:
    log = nvidia_smi.parse("=====NVSMI LOG=====\nGPU N/A\n    Product Name : Orin (nvgpu)\n")
    assert [(gpu.pci, gpu.product) for gpu in log.gpus] == [(None, "Orin (nvgpu)")]
    assert not log.complete


def test_a_gpu_that_does_not_average_gives_its_power_all_the_same() -> None:
    draws = "Average Power Draw : N/A\n        Instantaneous Power Draw : 61.20 W\n"
    assert only(f"GPU 0000:1B:00.0\n    GPU Power Readings\n        {draws}").power_draw_w == 61.2


def test_the_power_limit_of_old_drivers_is_the_enforced_one() -> None:
    limits = "Power Limit : 700.00 W\n        Enforced Power Limit : 500.00 W\n"
    assert only(f"GPU 0000:1B:00.0\n    Power Readings\n        {limits}").power_limit_w == 500.0


def test_a_launchers_labels_are_taken_off() -> None:
    labelled = "".join(f"0: {line}\n" for line in TWO.split("\n"))
    assert nvidia_smi.parse(labelled).gpus == nvidia_smi.parse(TWO).gpus
