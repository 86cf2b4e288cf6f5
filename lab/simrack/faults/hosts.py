"""Faults of hosts: reached or not, who they are, what they run, what time they think it is."""

from __future__ import annotations

from dataclasses import replace

from lab.simrack.faults.changes import host, number
from lab.simrack.faults.declare import Fault, Params, Target, incomplete, rejected
from lab.simrack.faults.naming import next_tray

IDENTITIES = ("serial", "uuid")
"""What a GPU takes along when it moves."""


def _missing(target: Target, params: Params) -> None:
    target.host.missing.add(params["tool"])


def _hanging(target: Target, params: Params) -> None:
    target.host.hanging.add(params["tool"])


def _driver(target: Target, params: Params) -> None:
    target.host.driver = params["version"]


def _updated(target: Target, params: Params) -> None:
    target.host.driver_trouble = "library-mismatch"
    target.host.setup.installed_driver = params["version"]


def _sudo_asks(target: Target, _: Params) -> None:
    target.host.setup.sudo_asks = True


def _kernel(target: Target, params: Params) -> None:
    target.host.kernel = params["version"]


def _ahead(target: Target, params: Params) -> None:
    target.host.skew_s += number(params, "seconds")


def _behind(target: Target, params: Params) -> None:
    target.host.skew_s -= number(params, "seconds")


def _serial(target: Target, params: Params) -> None:
    target.host.serial = params["serial"]


def _swapped(target: Target, _: Params) -> None:
    """Two trays stand in each other's place, with everything that is in them."""
    one, other = target.host, target.world.hosts[next_tray(target.world, target.host.name)]
    one.serial, other.serial = other.serial, one.serial
    for mine, theirs in zip(one.gpus, other.gpus, strict=True):
        for name in IDENTITIES:
            value = getattr(mine, name)
            setattr(mine, name, getattr(theirs, name))
            setattr(theirs, name, value)
    for here, there in zip(one.ports, other.ports, strict=True):
        here.guid, there.guid = there.guid, here.guid


def _slots_swapped(target: Target, _: Params) -> None:
    """The inventory was drawn up by what is where; the spine's cartridges say another order."""
    one, other = target.host, target.world.hosts[next_tray(target.world, target.host.name)]
    one.slot, other.slot = other.slot, one.slot
    one.tray, other.tray = other.tray, one.tray


HOSTS: tuple[Fault, ...] = (
    incomplete(
        "host.unreachable", "host", host(reach="refused"),
        "nothing listens at the host's SSH port",
        sees="reach.ssh", reason="unreachable", cases="C130",
    ),
    incomplete(
        "host.hangs", "host", host(reach="mute"),
        "the host accepts connections and never speaks",
        sees="reach.ssh", reason="timeout", cases="C143",
    ),
    incomplete(
        "host.key_changed", "host", host(key_changed=True),
        "the host shows another key than known_hosts has",
        sees="reach.ssh", reason="unreachable", cases="C147",
    ),
    incomplete(
        "tool.missing", "host", _missing, "a program is not installed",
        sees="gpu.bound", reason="tool-missing", params={"tool": "nvidia-smi"},
    ),
    incomplete(
        "tool.hangs", "host", _hanging, "a program sleeps until its deadline ends it",
        sees="gpu.bound", reason="timeout", cases="C134", params={"tool": "nvidia-smi"},
    ),
    rejected(
        "driver.mismatch", "host", _driver,
        "the host runs another GPU driver than the site allows",
        sees="identity.driver", cases="C05", params={"version": "570.172.08"},
    ),
    rejected(
        "driver.library_mismatch", "host", _updated,
        "the driver was updated and not loaded anew, so that no program can use it",
        sees="identity.driver_installed", cases="C109 C131", params={"version": "580.105.08"},
        extra=1,
    ),
    incomplete(
        "driver.not_loaded", "host", host(driver_trouble="not-loaded"),
        "the GPU driver is not loaded; the GPUs are on the bus",
        sees="identity.driver gpu.bound", reason="tool-failed", cases="C05",
    ),
    replace(rejected(
        "host.sudo_asks", "host", _sudo_asks, "sudo wants a password on the host",
        sees="reach.sudo", extra=2,
    ), needs="sudo"),
    rejected(
        "kernel.mismatch", "host", _kernel, "the host runs another kernel than the site allows",
        sees="identity.kernel", cases="C71", params={"version": "6.8.0-1025-nvidia-64k"},
    ),
    rejected(
        "clock.skew", "host", _ahead, "the host's clock is ahead",
        sees="reach.clock_skew", params={"seconds": "30"},
    ),
    rejected(
        "clock.behind", "host", _behind, "the host's clock is behind",
        sees="reach.clock_skew", params={"seconds": "5"},
    ),
    rejected(
        "tray.wrong_serial", "host", _serial, "another tray stands in this place",
        sees="identity.host_serial", cases="C30", params={"serial": "1821225099999"},
    ),
    rejected(
        "tray.swapped", "host", _swapped, "the tray and the next one stand in each other's place",
        sees="identity.host_serial identity.gpu_serial identity.port_guid", cases="C30",
        names="swapped", extra=1,
    ),
    rejected(
        "tray.slots_swapped", "host", _slots_swapped,
        "the tray and the next one say that they are in each other's slot, and all else is right",
        sees="identity.slot", cases="C30", names="swapped", extra=1, fabric=True,
    ),
    incomplete(
        "launch.peers_refused", "host", host(peers_refused=True),
        "other hosts cannot log in to it, so that nothing can be launched there",
        sees="launch.hosts nccl.completed", reason="launch", cases="C93 C130", names="domain",
        peer=True, extra=1,
    ),
    rejected(
        "launch.left_out", "host", host(left_out=True),
        "the launcher starts no ranks on it and does not complain",
        sees="nccl.ranks",
        also="nccl.rack_ranks nccl.all_gather_busbw nccl.all_to_all_busbw", cases="C77 C130",
        names="rack", peer=True, extra=1,
    ),
)  # fmt: skip
