"""`nvidia-smi nvlink -gt` counts bytes of payload, or of everything."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.nvlink import nvlink_throughput
from fixtures.tools.nvlink.nvlink_throughput import LinkTraffic
from tests.tools.captures import capture, ended

HEALTHY = capture("nvlink-throughput", "healthy.txt")


def test_a_link_with_fewer_values_than_the_others_was_cut() -> None:
    lines = HEALTHY.splitlines(keepends=True)
    *whole, cut = nvlink_throughput.parse("".join(lines[:-1]))
    assert (all(gpu.complete for gpu in whole), cut.complete) == (True, False)


def test_payload_is_in_bytes() -> None:
    [gpu] = nvlink_throughput.read(ended(HEALTHY))
    assert gpu.links == (
        LinkTraffic(index=0, data_tx_bytes=1024 * 1024, data_rx_bytes=2000 * 1024),
        LinkTraffic(index=1, data_tx_bytes=1030 * 1024, data_rx_bytes=0),
    )


def test_raw_counters_are_others_and_what_is_not_known_is_none() -> None:
    gpu, without = nvlink_throughput.parse(capture("nvlink-throughput", "degraded.txt"))
    assert gpu.links == (LinkTraffic(index=0, raw_tx_bytes=2048 * 1024),)
    assert (without.links, without.note) == (None, "Device does not have or support Nvlink")


def test_missing_permissions_are_unknown_traffic() -> None:
    said = "NVML: Unable to get the NvLink counter for link 0: Insufficient Permissions"
    [gpu] = nvlink_throughput.parse(f"GPU 0: Tesla V100 (UUID: GPU-1)\n{said}\n")
    assert (gpu.links, gpu.note) == (None, said)


def test_a_driver_that_does_not_answer_is_tool_failed() -> None:
    with pytest.raises(ToolFailed):
        nvlink_throughput.read(ended(capture("nvlink-throughput", "failed.txt")))


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEALTHY + HEALTHY,
        HEALTHY.replace("Data Rx", "Data Tx", 1),
        HEALTHY.replace("KiB", "furlongs", 1),
        HEALTHY.replace("1024 KiB", "much", 1),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nvlink_throughput.parse(text)
