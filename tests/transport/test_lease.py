"""Leases: one winner, an owner who can be named, and no dead run that holds for ever."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fixtures.model.errors import Busy, TransportError
from fixtures.transport import lease, scripts
from fixtures.transport.local import LocalTransport

HOST = LocalTransport("r01-ct01", run_id="run0")


@pytest.fixture(autouse=True)
def lease_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The lease of this test only, not this machine's."""
    text = scripts.LEASE.replace("/run/rackgate", f"{tmp_path}/run")
    text = text.replace("/tmp/rackgate-lease", f"{tmp_path}/fallback")
    monkeypatch.setattr(scripts, "LEASE", text)
    return tmp_path / "run" / "lease"


def test_lease_is_taken_renewed_and_released(lease_file: Path) -> None:
    assert lease.take(HOST, "ann@runner", "run1", 60) == []
    owner, run_id, expires = lease_file.read_text().split()
    assert (owner, run_id) == ("ann@runner", "run1")
    assert 55 < int(expires) - time.time() < 65
    lease.renew(HOST, "ann@runner", "run1", 600)
    assert int(lease_file.read_text().split()[2]) - time.time() > 500
    assert lease.take(HOST, "ann@runner", "run1", 60) == []
    assert lease.release(HOST, "ann@runner", "run1")
    assert not lease_file.exists()
    assert not lease.release(HOST, "ann@runner", "run1")


def test_held_lease_names_owner_run_and_expiry() -> None:
    lease.take(HOST, "ann@runner", "run1", 60)
    said = r"r01-ct01: busy; 'ann@runner' holds its lease for run 'run1' until 20.. UTC"
    with pytest.raises(Busy, match=said.replace("20..", "20.*")) as caught:
        lease.take(HOST, "bob@runner", "run2", 60)
    assert caught.value.why == "busy"
    with pytest.raises(Busy, match="run1"):
        lease.take(HOST, "ann@runner", "run2", 60)
    assert not lease.release(HOST, "bob@runner", "run2")


def test_lost_lease_cannot_be_renewed(lease_file: Path) -> None:
    lease.take(HOST, "ann@runner", "run1", 60)
    lease_file.write_text("bob@runner run2 99999999999\n")
    with pytest.raises(Busy, match="Stop the load"):
        lease.renew(HOST, "ann@runner", "run1", 60)


def test_expired_lease_is_replaced_and_its_run_swept(lease_file: Path) -> None:
    dead = f"dead{os.getpid()}"
    left = subprocess.Popen(
        ["sleep", "60"], env=dict(os.environ, RACKGATE_RUN=dead), start_new_session=True
    )
    lease.take(HOST, "ann@runner", dead, 60)
    lease_file.write_text(f"ann@runner {dead} {int(time.time()) - 1}\n")
    swept = lease.take(HOST, "bob@runner", "run2", 60)
    assert [(process.pid, process.name) for process in swept] == [(left.pid, "sleep")]
    assert left.wait(5) == -15
    assert lease_file.read_text().startswith("bob@runner run2 ")


@pytest.mark.parametrize("text", ["", "nonsense\n", "a b c d\n", "a b 12x\n"])
def test_damaged_lease_is_no_lease(lease_file: Path, text: str) -> None:
    lease_file.parent.mkdir()
    lease_file.write_text(text)
    assert lease.take(HOST, "ann@runner", "run1", 60) == []


def test_race_has_one_winner(lease_file: Path) -> None:
    lease_file.parent.mkdir()
    for expired in (False, True):
        if expired:
            lease_file.write_text("old@runner dead1 1000\n")
        else:
            lease_file.unlink(missing_ok=True)

        def take(number: int) -> str:
            try:
                lease.take(HOST, f"owner{number}@runner", f"run{number}", 60)
            except Busy as error:
                return str(error)
            return "won"

        with ThreadPoolExecutor(8) as pool:
            outcomes = list(pool.map(take, range(8)))
        assert outcomes.count("won") == 1
        winner = lease_file.read_text().split()[0]
        assert all(winner in said for said in outcomes if said != "won")


@pytest.mark.parametrize("shell", [["dash"], ["bash"], ["busybox", "sh"]], ids=" ".join)
def test_lease_under_every_shell(shell: list[str], lease_file: Path) -> None:
    if shutil.which(shell[0]) is None:
        pytest.skip(f"no {shell[0]} on this machine")

    def ask(act: str, owner: str, run: str) -> tuple[int, str]:
        argv = [*shell, "-c", scripts.LEASE, "rackgate-lease", act, owner, run, "60"]
        ended = subprocess.run(argv, capture_output=True, text=True)
        return ended.returncode, ended.stdout.strip()

    assert ask("take", "ann", "run1") == (0, "taken")
    rc, said = ask("take", "bob", "run2")
    assert (rc, said.split()[:3]) == (3, ["held", "ann", "run1"])
    assert ask("renew", "ann", "run1") == (0, "renewed")
    assert ask("release", "bob", "run2") == (0, "none")
    lease_file.write_text("ann run1 1000\n")
    assert ask("take", "bob", "run2") == (0, "replaced run1")
    assert ask("release", "bob", "run2") == (0, "released")
    assert ask("steal", "bob", "run2")[0] == 64


def test_folder_that_cannot_be_written_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = scripts.LEASE.replace(f"{tmp_path}/run", "/proc/rackgate")
    text = text.replace(f"{tmp_path}/fallback", "/proc/fallback")
    monkeypatch.setattr(scripts, "LEASE", text)
    with pytest.raises(TransportError, match=r"cannot take the lease.*/proc/fallback.lock"):
        lease.take(HOST, "ann@runner", "run1", 60)


def test_other_fallback_lease_counts_too(tmp_path: Path) -> None:
    """Another user of the host, who cannot write to /run, keeps his in /tmp."""
    (tmp_path / "fallback").write_text(f"bob@runner run2 {int(time.time()) + 60}\n")
    with pytest.raises(Busy, match="bob@runner"):
        lease.take(HOST, "ann@runner", "run1", 60)
