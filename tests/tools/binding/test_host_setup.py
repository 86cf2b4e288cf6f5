"""How a tray is set up, held against its inventory and against itself."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Blocked, ToolFailed, Unreadable
from fixtures.tools.binding.host_setup import HostSetup, shares
from fixtures.transport.base import CommandResult
from tests.areas.answers import answer, facts, shipped
from tests.tools.captures import capture

TRAY = shipped("hgx8").hosts["hgx01"]
DRIVER = answer("NVRM version: NVIDIA UNIX Open Kernel Module  580.95.05  Release Build\n")
LOADED = "[    0.0] Linux version 6.8.0\n[    9.7] NVRM: loading NVIDIA UNIX x86_64 Kernel Module "
LOG = answer(f"{LOADED} 580.95.05  Mon Dec 30 17:44:08 UTC 2024\n")
STALE = answer(capture("nccl-env", "stale.txt"))


def setup(**answers: CommandResult) -> HostSetup:
    given = {name.replace("_", "-"): result for name, result in answers.items()}
    return HostSetup(facts(TRAY, {"nvidia-version": DRIVER, **given}))


def services(name: str) -> CommandResult:
    return answer(capture("services", name))


def test_services_are_words_for_a_limit() -> None:
    healthy, odd = (
        setup(services=services("healthy-hgx.txt")),
        setup(services=services("degraded.txt")),
    )
    assert (healthy.fabric_manager, healthy.imex) == ("running", "absent")
    assert (odd.fabric_manager, odd.imex) == ("masked", "running, not at boot")
    with pytest.raises(Unreadable, match="says nothing of nvidia-imex"):
        _ = setup(services=services("failed.txt")).imex


def test_versions_are_held_against_the_loaded_driver() -> None:
    version = answer("Fabric Manager version is : 570.172.08\n")
    pair = setup(fabric_manager_version=version).fabric_manager_version
    assert (pair.equal, pair.detail) == (False, "fabric manager 570.172.08, driver 580.95.05")
    assert setup(modinfo=answer("580.95.05\n")).installed_driver.equal


def test_the_fabric_manager_is_timed_from_the_last_load_of_the_driver() -> None:
    found = setup(services=services("healthy-hgx.txt"), kernel_log=LOG).fabric_manager_delay_s
    assert found == pytest.approx(21.504, abs=0.001)
    again = answer(LOG.stdout + LOG.stdout.splitlines()[1].replace("9.7", "30.2") + "\n")
    found = setup(services=services("healthy-hgx.txt"), kernel_log=again).fabric_manager_delay_s
    assert found == pytest.approx(1.004, abs=0.001)


def test_a_manager_that_does_not_run_or_a_load_that_is_not_logged_is_no_time() -> None:
    dead = setup(services=services("failed.txt"), kernel_log=LOG)
    assert isinstance(dead.fabric_manager_delay_s, Blocked)
    short = setup(services=services("healthy-hgx.txt"), kernel_log=answer("[ 0.0] Linux\n"))
    assert isinstance(short.fabric_manager_delay_s, Unreadable)


def test_a_driver_that_is_not_loaded_says_so_itself() -> None:
    gone = answer(err="cat: /proc/driver/nvidia/version: No such file or directory", rc=1)
    tray = setup(
        services=services("healthy-hgx.txt"),
        kernel_log=answer("[ 0.0] Linux\n"),
        nvidia_version=gone,
    )
    with pytest.raises(ToolFailed, match="No such file"):
        _ = tray.fabric_manager_delay_s


def test_only_settings_that_nobody_stated_are_named() -> None:
    left = answer(capture("nccl-conf", "left-over.txt"), rc=2)
    found = setup(nccl_conf=left, nccl_env=STALE)
    stated = {"NCCL_DEBUG": "WARN", "NCCL_IB_USE_INLINE": "0"}
    assert found.nccl_settings(stated) == (
        "NCCL_IB_USE_INLINE=1 (/etc/nccl.conf), NCCL_TOPO_FILE=/opt/old.xml (the environment)"
    )
    none = setup(nccl_conf=answer(rc=2), nccl_env=answer(rc=1))
    assert none.nccl_settings({}) == "none"


def test_a_host_without_ofed_has_that_of_its_distribution() -> None:
    assert setup(ofed_info=answer(err="ofed_info: not found", rc=127)).ofed == "inbox"
    with pytest.raises(ToolFailed):
        _ = setup(ofed_info=answer(rc=1)).ofed


def test_memory_is_a_part_of_what_most_have() -> None:
    trouble = Unreadable("no MemTotal")
    found = shares({"a": 100, "b": 100, "c": 90, "d": trouble})
    assert found == {"a": 1.0, "b": 1.0, "c": 0.9, "d": trouble}


def test_contiguous_memory_that_is_not_stated_is_none() -> None:
    total = "MemTotal:       1024 kB\n"
    assert setup(meminfo=answer(total)).cma_mib == 0
    assert setup(meminfo=answer(f"{total}CmaTotal:      65536 kB\n")).cma_mib == 64
