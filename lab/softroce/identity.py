"""Keys of one lab run, and the files that each guest is handed as a small read-only disk.

Nothing private is in the shared image: every start makes a host key for each guest, one key for
this machine's client and one for the way between guests. The disk is a plain tar, which the
guest's stage1 unpacks into memory.
"""

from __future__ import annotations

import io
import shlex
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.softroce.errors import LabError
from lab.softroce.recipe import HERE
from lab.softroce.spec import FABRIC_MTU, GuestSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPair:
    """An Ed25519 key in OpenSSH's own files."""

    private: Path

    @property
    def public(self) -> str:
        """`ssh-ed25519 AAAA…`, without a comment."""
        return " ".join(self.private.with_suffix(".pub").read_text().split()[:2])


def make_key(folder: Path, name: str) -> KeyPair:
    """A new key pair without a passphrase; the private file has mode 0600."""
    private = folder / name
    for stale in (private, private.with_suffix(".pub")):
        stale.unlink(missing_ok=True)
    argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(private)]
    done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise LabError(f"softroce lab: ssh-keygen cannot write {private}: {done.stderr.strip()}")
    return KeyPair(private=private)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """All keys of one lab run."""

    client: KeyPair
    between: KeyPair
    hosts: Mapping[str, KeyPair]

    def guest_disk(self, spec: GuestSpec, specs: Sequence[GuestSpec]) -> bytes:
        """Content of the disk that the guest reads its name, addresses and keys from."""
        guest = HERE / "guest"
        authorized = f"{self.client.public} client\n{self.between.public} guests\n"
        files = {
            "init": (guest / "init").read_bytes(),
            "guest.env": _environment(spec).encode(),
            "hosts": _hosts(specs).encode(),
            "openmpi.conf": (guest / "openmpi.conf").read_bytes(),
            "ssh/sshd_config": (guest / "sshd_config").read_bytes(),
            "ssh/ssh_host_ed25519_key": self.hosts[spec.name].private.read_bytes(),
            "ssh/id_ed25519": self.between.private.read_bytes(),
            "ssh/authorized_keys": authorized.encode(),
            "ssh/known_hosts": self._known_hosts(specs).encode(),
        }
        return _tar(files)

    def known_hosts(self, ports: Mapping[str, int]) -> str:
        """OpenSSH known_hosts text for this machine, one `[127.0.0.1]:PORT` entry per guest."""
        return "".join(
            f"[127.0.0.1]:{port} {self.hosts[name].public}\n" for name, port in ports.items()
        )

    def _known_hosts(self, specs: Sequence[GuestSpec]) -> str:
        return "".join(
            f"{spec.name},{spec.address} {self.hosts[spec.name].public}\n" for spec in specs
        )


def make_identity(folder: Path, specs: Sequence[GuestSpec]) -> Identity:
    """Make all keys of a run in the folder, which only this user can enter."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Identity(
        client=make_key(folder, "client"),
        between=make_key(folder, "guests"),
        hosts={spec.name: make_key(folder, f"host-{spec.name}") for spec in specs},
    )


def _environment(spec: GuestSpec) -> str:
    values = {
        "GUEST_NAME": spec.name,
        "GUEST_ADDRESS": f"{spec.address}/24",
        "GUEST_MTU": str(FABRIC_MTU),
        "GUEST_RDMA_DEVICE": spec.rdma_device,
    }
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in values.items())


def _hosts(specs: Sequence[GuestSpec]) -> str:
    lines = ["127.0.0.1 localhost"]
    lines += [f"{other.address} {other.name}" for other in specs]
    return "".join(f"{line}\n" for line in lines)


def _tar(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.mode = 0o755 if name == "init" else 0o600
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()
