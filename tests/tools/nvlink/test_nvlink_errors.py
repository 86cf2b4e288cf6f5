"""`nvidia-smi nvlink -e` is read under the names of every generation of NVLink."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.nvlink import nvlink_errors
from tests.tools.captures import capture, ended

HEALTHY = capture("nvlink-e", "healthy.txt")
DEGRADED = capture("nvlink-e", "degraded.txt")
GPU = "GPU 0: NVIDIA B300 (UUID: GPU-1)\n"


def counter(line: str) -> object:
    [gpu] = nvlink_errors.parse(f"{GPU}\t Link 0: {line}\n")
    assert gpu.links is not None
    [link] = gpu.links
    return next(iter([*link.counters.values(), *link.others.values()]))


def test_three_counters_a_link_up_to_hopper() -> None:
    first, second = nvlink_errors.read(ended(HEALTHY))
    assert first.links is not None
    assert [link.index for link in first.links] == [0, 1, 2]
    assert first.links[2].counters == {"replay_errors": 0, "recovery_errors": 0, "crc_errors": 0}
    assert second.links == first.links


def test_the_counters_of_nvlink_5_are_read() -> None:
    gpu, down, mig = nvlink_errors.parse(DEGRADED)
    assert gpu.links is not None
    good, bad = (link.counters for link in gpu.links)
    assert (good["rx_errors"], bad["rx_errors"]) == (0, 50)
    assert (good["link_recovery_failed_events"], bad["link_recovery_failed_events"]) == (0, 1)
    assert bad["fec_errors_0"] == 123456789012
    assert bad["effective_ber"] == 3e-9
    assert bad["plr_xmit_retry_blocks"] is None
    assert (down.links, mig.links) == (None, None)
    assert "MIG mode" in mig.note


def test_no_errors_seen_is_the_number_that_is_printed() -> None:
    assert counter("Symbol BER: 15e-255") == 15e-255
    assert counter("Raw BER Lane 0: 2061") == 2061
    [gpu] = nvlink_errors.parse(f"{GPU}\t Link 2: Symbol BER: 15e-255\n\t Link 2: Raw BER: 2e-9\n")
    assert gpu.links is not None
    assert gpu.links[0].no_errors_seen == ("symbol_ber",)


def test_a_bit_error_rate_above_1_is_implausible() -> None:
    with pytest.raises(Implausible, match="above 1"):
        counter("Effective BER: 3e+9")


@pytest.mark.parametrize("said", ["N/A", "[Not Supported]", "Insufficient Permissions"])
def test_a_counter_that_a_link_does_not_have_is_none(said: str) -> None:
    assert counter(f"Replay Errors: {said}") is None


def test_counters_by_lane_have_the_lane_in_their_name() -> None:
    [gpu] = nvlink_errors.parse(f"{GPU}\t Link 2: CRC Error: Lane 1: 7\n\t Link 2: CRC Errors: 7\n")
    assert gpu.links is not None
    assert gpu.links[0].counters == {"crc_error_lane_1": 7, "crc_errors": 7}


def test_drivers_up_to_470_print_the_number_first() -> None:
    text = capture("nvlink-e", "old-driver.txt")
    gpu, failed = nvlink_errors.parse(text)
    assert gpu.links is not None
    assert gpu.links[1].counters == {
        "replay_errors": 12,
        "recovery_errors": 1,
        "flit_crc_errors": 0,
        "data_crc_errors": 3,
    }
    assert (failed.links, failed.note[:24]) == (None, "NVML: Unable to retrieve")
    [cut] = nvlink_errors.parse(text[: text.index("3 data") + 12])
    assert not cut.complete


def test_counters_by_lane_stand_below_their_link() -> None:
    [gpu] = nvlink_errors.parse(capture("nvlink-e", "lanes.txt"))
    assert gpu.links is not None
    assert [link.index for link in gpu.links] == [0, 1]
    assert [gpu.links[1].counters[f"lane_{lane}_crc_errors"] for lane in range(4)] == [0, 1, 2, 3]
    assert gpu.links[1].counters["lane_3_ecc_correction_count"] == 51
    assert gpu.links[1].counters["lane_3_ecc_correction_count_overflow"] == 0
    with pytest.raises(Unreadable, match="expected 'Link n:'"):
        nvlink_errors.parse(f"{GPU}\t\t Lane 0: 4 CRC errors\n")


def test_a_link_that_could_not_be_read_makes_it_incomplete() -> None:
    said = "NVML: Unable to retrieve NvLink CRC error counter for link 1: Unknown Error\n"
    [gpu] = nvlink_errors.parse(f"{GPU}\t Link 0: CRC Errors: 0\n{said}")
    assert gpu.links is not None
    assert (len(gpu.links), gpu.complete, gpu.note) == (1, False, said.rstrip())


def test_a_field_of_the_next_driver_that_is_no_number_is_kept() -> None:
    assert counter("Link training: Done") == "Done"
    assert counter("Tx traffic: 12 KiB") == "12 KiB"


def test_a_16_bit_counter_that_has_run_full_is_what_the_tool_says() -> None:
    assert counter("CRC Errors: 65535") == 65535


@pytest.mark.parametrize("value", ["4294967295", "-1", "9223372036854775794"])
def test_a_counter_that_cannot_be_is_implausible(value: str) -> None:
    with pytest.raises(Implausible):
        counter(f"Recovery Errors: {value}")


def test_links_that_a_paste_leaves_out_make_it_incomplete() -> None:
    [gpu] = nvlink_errors.parse(f"{GPU}\t Link 0: Replay Errors: 0\n\n\t [...]\n")
    assert not gpu.complete


def test_a_driver_that_does_not_answer_is_tool_failed() -> None:
    with pytest.raises(ToolFailed):
        nvlink_errors.read(ended(capture("nvlink-e", "failed.txt")))


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEALTHY + HEALTHY,
        HEALTHY.replace("Recovery Errors", "Replay Errors", 1),
        HEALTHY.replace("CRC Errors: 0", "CRC Errors: 0 0", 1),
        HEALTHY.replace("Link 1: Replay", "Lane 1: Replay", 1),
        capture("nvlink-status", "healthy.txt"),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nvlink_errors.parse(text)
