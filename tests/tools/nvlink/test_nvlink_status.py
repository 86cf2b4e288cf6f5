"""`nvidia-smi nvlink -s` tells inactive links from links that nobody knows."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.nvlink import nvlink_status
from tests.tools.captures import capture, ended

HEALTHY = capture("nvlink-status", "healthy.txt")


def test_healthy_links_are_read() -> None:
    gpus = nvlink_status.read(ended(HEALTHY))
    assert [(gpu.index, gpu.active) for gpu in gpus] == [(0, 18), (1, 18)]
    assert gpus[0].uuid == "GPU-0f000000-aaaa-4bbb-8ccc-000000000000"
    assert gpus[0].links is not None
    assert gpus[0].links[17].rate_gbytes == 53.125


def test_inactive_and_unknown_differ() -> None:
    one_down, all_down, mig = nvlink_status.parse(capture("nvlink-status", "degraded.txt"))
    assert one_down.active == 17
    assert one_down.links is not None
    assert [link.index for link in one_down.links if link.rate_gbytes is None] == [5]
    assert (all_down.active, all_down.links) == (0, ())
    assert (mig.active, mig.links) == (None, None)
    assert "MIG" in mig.note


def test_a_gpu_without_a_word_on_links_is_unknown() -> None:
    [gpu] = nvlink_status.parse("GPU 0: NVIDIA H100 PCIe (UUID: GPU-1)\n")
    assert gpu.active is None


def test_a_driver_that_does_not_answer_is_tool_failed() -> None:
    with pytest.raises(ToolFailed, match="couldn't communicate"):
        nvlink_status.read(ended(capture("nvlink-status", "failed.txt"), rc=9))


@pytest.mark.parametrize(
    "text", ["", "\t Link 0: 25 GB/s\n", HEALTHY + HEALTHY, HEALTHY.replace("Link 3", "Lane 3")]
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nvlink_status.parse(text)


def test_an_active_link_without_a_rate_is_implausible() -> None:
    with pytest.raises(Implausible):
        nvlink_status.parse(HEALTHY.replace("53.125", "0", 1))
