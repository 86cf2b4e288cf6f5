"""What a guest image is made of, and the digest that names the image in the cache."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from lab.softroce.errors import LabError

HERE = Path(__file__).parent
SUITE = "trixie"
"""Debian 13: kernel 6.12 with rdma_rxe, and a perftest that writes JSON."""

EXCLUDED_PATHS = ("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/locale/*")
"""Nobody reads manuals in a guest; leaving them out makes the image smaller."""

ROOT_MODULES = ("virtio_blk", "crc32c_generic", "ext4")
"""What the initramfs loads to reach the root image, besides what is built in."""

GUEST_MODULES = (
    *("virtio_net", "rdma_rxe", "crc32_generic", "ib_uverbs", "rdma_ucm", "ib_umad", "sch_netem"),
)
"""What stays in the root image, decompressed: emulated CPUs take long to unpack the rest.

rdma_rxe asks for crc32 by its alias only when a device is added, so no dependency names it.
"""


def packages(section: str) -> list[str]:
    """The Debian packages that `packages.txt` lists for `host` or `guest`, sorted."""
    found: list[str] = []
    current = ""
    for line in (HERE / "packages.txt").read_text().splitlines():
        text = line.partition("#")[0].strip()
        if text.startswith("["):
            current = text.strip("[]")
        elif text and current == section:
            found.append(text)
    if not found:
        raise LabError(f"lab/softroce/packages.txt has no package in section [{section}]")
    return sorted(found)


def digest() -> str:
    """Name of the image that this checkout asks for: 16 hex digits over all that goes into it."""
    parts = [SUITE, *EXCLUDED_PATHS, *ROOT_MODULES, *GUEST_MODULES, *packages("guest")]
    parts += [(HERE / name).read_text() for name in ("guest/stage1", "image.py", "initramfs.py")]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/rackgate/softroce`, by default below `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "rackgate" / "softroce"
