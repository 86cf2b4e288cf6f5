"""The command line of one guest, and the local ports that guests are reached on."""

from __future__ import annotations

import random
import socket
from pathlib import Path

from lab.softroce.errors import LabError
from lab.softroce.image import Image
from lab.softroce.spec import GuestSpec

READY = "RACKGATE-READY"
"""Printed by `guest/init` on the console once sshd listens."""

PRODUCT = "rackgate softroce"

_PORTS = range(20_000, 32_000)
"""Below the range that Linux gives to outgoing connections (from 32,768 on)."""

_KERNEL_LINE = (
    "console=ttyS0 quiet panic=-1 mitigations=off nokaslr no_timer_check "
    "clocksource=hpet random.trust_cpu=on rackgate.name={name}"
)
"""HPET, since the rate of the TSC is measured at boot, and on a busy machine found to be a tenth of
what it is: that guest's clock runs ten times too fast, and deadlines in it end early."""


def qemu_argv(spec: GuestSpec, image: Image, *, ssh_port: int) -> list[str]:
    """QEMU's arguments; every path but the image's is relative to the lab's folder.

    No display, no PXE, no way out: the management network is restricted to the one forwarded port.
    """
    name = spec.name
    fabric = f"local.path={name}.nic,remote.type=unix,remote.path={name}.leaf"
    argv = ["qemu-system-x86_64", "-name", name, "-nodefaults", "-no-user-config", "-no-reboot"]
    argv += ["-display", "none", "-machine", "pc", "-accel", "tcg,thread=multi", "-cpu", "max"]
    argv += ["-smp", "1", "-m", str(spec.memory_mb)]
    argv += ["-kernel", str(image.kernel), "-initrd", str(image.initramfs)]
    argv += ["-append", _KERNEL_LINE.format(name=name)]
    argv += ["-serial", f"file:{name}.console", "-qmp", f"unix:{name}.qmp,server=on,wait=off"]
    argv += _disk("root", f"file={_escaped(str(image.root))},snapshot=on")
    argv += _disk("files", f"file={name}.disk,readonly=on")
    argv += ["-netdev", f"user,id=ssh,restrict=on,hostfwd=tcp:127.0.0.1:{ssh_port}-:22"]
    argv += ["-device", f"virtio-net-pci,netdev=ssh,mac={spec.management_mac},romfile="]
    argv += ["-netdev", f"dgram,id=leaf,local.type=unix,{fabric}"]
    argv += ["-device", f"virtio-net-pci,id=fabric,netdev=leaf,mac={spec.fabric_mac},romfile="]
    argv += ["-smbios", f"type=1,product={PRODUCT},serial={_escaped(spec.serial)}"]
    return argv


def console_file(folder: Path, name: str) -> Path:
    """Where the guest's console is written."""
    return folder / f"{name}.console"


def reserve_ports(count: int) -> list[socket.socket]:
    """Free ports of 127.0.0.1, each bound but not listening.

    QEMU can still listen there (both sides set SO_REUSEADDR), while another process that looks
    for a free port does not get it. Close the sockets when the lab is up.
    """
    held: list[socket.socket] = []
    for port in random.sample(_PORTS, len(_PORTS)):
        if len(held) == count:
            return held
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            sock.bind(("127.0.0.1", port))
        except OSError:
            sock.close()
            continue
        # Only now: with the option set before, bind would share a port that somebody else holds.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.append(sock)
    raise LabError(f"softroce lab: fewer than {count} free ports on 127.0.0.1 in {_PORTS}")


def _disk(name: str, drive: str) -> list[str]:
    return [
        *("-drive", f"if=none,id={name},format=raw,{drive}"),
        *("-device", f"virtio-blk-pci,drive={name}"),
    ]


def _escaped(text: str) -> str:
    """A comma ends an option for QEMU unless it is doubled."""
    return text.replace(",", ",,")
