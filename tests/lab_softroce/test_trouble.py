"""What can be done to guests, and that it is real to their kernels."""

from __future__ import annotations

import json

import pytest

from fixtures.model.lab import FaultSpec
from lab.softroce.errors import LabError
from lab.softroce.faults import apply_fault
from lab.softroce.handle import LabHandle
from tests.lab_softroce.lab import NAMES, attempt, gone, reaches, ssh, ssh_argv

pytestmark = pytest.mark.lab

A, B, C = NAMES


def _port_state(lab: LabHandle, name: str) -> str:
    (link,) = json.loads(ssh(lab, name, "rdma -j link"))
    return str(link["state"])


def test_pulled_cable_takes_the_port_down_and_comes_back(lab: LabHandle) -> None:
    assert reaches(lab, A, B)
    lab.pull_cable(B)
    try:
        assert not reaches(lab, A, B)
        assert _port_state(lab, B) == "DOWN"
    finally:
        lab.plug_cable(B)
    ssh(lab, B, "until rdma link | grep -q ACTIVE; do sleep 0.1; done")
    assert reaches(lab, A, B)


def test_silent_port_loses_everything_with_the_link_up(lab: LabHandle) -> None:
    apply_fault(lab, FaultSpec(kind="port.silent", part=f"{B}/rxe0", params={}))
    try:
        assert not reaches(lab, A, B)
        assert _port_state(lab, B) == "ACTIVE"
    finally:
        lab.impair(B)
    assert reaches(lab, A, B)


def test_loss_is_counted(lab: LabHandle) -> None:
    before = lab.counters()[A]["dropped"]
    lab.impair(A, drop_percent=50.0)
    try:
        attempt(ssh_argv(lab, A, f"ping -q -i 0.01 -c 40 -W 1 {B}"))
    finally:
        lab.impair(A)
    assert lab.counters()[A]["dropped"] - before >= 10


def test_delay_shows_in_the_round_trip(lab: LabHandle) -> None:
    lab.impair(A, delay_ms=200.0)
    try:
        shown = ssh(lab, A, f"ping -q -c 2 {B}")
    finally:
        lab.impair(A)
    fastest_ms = float(shown.rpartition("= ")[2].split("/")[0])
    assert fastest_ms >= 200.0


def test_frozen_guest_is_mute_until_thawed(lab: LabHandle) -> None:
    lab.freeze(B)
    try:
        assert not reaches(lab, A, B)
    finally:
        lab.thaw(B)
    assert reaches(lab, A, B)


def test_unknown_fault_names_those_that_exist(lab: LabHandle) -> None:
    with pytest.raises(LabError, match=r"cannot make gpu\.missing@.*expected one of host\.dead"):
        apply_fault(lab, FaultSpec(kind="gpu.missing", part=A, params={}))


def test_unknown_guest_names_those_that_exist(lab: LabHandle) -> None:
    with pytest.raises(LabError, match="there is no guest nobody; expected one of r01-ct01"):
        lab.kill("nobody")


def test_killed_guest_is_gone(lab: LabHandle) -> None:
    pid = lab.processes[C].pid
    lab.kill(C)
    assert gone(pid)
    assert pid not in lab.pids
    assert attempt(ssh_argv(lab, C, "true")).returncode == 255
    assert reaches(lab, A, B)
