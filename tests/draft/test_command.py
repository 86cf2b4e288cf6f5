"""`python -m plugins.draft` against a virtual rack behind SSH."""

from __future__ import annotations

import getpass
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.model.lab import LabEndpoints
from fixtures.model.loading import load_inventory
from lab import simrack
from plugins.draft.__main__ import DIFFERENT, DONE, INTERRUPTED, UNTRUSTED, USAGE_ERROR, main
from tests.draft.racks import sheet_of
from tests.simrack.bench import INVENTORIES
from tests.transport.sshd import sshd

ROCE = load_inventory("roce4", INVENTORIES)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabEndpoints]:
    handle = simrack.start(ROCE, state_dir=tmp_path_factory.mktemp("lab"), seed=1, faults=())
    yield handle.info
    handle.stop()


def run(folder: Path, lab: LabEndpoints, *more: str) -> int:
    sheet_of(ROCE, folder / "hall.csv", lab)
    files = ("--out", str(folder / "hall.yaml"), "--key", str(lab.key))
    return main([str(folder / "hall.csv"), *files, "--user", lab.user, *more])


def test_keys_are_written_down_compared_and_then_the_inventory_runs(
    lab: LabEndpoints, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, lab) == UNTRUSTED
    assert not (tmp_path / "hall.yaml").exists()
    seen = tmp_path / "hall.host-keys"
    assert "4 hosts were not asked" in capsys.readouterr().out
    assert len(seen.read_text().splitlines()) == len(ROCE.hosts)
    assert run(tmp_path, lab, "--keys", str(seen)) == DONE
    assert "nothing differs from the cut sheet" in capsys.readouterr().out
    found = load_inventory(str(tmp_path / "hall.yaml"), INVENTORIES)
    assert (found.product, list(found.hosts)) == ("rdma-hosts", list(ROCE.hosts))
    assert run(tmp_path, lab) == DONE
    assert "of 4 hosts 4 answered; 0 differences" in capsys.readouterr().out


def test_a_host_whose_key_does_not_match_the_list_is_not_asked_and_the_others_are(
    lab: LabEndpoints, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = lab.known_hosts.read_text().splitlines()
    first, second = (line.split(maxsplit=1) for line in keys[:2])
    forged = [f"{first[0]} {second[1]}", *keys[1:]]
    (tmp_path / "list").write_text("\n".join(forged) + "\n")
    assert run(tmp_path, lab, "--keys", str(tmp_path / "list")) == DIFFERENT
    said = capsys.readouterr().out
    assert "3 of 4 host keys accepted" in said
    assert "n1: not asked: it shows ssh-ed25519 SHA256:" in said
    found = load_inventory(str(tmp_path / "hall.yaml"), INVENTORIES)
    assert found.serial_of("n2")
    assert not found.serial_of("n1")


def test_a_jump_hosts_key_is_decided_before_anybody_behind_it_is_seen(
    lab: LabEndpoints, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if getpass.getuser() != lab.user:
        pytest.skip(f"the jump host is logged in to as {lab.user}, as the hosts are")
    with sshd(tmp_path / "jump") as server:
        public = subprocess.run(
            ["ssh-keygen", "-y", "-f", lab.key], capture_output=True, check=True
        )
        (server.folder / "authorized_keys").write_bytes(public.stdout)
        jump = ["--jump", f"127.0.0.1:{server.port}", "--keys", str(lab.known_hosts)]
        assert run(tmp_path, lab, *jump) == UNTRUSTED
        assert "0 of 1 host keys accepted\n1 hosts were not asked" in capsys.readouterr().out
        jump += ["--keys", str(tmp_path / "hall.host-keys")]
        assert run(tmp_path, lab, *jump) == DONE
        found = load_inventory(str(tmp_path / "hall.yaml"), INVENTORIES)
        assert found.ssh.jump == [f"127.0.0.1:{server.port}"]
        assert f"[127.0.0.1]:{server.port} " in (tmp_path / "hall" / "known_hosts").read_text()


def test_there_is_something_to_log_in_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "hall.csv").write_text("cable,kind,a,b\nC1,host,n1/mlx5_0/1,leaf/1\n")
    assert main([str(tmp_path / "hall.csv"), "--out", str(tmp_path / "x.yaml")]) == USAGE_ERROR
    assert "give --key FILE or --agent" in capsys.readouterr().err


def test_tables_that_belong_to_no_inventory_are_not_written_over(
    lab: LabEndpoints, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "hall").mkdir()
    (tmp_path / "hall" / "parts.csv").write_text("part\n")
    assert run(tmp_path, lab, "--keys", str(lab.known_hosts)) == USAGE_ERROR
    assert "parts.csv is there without" in capsys.readouterr().err
    assert (tmp_path / "hall" / "parts.csv").read_text() == "part\n"


def test_whoever_leaves_the_terminal_has_accepted_nothing(
    lab: LabEndpoints, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)

    def leave(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", leave)
    assert run(tmp_path, lab) == INTERRUPTED
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hall.csv"]


def test_a_host_that_is_not_there_is_said_to_be(
    tmp_path: Path, lab: LabEndpoints, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = "cable,kind,a,b,address,port\nM1,management,n1/eth0,m/1,127.0.0.1,1\n"
    (tmp_path / "hall.csv").write_text(sheet)
    options = ["--out", str(tmp_path / "x.yaml"), "--key", str(lab.key)]
    assert main([str(tmp_path / "hall.csv"), *options]) == DIFFERENT
    assert "n1 (127.0.0.1:1): Connection refused" in capsys.readouterr().out
    assert not (tmp_path / "x.yaml").exists()
