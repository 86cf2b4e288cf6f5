"""`nvidia-smi nvlink -s` tells inactive links from links that nobody knows."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.nvlink import nvlink_status
from tests.tools.captures import capture, ended

HEALTHY = capture("nvlink-status", "healthy.txt")
DEGRADED = capture("nvlink-status", "degraded.txt")


def test_healthy_links_are_read() -> None:
    gpus = nvlink_status.read(ended(HEALTHY))
    assert [(gpu.index, gpu.active, gpu.complete) for gpu in gpus] == [(0, 18, True), (1, 18, True)]
    assert gpus[0].uuid == "GPU-0f000000-aaaa-4bbb-8ccc-000000000000"
    assert gpus[0].links is not None
    assert gpus[0].links[17].rate_gbytes == 53.125


def test_inactive_and_unknown_differ() -> None:
    one_down, all_down, mig = nvlink_status.parse(DEGRADED)
    assert one_down.active == 17
    assert one_down.links is not None
    assert [link.index for link in one_down.links if link.rate_gbytes is None] == [5]
    assert (all_down.active, all_down.links) == (0, ())
    assert (mig.active, mig.links) == (None, None)
    assert "MIG" in mig.note


@pytest.mark.parametrize(
    "sentence",
    [
        "Device does not have or support Nvlink",
        "Not supported",
        "NVML: Unable to retrieve NVLink information for GPU: GPU is lost",
        "NVML: Unable to get the NvLink state for link 3: Unknown Error",
    ],
)
def test_a_sentence_in_place_of_links_is_unknown(sentence: str) -> None:
    [gpu] = nvlink_status.parse(f"GPU 0: NVIDIA H100 (UUID: GPU-1)\n{sentence}\n")
    assert (gpu.links, gpu.note) == (None, sentence)


def test_a_driver_without_uuids_is_read() -> None:
    [gpu] = nvlink_status.parse("GPU 3: Tesla V100-SXM2-32GB\n\t Link 0: 25.781 GB/s\n")
    assert (gpu.index, gpu.name, gpu.uuid, gpu.active) == (3, "Tesla V100-SXM2-32GB", None, 1)


def test_a_uuid_that_was_taken_out_is_unknown() -> None:
    [gpu] = nvlink_status.parse("GPU 3: Tesla V100 (UUID: ...)\n\t Link 0: 25.781 GB/s\n")
    assert (gpu.name, gpu.uuid) == ("Tesla V100", None)


def test_a_gpu_without_a_word_on_links_is_unknown() -> None:
    [gpu] = nvlink_status.parse("GPU 0: NVIDIA H100 PCIe (UUID: GPU-1)\n")
    assert gpu.active is None


def test_links_that_a_paste_leaves_out_are_not_counted() -> None:
    start, end = HEALTHY.index("\t Link 2:"), HEALTHY.index("\t Link 17:")
    first, second = nvlink_status.parse(HEALTHY[:start] + "         [...]\n" + HEALTHY[end:])
    assert (first.complete, first.active) == (False, None)
    assert (second.complete, second.active) == (True, 18)


@pytest.mark.parametrize("end", ["GB/s\n", "3.125 GB/s\n", ": 53.125 GB/s\n"])
def test_a_last_line_that_is_cut_is_no_link(end: str) -> None:
    *_, last = nvlink_status.parse(HEALTHY.removesuffix(end))
    assert (last.complete, last.active) == (False, None)
    assert last.links is not None
    assert len(last.links) == 17


def test_links_without_the_line_of_their_gpu_are_of_an_unknown_one() -> None:
    excerpt = HEALTHY[HEALTHY.index("\t Link 16:") :]
    unknown, second = nvlink_status.parse(excerpt)
    assert (unknown.index, unknown.name, unknown.active) == (None, None, None)
    assert unknown.links is not None
    assert [link.index for link in unknown.links] == [16, 17]
    assert (unknown.complete, second.complete) == (False, True)


def test_a_link_that_was_asked_for_and_is_down_is_inactive() -> None:
    said = "NVML: Unable to retrieve NVLink information for link 3 - inActive"
    [gpu] = nvlink_status.parse(f"GPU 0: NVIDIA H100 (UUID: GPU-1)\n{said}\n")
    assert gpu.links == (nvlink_status.Link(index=3, rate_gbytes=None),)
    assert not gpu.complete


def test_a_sentence_among_the_links_is_for_one_of_them() -> None:
    said = "NVML: Unable to retrieve NVLink speed for link 3: Unknown Error"
    links = [line for line in HEALTHY.splitlines() if "Link 3:" not in line]
    first, second = nvlink_status.parse("\n".join([*links[:4], said, *links[4:], ""]))
    assert first.links is not None
    assert (len(first.links), first.active, first.note) == (17, None, said)
    assert (second.active, second.complete) == (17, True)


@pytest.mark.parametrize(
    "after",
    [
        "(base) user@node:~$ \n",
        "bash-5.1$ exit\n",
        "PS C:\\Users\\x> exit\n",
        "--- nvidia-smi topo -m ---\nother output\n",
        "=== what comes next ===\n",
    ],
)
def test_what_a_prompt_or_a_heading_begins_is_not_read(after: str) -> None:
    assert nvlink_status.parse(HEALTHY + after) == nvlink_status.parse(HEALTHY)


@pytest.mark.parametrize("more", ["... (6 more links, all alike)", "real 0m0.1s", "and so on"])
def test_text_that_goes_on_after_the_links_may_stand_for_more_of_them(more: str) -> None:
    first, second = nvlink_status.parse(f"{HEALTHY}{more}\n")
    assert (first.complete, second.complete, second.active) == (True, False, None)


def test_lines_around_the_report_are_skipped() -> None:
    text = f"```\n[root@n1 ~]# nvidia-smi nvlink -s\n{HEALTHY}[root@n1 ~]# exit\n```\n"
    assert nvlink_status.parse(text) == nvlink_status.parse(HEALTHY)
    assert nvlink_status.parse(text.replace("\n", "\r\n")) == nvlink_status.parse(HEALTHY)


def test_a_status_with_an_error_in_the_text_is_a_reading() -> None:
    assert nvlink_status.read(ended(DEGRADED, rc=3))[2].links is None
    with pytest.raises(Unreadable, match="exit status 3"):
        nvlink_status.read(ended(HEALTHY, rc=3))


def test_a_driver_that_does_not_answer_is_tool_failed() -> None:
    with pytest.raises(ToolFailed, match="couldn't communicate"):
        nvlink_status.read(ended(capture("nvlink-status", "failed.txt"), rc=9))
    with pytest.raises(ToolFailed, match="No devices"):
        nvlink_status.read(ended("No devices were found\n"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEALTHY + HEALTHY,
        HEALTHY.replace("Link 3", "Lane 3"),
        HEALTHY.replace("Link 3:", "Link 4:"),
        HEALTHY.replace("53.125 GB/s", "53.125 Gb/s", 1),
        HEALTHY.replace("\t Link 3:", "[root@n1 ~]# \n\t Link 3:", 1),
        capture("nvlink-e", "healthy.txt"),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nvlink_status.parse(text)


def test_an_active_link_without_a_rate_is_implausible() -> None:
    with pytest.raises(Implausible):
        nvlink_status.parse(HEALTHY.replace("53.125", "0", 1))
