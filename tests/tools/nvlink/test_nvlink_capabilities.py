"""`nvidia-smi nvlink -c` lists what the links that are up can be used for."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.nvlink import nvlink_capabilities
from tests.tools.captures import capture, ended

HEALTHY = capture("nvlink-capabilities", "healthy.txt")


def test_capabilities_have_the_tools_names() -> None:
    [gpu] = nvlink_capabilities.read(ended(HEALTHY))
    assert gpu.links is not None
    assert [link.index for link in gpu.links] == [0, 1]
    assert gpu.links[1].supported == {
        "p2p": True,
        "access_to_system_memory": True,
        "p2p_atomics": True,
        "sli": True,
        "link": True,
    }


def test_a_gpu_without_links_is_unknown() -> None:
    gpu, without = nvlink_capabilities.parse(capture("nvlink-capabilities", "degraded.txt"))
    assert gpu.links is not None
    assert not gpu.links[0].supported["sli"]
    assert without.links is None


def test_lines_without_a_gpu_are_of_an_unknown_one() -> None:
    [gpu] = nvlink_capabilities.parse(capture("nvlink-capabilities", "excerpt.txt"))
    assert gpu.links is not None
    assert [(link.index, link.supported["p2p"]) for link in gpu.links] == [(0, True), (3, True)]
    assert (gpu.index, gpu.name, gpu.complete) == (None, None, False)


def test_a_driver_that_does_not_answer_is_tool_failed() -> None:
    with pytest.raises(ToolFailed):
        nvlink_capabilities.read(ended(capture("nvlink-capabilities", "failed.txt")))


@pytest.mark.parametrize(
    "text",
    ["", HEALTHY + HEALTHY, HEALTHY.replace("true", "maybe", 1), HEALTHY.replace("SLI", "P2P")],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nvlink_capabilities.parse(text)
