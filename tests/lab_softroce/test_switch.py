"""The leaf switch as a process, with sockets of this test in place of guests."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.softroce import control
from lab.softroce.errors import LabError
from lab.softroce.recipe import HERE
from lab.softroce.switch import CONTROL, QUEUE_FRAMES

NAMES = ("a", "b", "c")
MAC = {name: bytes([2, 0, 0, 0, 0, number]) for number, name in enumerate(NAMES)}
BROADCAST = b"\xff" * 6
SILENCE_S = 0.3


class Wire:
    """The guests' sides of a running switch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ends = {name: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for name in NAMES}
        for name, sock in self.ends.items():
            sock.bind(str(folder / f"{name}.nic"))
            sock.settimeout(SILENCE_S)

    def send(self, source: str, target: bytes, payload: bytes) -> None:
        frame = target + MAC[source] + payload
        self.ends[source].sendto(frame, str(self.folder / f"{source}.leaf"))

    def heard(self, name: str) -> bytes | None:
        try:
            return self.ends[name].recv(70_000)[12:]
        except TimeoutError:
            return None

    def set(self, port: str, **values: object) -> None:
        control.ask(self.folder / CONTROL, {"do": "set", "port": port, **values})


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    argv = [sys.executable, "-I", str(HERE / "switch.py"), "7", *NAMES]
    with subprocess.Popen(argv, cwd=tmp_path) as process:
        wire = Wire(tmp_path)
        until = time.monotonic() + 10
        while not (tmp_path / CONTROL).exists():
            assert time.monotonic() < until, "the switch does not start"
            time.sleep(0.01)
        yield wire
        for sock in wire.ends.values():
            sock.close()
        process.terminate()


def _learn(wire: Wire) -> None:
    for name in NAMES:
        wire.send(name, BROADCAST, b"hello")
        assert {wire.heard(other) for other in NAMES if other != name} == {b"hello"}


def test_known_address_reaches_one_port_only(wire: Wire) -> None:
    _learn(wire)
    wire.send("a", MAC["b"], b"secret")
    assert wire.heard("b") == b"secret"
    assert wire.heard("c") is None


def test_unknown_address_is_flooded(wire: Wire) -> None:
    wire.send("a", b"\x02" * 6, b"anyone")
    assert wire.heard("b") == b"anyone"
    assert wire.heard("c") == b"anyone"


def test_cut_port_is_silent_both_ways_until_restored(wire: Wire) -> None:
    _learn(wire)
    wire.set("b", cut=True)
    wire.send("a", MAC["b"], b"lost")
    wire.send("b", MAC["a"], b"lost")
    assert (wire.heard("a"), wire.heard("b")) == (None, None)
    wire.set("b", cut=False)
    wire.send("a", MAC["b"], b"found")
    assert wire.heard("b") == b"found"


def test_loss_holds_for_one_direction(wire: Wire) -> None:
    _learn(wire)
    wire.set("a", drop_percent=50.0)
    for _ in range(8):
        wire.send("b", MAC["a"], b"back")
        assert wire.heard("a") == b"back"
    heard = []
    for number in range(16):
        wire.send("a", MAC["b"], bytes([number]))
        heard.append(wire.heard("b"))
    assert 4 <= sum(frame is None for frame in heard) <= 12


def test_delay_holds_frames_back(wire: Wire) -> None:
    _learn(wire)
    wire.set("a", delay_ms=150.0)
    started = time.monotonic()
    wire.send("a", MAC["b"], b"late")
    assert wire.heard("b") == b"late"
    assert time.monotonic() - started >= 0.15


def test_burst_beyond_the_socket_is_kept_in_order(wire: Wire) -> None:
    _learn(wire)
    count = QUEUE_FRAMES // 2
    for number in range(count):
        wire.send("a", MAC["b"], number.to_bytes(4))
    assert [wire.heard("b") for _ in range(count)] == [n.to_bytes(4) for n in range(count)]


def test_frames_are_counted(wire: Wire) -> None:
    _learn(wire)
    answer = control.ask(wire.folder / CONTROL, {"do": "count"})
    assert answer["ports"] == {n: {"received": 1, "sent": 2, "dropped": 0} for n in NAMES}


def test_unknown_port_is_refused(wire: Wire) -> None:
    with pytest.raises(LabError, match=r"set or count of a, b, c"):
        wire.set("z", cut=True)


def test_socket_below_a_long_path_is_reached(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    with pytest.raises(LabError, match="does not answer"):
        control.ask(deep / CONTROL, {"do": "count"})
    assert len(os.fspath(deep / CONTROL)) > 107
