"""dcgmi discovery and health: every device and incident, and no report that lacks one."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.gpus import dcgm_discovery, dcgm_health
from fixtures.tools.gpus.dcgm_readers import DCGM_READERS
from tests.tools.captures import capture, ended


def found(name: str) -> str:
    return capture("dcgmi-discovery", name)


def health(name: str) -> str:
    return capture("dcgmi-health", name)


def test_every_kind_of_device_is_found() -> None:
    report = dcgm_discovery.parse(found("healthy.txt"))
    assert report.found == {"GPU": 2, "Switch": 2, "ConnectX": 0, "CPU": 1}
    gpu = report.of("GPU")[1]
    assert (gpu.id, gpu.name, gpu.pci) == (1, "NVIDIA B200", "0000:c3:00.0")
    assert gpu.uuid == "GPU-6f2f5a10-0000-4c1e-9d3b-000000000001"
    assert [switch.id for switch in report.of("Switch")] == [4, 5]
    assert report.of("CPU")[0].cores == "0-71"
    assert dcgm_discovery.parse(found("old.txt")).found == {"GPU": 1}


def test_a_gpu_that_cannot_be_asked_has_no_address() -> None:
    lost = dcgm_discovery.parse(found("degraded.txt")).of("GPU")[1]
    assert (lost.pci, lost.name) == (None, None)
    assert lost.error == "Error: Cannot get device attributes for GPU. Return: GPU is lost"


def test_a_detached_gpu_is_what_it_last_was() -> None:
    there, gone = dcgm_discovery.parse(found("detached.txt")).of("GPU")
    assert (there.status, gone.status) == (None, "Detached")
    assert (gone.name, gone.pci) == ("NVIDIA B200", "0000:43:00.0")
    active = found("detached.txt").replace("(All)", "(Active)").splitlines(keepends=True)
    cut = "".join(line for line in active if not line.startswith("| 1"))
    with pytest.raises(Unreadable, match="2 of GPU found, 1 listed"):
        dcgm_discovery.parse(cut)


def test_devices_that_were_left_out_are_missed() -> None:
    text = found("healthy.txt").replace("2 GPUs", "8 GPUs")
    report = dcgm_discovery.parse(text.replace("2 NvSwitches", "...\n2 NvSwitches"))
    assert (report.complete, report.found["GPU"], len(report.of("GPU"))) == (False, 8, 2)
    assert dcgm_discovery.parse(found("healthy.txt")).complete


@pytest.mark.parametrize(
    "text",
    [
        found("empty.txt"),
        found("healthy.txt") * 2,
        "".join(found("healthy.txt").splitlines(keepends=True)[:9]),
        found("healthy.txt").replace("2 GPUs", "3 GPUs"),
        found("healthy.txt").replace("| 5  ", "| 4  "),
        found("healthy.txt").replace("00000000:1B", "somewhere"),
        found("healthy.txt").replace("| GPU ID | Device", "| GPU id | Device"),
    ],
)
def test_a_discovery_that_lacks_something_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        dcgm_discovery.parse(text)


def test_incidents_have_an_entity_a_system_and_whole_words() -> None:
    report = dcgm_health.parse(health("degraded.txt"))
    assert (report.overall, report.healthy) == ("Failure", False)
    assert report.entities == {"GPU 2": "Failure", "GPU 5": "Warning", "Switch 1": "Warning"}
    assert [(one.group, one.id, one.system, one.result) for one in report.incidents] == [
        ("GPU", 2, "NVLINK system", "Failure"),
        ("GPU", 2, "PCIe system", "Warning"),
        ("GPU", 5, "Memory system", "Warning"),
        ("Switch", 1, "NvSwitch NF", "Warning"),
    ]
    assert report.incidents[0].text == (
        "GPU 2: link 7 is down and was not brought up again by the driver."
    )


def test_other_forms_say_the_same() -> None:
    assert (
        dcgm_health.parse(health("degraded.json")).incidents
        == (dcgm_health.parse(health("degraded.txt")).incidents[:1])
    )
    old = dcgm_health.parse(health("old.txt"))
    assert (old.overall, old.entities) == ("Warning", {"GPU 0": "Warning", "GPU 1": "Warning"})
    assert old.incidents[0].text == "more than 8 replays a minute of GPU 0: 13"
    assert dcgm_health.parse(health("healthy.txt")).healthy


def test_a_report_without_its_end_may_lack_incidents() -> None:
    lines = health("degraded.txt").rstrip().splitlines(keepends=True)
    assert dcgm_health.parse("".join(lines)).complete
    assert not dcgm_health.parse("".join(lines[:-1])).complete
    assert not dcgm_health.parse("".join([*lines[:-1], "| ...\n", lines[-1]])).complete
    assert dcgm_health.parse(health("degraded.json")).complete


@pytest.mark.parametrize("name", ["dcgmi-health", "dcgmi-discovery"])
def test_no_watches_and_no_engine_are_a_failed_tool(name: str) -> None:
    with pytest.raises(ToolFailed):
        DCGM_READERS[name](ended(capture(name, "failed.txt")))


@pytest.mark.parametrize(
    "text",
    [
        health("empty.txt"),
        health("healthy.txt") * 2,
        health("healthy.txt").replace("Healthy", "Warning"),
        health("degraded.txt").replace("Warning", "Perhaps"),
        health("degraded.txt").replace("-> 5", "-> 2"),
        health("degraded.txt").replace("-> 2 ", "     "),
        health("degraded.json")[:-30],
        health("degraded.json").replace('"2"', '"x"'),
    ],
)
def test_a_report_that_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        dcgm_health.parse(text)
