"""The real thing: a child process, SSH to it, and its end."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fixtures.model.errors import InventoryError
from fixtures.model.lab import parse_fault
from fixtures.model.loading import load_inventory
from fixtures.transport import bundle
from fixtures.transport.base import Command
from fixtures.transport.ssh import SshTransport
from fixtures.transport.target import SshTarget
from lab import simrack
from tests.simrack.bench import INVENTORIES

pytestmark = pytest.mark.lab
FAULTS = ("host.unreachable@r01-ct02", "host.hangs@r01-ct03", "host.key_changed@r01-ct04")
PARENT = """
import sys, time
from pathlib import Path
from fixtures.model.loading import load_inventory
from lab import simrack
lab = simrack.start(load_inventory("rack7", Path("inventories")), state_dir=Path(sys.argv[1]))
print(lab.pids[0], flush=True)
time.sleep(60)
"""


@pytest.fixture(scope="module")
def rack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[simrack.LabHandle]:
    lab = simrack.start(
        load_inventory("rack7", INVENTORIES),
        state_dir=tmp_path_factory.mktemp("simrack"),
        faults=[parse_fault(text) for text in FAULTS],
    )
    yield lab
    lab.stop()
    assert lab.pids == []


def ssh(lab: simrack.LabHandle, host: str, *argv: str) -> subprocess.CompletedProcess[bytes]:
    """With the plain OpenSSH client, and nothing of this machine's configuration."""
    address, port = lab.info.endpoints[host]
    known = ("-o", f"UserKnownHostsFile={lab.info.known_hosts}")
    options = ("-F", "none", "-o", "BatchMode=yes", "-o", "GlobalKnownHostsFile=/dev/null", *known)
    line = ("ssh", *options, "-i", str(lab.info.key), "-p", str(port))
    return subprocess.run(
        [*line, f"{lab.info.user}@{address}", shlex.join(argv)],
        capture_output=True,
        timeout=20,
        check=False,
    )


def test_openssh_runs_a_command(rack: simrack.LabHandle) -> None:
    done = ssh(rack, "r01-ct01", "nvidia-smi", "-L")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"NVIDIA GB200") == 4
    assert ssh(rack, "r01-ct01", "frob").returncode == 127


def test_openssh_gets_a_bundle(rack: simrack.LabHandle) -> None:
    commands = [
        Command(argv=("uname", "-r"), key="a"),
        Command(argv=("sleep", "5"), key="b", deadline_s=1),
        Command(argv=("frob",), key="c"),
    ]
    nonce = bundle.new_nonce("run-1")
    done = ssh(rack, "r01-ct01", *bundle.encode(commands, nonce=nonce))
    results = bundle.decode(done.stdout, commands, nonce=nonce, host="r01-ct01", started=0.0)
    assert [(r.rc, r.timed_out) for r in results] == [(0, False), (124, True), (127, False)]


def test_many_commands_at_once_keep_their_connection(rack: simrack.LabHandle) -> None:
    address, port = rack.info.endpoints["r01-ct01"]
    target = SshTarget(
        host="r01-ct01",
        address=address,
        port=port,
        user=rack.info.user,
        key_path=rack.info.key,
        known_hosts=rack.info.known_hosts,
        sudo=False,
    )
    transport = SshTransport(target, run_id="run-1")
    command = Command(argv=("uname", "-r"), key="facts/uname")
    with ThreadPoolExecutor(16) as threads:
        results = list(threads.map(lambda _: transport.run(command), range(320)))
    transport.close()
    assert {result.rc for result in results} == {0}


def test_the_clients_key_is_private(rack: simrack.LabHandle) -> None:
    assert stat.S_IMODE(rack.info.key.stat().st_mode) == 0o600
    assert len(rack.info.known_hosts.read_text().splitlines()) == 27


def test_hosts_refuse_hang_and_show_another_key(rack: simrack.LabHandle) -> None:
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(rack.info.endpoints["r01-ct02"], timeout=2)
    with socket.create_connection(rack.info.endpoints["r01-ct03"], timeout=2) as mute:
        mute.settimeout(0.3)
        with pytest.raises(TimeoutError):
            mute.recv(1)
    done = ssh(rack, "r01-ct04", "true")
    assert done.returncode == 255
    assert b"Host key verification failed" in done.stderr


def test_a_whole_domain_is_ready_at_once(tmp_path: Path) -> None:
    inventory = load_inventory("rack42", INVENTORIES)
    began = time.monotonic()
    lab = simrack.start(inventory, state_dir=tmp_path)
    try:
        assert time.monotonic() - began < 5
        assert len(lab.info.endpoints) == 216
        assert ssh(lab, "r08-sw09", "uname", "-r").returncode == 0
    finally:
        lab.stop()
        lab.stop()


def test_a_wrong_fault_starts_nothing(tmp_path: Path) -> None:
    inventory = load_inventory("rack7", INVENTORIES)
    folder = tmp_path / "lab"
    with pytest.raises(InventoryError, match=r"did you mean 'gpu\.lost'"):
        simrack.start(inventory, state_dir=folder, faults=[parse_fault("gpu.lst@r01-ct01/gpu0")])
    assert not folder.exists()


def test_the_server_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)],
        cwd=INVENTORIES.parent,
        stdout=subprocess.PIPE,
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    os.kill(child, 0)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    end = time.monotonic() + 5
    while Path(f"/proc/{child}").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not Path(f"/proc/{child}").exists() or b"Z" in Path(f"/proc/{child}/stat").read_bytes()


def test_the_fault_library_is_listed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lab.simrack", "faults"],
        cwd=INVENTORIES.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "gpu.missing@GPU\n" in done.stdout
    assert "clock.skew@HOST|RACK|INVENTORY:seconds=30\n" in done.stdout
