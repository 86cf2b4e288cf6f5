"""Who is let in and who is not: host keys, user keys, crowded servers, jump hosts."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from fixtures.model.errors import InventoryError, TransportError
from fixtures.transport.base import Command
from fixtures.transport.connect import Connector
from fixtures.transport.limiter import HandshakeLimiter
from fixtures.transport.ssh import SshTransport
from fixtures.transport.target import SshTarget
from tests.transport.sshd import Sshd, end, free_port, make_key, sshd

TRUE = Command(argv=("true",), key="test/true")


def check(target: SshTarget, connector: Connector | None = None) -> None:
    host = SshTransport(target, run_id="run1", connector=connector)
    try:
        assert host.run(TRUE).rc == 0
    finally:
        host.close()


def refused(target: SshTarget) -> str:
    """The message of the error; every one of these is 'unreachable'."""
    with pytest.raises(TransportError) as caught:
        check(target)
    assert caught.value.why == "unreachable"
    return str(caught.value)


def fingerprint(path: Path) -> str:
    command = ["ssh-keygen", "-l", "-f", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[1]


def known(path: Path, names: str, key: Path, marker: str = "") -> Path:
    kind, blob = key.with_name(key.name + ".pub").read_text().split()[:2]
    path.write_text(f"{marker}{names} {kind} {blob}\n")
    return path


def test_unknown_host_key_is_refused(server: Sshd, tmp_path: Path) -> None:
    empty = tmp_path / "known_hosts"
    empty.write_text("")
    said = refused(server.target(known_hosts=empty))
    assert "unknown host key" in said
    assert fingerprint(server.folder / "host_key.pub") in said
    assert str(empty) in said
    assert empty.read_text() == ""


def test_changed_host_key_shows_both_fingerprints(server: Sshd, tmp_path: Path, keys: Path) -> None:
    """C147: refused at once, with the fix."""
    other = make_key(keys / "other_host")
    file = known(tmp_path / "known_hosts", f"[127.0.0.1]:{server.port}", other)
    said = refused(server.target(known_hosts=file))
    assert "host key changed" in said
    assert fingerprint(server.folder / "host_key.pub") in said
    assert fingerprint(other) in said
    assert f"{file}:1" in said


def test_changed_kind_of_host_key_is_a_changed_key(
    server: Sshd, tmp_path: Path, keys: Path
) -> None:
    other = make_key(keys / "other_ecdsa", "ecdsa")
    file = known(tmp_path / "known_hosts", f"[127.0.0.1]:{server.port}", other)
    assert "host key changed" in refused(server.target(known_hosts=file))


def test_revoked_host_key_is_refused(server: Sshd, tmp_path: Path) -> None:
    names = f"[127.0.0.1]:{server.port}"
    file = known(tmp_path / "known_hosts", names, server.folder / "host_key", "@revoked ")
    assert "revoked" in refused(server.target(known_hosts=file))


@pytest.mark.parametrize("names", ["r01-ct01", "[127.0.0.*]:*", "other,r01-ct0?"])
def test_host_key_is_found_by_name_and_pattern(server: Sshd, tmp_path: Path, names: str) -> None:
    file = known(tmp_path / "known_hosts", names, server.folder / "host_key")
    check(server.target(known_hosts=file))


def test_hashed_host_names_are_understood(server: Sshd, tmp_path: Path) -> None:
    file = known(tmp_path / "known_hosts", f"[127.0.0.1]:{server.port}", server.folder / "host_key")
    subprocess.run(["ssh-keygen", "-q", "-H", "-f", str(file)], check=True, capture_output=True)
    assert file.read_text().startswith("|1|")
    check(server.target(known_hosts=file))


def test_known_hosts_is_never_written(server: Sshd, tmp_path: Path) -> None:
    """C146: 12 at once, a file with comments and keys that nobody here understands."""
    file = tmp_path / "known_hosts"
    good = (server.folder / "known_hosts").read_text()
    odd = "# a comment\nhost sk-ssh-ed25519@openssh.com AAAA broken\n\nnonsense\n" * 50
    file.write_text(odd + good)
    file.chmod(0o400)
    before = (file.read_bytes(), file.stat().st_mtime_ns)
    with ThreadPoolExecutor(12) as pool:
        for done in [pool.submit(check, server.target(known_hosts=file)) for _ in range(12)]:
            done.result()
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


def test_refused_user_key_names_key_and_user(server: Sshd, keys: Path) -> None:
    other = make_key(keys / "other_user")
    said = refused(server.target(key_path=other))
    assert "login as" in said
    assert "refused" in said
    assert fingerprint(other) in said
    assert "authorized_keys" in said


@pytest.mark.parametrize("kind", ["rsa", "ecdsa"])
def test_other_kinds_of_user_keys(server: Sshd, keys: Path, kind: str) -> None:
    key = make_key(keys / f"user_{kind}", kind)
    allowed = server.folder / "authorized_keys"
    before = allowed.read_text()
    allowed.write_text(before + key.with_suffix(".pub").read_text())
    check(server.target(key_path=key))
    allowed.write_text(before)


def test_missing_files_are_our_own_trouble(server: Sshd, tmp_path: Path, keys: Path) -> None:
    locked = make_key(keys / "locked", passphrase="secret")
    text = tmp_path / "text"
    text.write_text("no key\n")
    for changes, said in (
        ({"key_path": tmp_path / "none"}, "key file .*none cannot be read"),
        ({"key_path": locked}, "protected by a passphrase"),
        ({"key_path": text}, "no private key of a known type"),
        ({"known_hosts": tmp_path / "none"}, "known_hosts file .*none cannot be read"),
        ({"key_path": None}, "no key and no agent given"),
    ):
        with pytest.raises(InventoryError, match=said):
            check(server.target(**changes))


@pytest.fixture
def agent(tmp_path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An agent with eight keys that no server knows."""
    path = tmp_path / "agent"
    started = subprocess.Popen(
        ["ssh-agent", "-D", "-a", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    monkeypatch.setenv("SSH_AUTH_SOCK", str(path))
    for number in range(8):
        key = make_key(keys / f"agent{number}")
        for _ in range(100):
            added = subprocess.run(["ssh-add", "-q", str(key)], capture_output=True)
            if added.returncode == 0:
                break
    yield path
    end(started.pid)
    started.wait(5)


def test_agent_is_left_alone_unless_asked_for(server: Sshd, agent: Path) -> None:
    """C145: its eight keys would use up MaxAuthTries."""
    check(server.target())
    said = refused(server.target(use_agent=True, key_path=None))
    assert said.count("SHA256:") == 5


def test_agent_is_used_when_asked_for(server: Sshd, agent: Path) -> None:
    subprocess.run(["ssh-add", "-q", "-D"], check=True, capture_output=True)
    key = str(server.folder / "user_key")
    subprocess.run(["ssh-add", "-q", key], check=True, capture_output=True)
    check(server.target(use_agent=True, key_path=None))


def test_crowded_server_is_tried_again(tmp_path: Path) -> None:
    """C142: 40 connections at once to a server that drops handshakes beyond three."""
    with sshd(tmp_path / "crowded", MaxStartups="3:50:5") as server:
        shared = Connector(HandshakeLimiter(8))
        with ThreadPoolExecutor(40) as pool:
            patient = server.target(connect_deadline_s=30)
            done = [pool.submit(check, patient, shared) for _ in range(40)]
            for future in done:
                future.result()


def test_server_of_another_age_says_so(tmp_path: Path) -> None:
    old = {"KexAlgorithms": "diffie-hellman-group14-sha1"}
    with sshd(tmp_path / "old", **old) as server:
        said = refused(server.target())
    assert "OpenSSH" in said
    assert "no SHA-1 key exchange" in said


def test_nothing_listens(server: Sshd) -> None:
    assert "refused" in refused(server.target(port=free_port())).lower()


def test_jump_hosts_are_passed_and_shared(server: Sshd, connector: Connector, keys: Path) -> None:
    first = server.target("jump1", address="localhost", known_hosts=_names(server, keys))
    second = server.target("jump2")
    before = len(server.children())
    hosts = [
        SshTransport(
            server.target(f"r01-ct{n:02}", jump=(first, second)), run_id="run1", connector=connector
        )
        for n in range(1, 7)
    ]
    with ThreadPoolExecutor(6) as pool:
        assert {future.rc for future in pool.map(lambda host: host.run(TRUE), hosts)} == {0}
    assert len(server.children()) - before <= 2 + len(hosts)
    for host in hosts:
        host.close()


def _names(server: Sshd, keys: Path) -> Path:
    names = f"[localhost]:{server.port}"
    return known(keys / f"known_{server.port}", names, server.folder / "host_key")


def test_a_key_is_shown_without_logging_in_through_jump_hosts_too(
    server: Sshd, connector: Connector, keys: Path
) -> None:
    stranger = server.target("r01-ct01", known_hosts=keys / "none", key_path=None)
    public = (server.folder / "host_key.pub").read_text().split()[1]
    for jump in ((), (server.target("jump1"),)):
        shown = connector.host_key(replace(stranger, jump=jump))
        assert base64.b64encode(shown.blob).decode() == public
    gone = replace(stranger, port=free_port())
    with pytest.raises(TransportError, match="refused"):
        connector.host_key(gone)


def test_error_names_the_hop(server: Sshd, keys: Path) -> None:
    good = server.target("jump1")
    closed = server.target("jump2", port=free_port())
    said = refused(server.target(jump=(good, closed)))
    assert "r01-ct01: cannot pass hop 2, jump2" in said
    assert "hop 1, jump1" in said
    unknown = server.target("jump3", key_path=make_key(keys / "other_user"))
    assert "cannot pass hop 1, jump3" in refused(server.target(jump=(unknown,)))
    said = refused(server.target("far", port=closed.port, jump=(good,)))
    assert said.startswith("far (127.0.0.1")
    assert "hop 1, jump1" in said


def test_jump_host_with_jump_hosts_is_refused(server: Sshd) -> None:
    nested = server.target("jump1", jump=(server.target("jump0"),))
    with pytest.raises(InventoryError, match="jump hosts of its own"):
        check(server.target(jump=(nested,)))


def test_home_is_not_looked_at(
    server: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys of ~/.ssh are not offered: the server would count them as failures."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    make_key(tmp_path / ".ssh" / "id_ed25519")
    check(server.target())
    names = sorted(path.name for path in (tmp_path / ".ssh").iterdir())
    assert names == ["id_ed25519", "id_ed25519.pub"]
