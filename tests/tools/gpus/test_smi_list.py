"""`nvidia-smi -L` names every GPU and every MIG device once."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.gpus import smi_list
from tests.tools.captures import capture, ended

HEALTHY = capture("nvidia-smi-list", "healthy.txt")
DEGRADED = capture("nvidia-smi-list", "degraded.txt")


def test_gpus_are_listed() -> None:
    found = smi_list.read(ended(HEALTHY))
    assert [(gpu.index, gpu.name, gpu.mig) for gpu in found.gpus] == [
        (index, "NVIDIA B300", ()) for index in range(3)
    ]
    assert found.unreachable == ()


def test_mig_devices_belong_to_the_gpu_above_them() -> None:
    found = smi_list.read(ended(DEGRADED, rc=255))
    assert [gpu.index for gpu in found.gpus] == [0, 2]
    assert [(mig.device, mig.profile) for mig in found.gpus[0].mig] == [
        (0, "1c.3g.71gb"),
        (1, "1g.18gb+me"),
    ]
    assert found.gpus[1].mig == ()
    assert found.unreachable == ("0000:43:00.0",)


def test_old_names_of_mig_devices_are_read() -> None:
    [gpu] = smi_list.parse(capture("nvidia-smi-list", "old-mig.txt")).gpus
    assert gpu.mig[0].uuid == f"MIG-{gpu.uuid}/2/0"


def test_no_device_is_an_empty_list() -> None:
    assert smi_list.read(ended("No devices found.\n", rc=6)).gpus == ()


def test_prompts_and_warnings_around_the_list_are_skipped() -> None:
    text = f"[root@n1 ~]# nvidia-smi -L\n{HEALTHY}WARNING: infoROM is corrupted\n[root@n1 ~]# \n"
    assert smi_list.parse(text) == smi_list.parse(HEALTHY)


def test_a_driver_that_does_not_answer_is_tool_failed() -> None:
    with pytest.raises(ToolFailed, match="Unknown Error"):
        smi_list.read(ended(capture("nvidia-smi-list", "failed.txt")))


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        (HEALTHY[:-5], 2),
        (HEALTHY.replace("GPU 1:", "...\nGPU 1:"), 3),
        (HEALTHY + "and five more of them\n", 3),
    ],
)
def test_a_list_that_is_not_whole_says_so(text: str, listed: int) -> None:
    found = smi_list.parse(text)
    assert (len(found.gpus), found.complete) == (listed, False)


def test_another_command_behind_the_list_is_not_read() -> None:
    text = f"{HEALTHY}(base) root@n1:~# nvidia-smi\nMon Nov 30 10:00:00 2026\n+---+\n"
    assert smi_list.parse(text) == smi_list.parse(HEALTHY)


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEALTHY + HEALTHY,
        DEGRADED.replace("Device  1", "Device  0"),
        HEALTHY + "[root@n1 ~]# \n" + HEALTHY.replace("GPU ", "GPU 1"),
        HEALTHY.replace("GPU 1: ", "GPU 1 ", 1),
        HEALTHY + "\t Link 0: 25 GB/s\n",
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        smi_list.parse(text)


def test_an_error_status_without_a_lost_gpu_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="exit status 15"):
        smi_list.read(ended(HEALTHY, rc=15))
