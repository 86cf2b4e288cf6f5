"""What a host says about itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fixtures.model.errors import DeadlineError, RackError, Unreadable
from fixtures.tools.binding.facts_bundle import commands
from fixtures.tools.hosts import host_facts
from tests.tools.captures import capture, ended


def facts(name: str) -> str:
    return capture("host-facts", name)


def test_short_facts_are_read() -> None:
    assert host_facts.clock("1788771164.123456789\n") == pytest.approx(1788771164.1234567)
    assert host_facts.kernel("6.8.0-1021-nvidia-64k\n") == "6.8.0-1021-nvidia-64k"
    boot = "14E1F17A-0d55-4305-9db7-6d40e045d117\n"
    assert host_facts.boot_id(boot) == "14e1f17a-0d55-4305-9db7-6d40e045d117"
    assert host_facts.memory_total_bytes(facts("meminfo.txt")) == 1007685120 * 1024


def test_os_and_board_are_read() -> None:
    release = host_facts.os_release(facts("os-release.txt"))
    assert (release.id, release.version_id) == ("ubuntu", "24.04")
    assert release.pretty_name == "Ubuntu 24.04.1 LTS"
    board = host_facts.dmi(facts("dmi.txt"))
    assert (board.product_name, board.board_serial) == ("GB300 Compute Tray: A0/B", None)
    assert (board.product_serial, board.bios_version) == ("1820000004242", "02.04.12")


def test_both_kernel_modules_are_told_apart() -> None:
    opened = host_facts.nvidia_driver(facts("nvidia-version-open.txt"))
    closed = host_facts.nvidia_driver(facts("nvidia-version-closed.txt"))
    assert (opened.version, opened.open_module) == ("580.95.05", True)
    assert (closed.version, closed.open_module) == ("550.54.15", False)


def test_pci_links_are_read() -> None:
    good, degraded, gone = host_facts.pci_links(facts("pci.txt"))
    assert (good.pci, good.width, good.speed_gts, good.generation) == ("0008:01:00.0", 16, 64.0, 6)
    assert (degraded.width, degraded.generation, degraded.max_generation) == (8, 5, 6)
    assert (gone.width, gone.speed_gts, gone.generation, gone.max_width) == (None,) * 4


@pytest.mark.parametrize(
    "parse",
    [
        host_facts.clock,
        host_facts.kernel,
        host_facts.boot_id,
        host_facts.os_release,
        host_facts.memory_total_bytes,
        host_facts.dmi,
        host_facts.nvidia_driver,
        host_facts.pci_links,
    ],
)
@pytest.mark.parametrize("text", ["", "what is this?\n"])
def test_what_is_not_understood_is_unreadable(parse: object, text: str) -> None:
    assert callable(parse)
    with pytest.raises(Unreadable):
        parse(text)


def test_a_clock_without_nanoseconds_is_refused() -> None:
    with pytest.raises(RackError):
        host_facts.clock("1788771164.N\n")


def test_a_read_judges_how_the_command_ended() -> None:
    grep = ended(facts("pci.txt"), rc=2, argv=("grep", "-s", ""))
    assert len(host_facts.read(grep, host_facts.pci_links)) == 3
    with pytest.raises(DeadlineError):
        host_facts.read(ended(timed_out=True, rc=124), host_facts.kernel)


def test_the_bundle_asks_only_for_what_is_there() -> None:
    def names(*what: object) -> list[str]:
        return [command.key for command in commands(*what)]  # type: ignore[arg-type]

    host = ["clock", "uname", "boot-id", "os-release", "meminfo", "dmi", "hostname"]
    gpu = [
        "nvidia-version",
        "nvidia-smi-q",
        "nvlink-s",
        "pci-gpu",
        "pci-path",
        "kernel-log",
        "services",
    ]
    nic = ["ib-sysfs", "ib-counters", "ibstat", "rdma-link", "nic-pci", "perftest"]
    assert names([], []) == [f"facts/{name}" for name in host]
    both = [f"facts/{name}" for name in gpu + nic]
    asked = names(["0008:01:00.0"], ["mlx5_0"])
    assert [key for key in asked if key in both] == both
    assert not {*names([], ["mlx5_0"])} & {f"facts/{name}" for name in gpu}
    assert not {*names(["0008:01:00.0"], [])} & {f"facts/{name}" for name in nic}


def test_the_bundle_asks_for_the_inventory_devices() -> None:
    by_key = {c.key: c for c in commands(["0008:01:00.0"], ["mlx5_0"])}
    assert by_key["facts/nvidia-smi-q"].deadline_s == 20.0
    assert "/sys/bus/pci/devices/0008:01:00.0/max_link_speed" in by_key["facts/pci-gpu"].argv
    assert "/sys/class/infiniband/mlx5_0/ports/1/counters" in by_key["facts/ib-counters"].argv
    assert all(command.effect == "observe" for command in by_key.values())


def test_two_drivers_in_one_output_are_refused() -> None:
    text = facts("nvidia-version-open.txt") + facts("nvidia-version-closed.txt")
    with pytest.raises(Unreadable, match="2 reports"):
        host_facts.nvidia_driver(text)


@pytest.mark.parametrize(
    "text",
    [
        "6.8.0-1021-nvidia-64k\n",
        "Linux r03-ct07 6.8.0-1021-nvidia-64k #23-Ubuntu SMP PREEMPT_DYNAMIC aarch64 GNU/Linux\n",
        "admin@r03-ct07:~$ uname -r\n6.8.0-1021-nvidia-64k\nadmin@r03-ct07:~$\n",
        "> 6.8.0-1021-nvidia-64k\n",
    ],
)
def test_a_kernels_release_is_read_however_it_was_asked_for(text: str) -> None:
    assert host_facts.kernel(text) == "6.8.0-1021-nvidia-64k"


@pytest.mark.parametrize(
    ("parse", "name"),
    [
        (host_facts.os_release, "os-release.txt"),
        (host_facts.memory_total_bytes, "meminfo.txt"),
        (host_facts.dmi, "dmi.txt"),
        (host_facts.pci_links, "pci.txt"),
        (host_facts.nvidia_driver, "nvidia-version-open.txt"),
    ],
)
def test_two_reports_are_refused(parse: Callable[[str], object], name: str) -> None:
    with pytest.raises(Unreadable, match=r"twice|2 reports"):
        parse(facts(name) + facts(name))


def test_a_terminals_colours_are_no_part_of_a_value() -> None:
    coloured = facts("dmi.txt").replace("GB300", "\x1b[01;31mGB300\x1b[m")
    assert host_facts.dmi(coloured) == host_facts.dmi(facts("dmi.txt"))
