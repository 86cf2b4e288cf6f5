"""`/proc/driver/nvidia/gpus/*/information`, read by grep or cat."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.hosts import gpu_proc
from tests.tools.captures import capture


def read(name: str) -> tuple[gpu_proc.GpuInformation, ...]:
    return gpu_proc.parse(capture("nvidia-gpu-proc", name))


def test_every_gpu_with_its_address_and_identity() -> None:
    first, second = read("healthy.txt")
    assert (first.pci, first.minor) == ("0008:01:00.0", 0)
    assert (second.pci, second.minor) == ("0009:01:00.0", 1)
    assert second.uuid == "GPU-00000000-1111-4222-8333-444444444444"
    assert (second.irq, second.dma_bits, second.dma_mask) == (511, 52, (1 << 52) - 1)
    assert (second.firmware, second.excluded) == ("575.57.08", False)


def test_files_after_each_other_are_told_apart_by_their_first_field() -> None:
    other = capture("nvidia-gpu-proc", "one.txt").replace("0009:", "0019:")
    both = gpu_proc.parse(capture("nvidia-gpu-proc", "one.txt") + other)
    assert [gpu.pci for gpu in both] == ["0009:01:00.0", "0019:01:00.0"]
    headed = f"==> {gpu_proc.GPUS}/0019:01:00.0/information <==\n{other}"
    assert [gpu.pci for gpu in gpu_proc.parse(headed)] == ["0019:01:00.0"]


def test_question_marks_are_unknown() -> None:
    (gpu,) = read("not-opened.txt")
    assert (gpu.uuid, gpu.vbios, gpu.firmware, gpu.excluded) == (None, None, None, True)


def test_an_old_driver_calls_it_blacklisted() -> None:
    (gpu,) = read("old.txt")
    assert (gpu.excluded, gpu.firmware) == (False, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "cat: /proc/driver/nvidia/gpus/*/information: No such file or directory\n",
        capture("nvidia-gpu-proc", "one.txt") * 2,
        "Model: \t NVIDIA GB300\nIRQ: 4\n",
        f"{gpu_proc.GPUS}/0008:01:00.0/information:Bus Location: \t 0009:01:00.0\n",
        capture("nvidia-gpu-proc", "one.txt") + "what is this\n",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  575.57.08\n",
    ],
)
def test_what_is_none_or_double_or_contradicts_itself_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        gpu_proc.parse(text)


def test_what_people_paste_around_the_files_is_no_field() -> None:
    text = (
        "root@host:~# cat /proc/driver/nvidia/gpus/*/information\n"
        "Model: \t\t NVIDIA X\nBus Location: \t 0008:01:00.0\n"
        "root@host:~# cat /proc/driver/nvidia/gpus/0009:01:00.0/information\n"
        "Model: \t\t NVIDIA X\nBus Location: \t 0009:01:00.0\nroot@host:~#\n"
    )
    found = ["0008:01:00.0", "0009:01:00.0"]
    assert [gpu.pci for gpu in gpu_proc.parse(text)] == found
    quoted = "".join(f"> {line}\n" for line in text.splitlines())
    assert [gpu.pci for gpu in gpu_proc.parse(quoted)] == found


def test_an_address_that_lost_digits_is_refused() -> None:
    with pytest.raises(Unreadable, match="Bus Location"):
        gpu_proc.parse("Model: \t\t NVIDIA X\nBus Location: \t 00:06:00.0\n")


def test_an_excerpt_of_some_fields_keeps_gpus_apart() -> None:
    text = "".join(f"Bus Location: \t 000{n}:01:00.0\nDevice Minor: \t {n}\n" for n in (8, 9))
    assert [(gpu.pci, gpu.minor) for gpu in gpu_proc.parse(text)] == [
        *(("0008:01:00.0", 8), ("0009:01:00.0", 9)),
    ]
