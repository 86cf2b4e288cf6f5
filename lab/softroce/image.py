"""Builds the guests' root image once and keeps it in the user's cache folder.

`image()` returns the files to boot. A build happens under a file lock, in a folder beside the
final one, and only a finished build is renamed to the name that is looked up: whatever a killed
build leaves behind is removed by the next one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from lab.softroce import recipe
from lab.softroce.errors import LabError, tail
from lab.softroce.initramfs import load_order, read_module, write_initramfs

NEEDED_FREE_BYTES = 3 * 1024**3
"""A build peaks at about 2.2 GB: the unpacked packages and the image made of them."""

BUILD_DEADLINE_S = 1800.0
MIRROR_VARIABLE = "RACKGATE_DEBIAN_MIRROR"
HOST_TOOLS = (
    "mmdebstrap",
    "mke2fs",
    "busybox",
    "qemu-system-x86_64",
    "ssh-keygen",
    "setpriv",
    "unshare",
)


_CONFINED = (
    *("setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "private"),
    *("--pid", "--fork", "--mount-proc", "--kill-child=KILL"),
)
"""Runs a command that dies with us, with all its children, and takes its mounts along.

A bootstrap mounts /proc, /sys and this machine's own /dev/shm below its target. Left behind by a
killed build, they would be emptied by whoever removes that folder.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """Files that every guest boots from; all are shared and never written to."""

    root: Path
    kernel: Path
    initramfs: Path


def image() -> Image:
    """The image this checkout asks for, from the cache or newly built (about a minute)."""
    require_tools()
    home = recipe.cache_folder() / recipe.digest()
    home.parent.mkdir(parents=True, exist_ok=True)
    if not home.is_dir():
        with FileLock(home.parent / "build.lock"):
            if not home.is_dir():
                _build(home)
    return Image(root=home / "root.ext4", kernel=home / "vmlinuz", initramfs=home / "initramfs")


def require_tools() -> None:
    """Raise LabError that names the missing programs and how to install them."""
    path = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
    missing = [tool for tool in HOST_TOOLS if not shutil.which(tool, path=path)]
    if missing:
        raise LabError(
            f"softroce lab: {', '.join(missing)} not found on this machine; install the [host] "
            f"packages of lab/softroce/packages.txt: apt-get install {_host_packages()}"
        )


def _host_packages() -> str:
    return " ".join(recipe.packages("host"))


def _build(home: Path) -> None:
    for stale in home.parent.glob("*.building-*"):
        _remove(stale)
    _require_room(home.parent)
    if os.geteuid() != 0:
        raise LabError("softroce lab: building the image needs root (mmdebstrap); booting does not")
    building = Path(tempfile.mkdtemp(prefix=f"{home.name}.building-", dir=home.parent))
    started = time.monotonic()
    try:
        rootfs = building / "rootfs"
        _bootstrap(rootfs, building / "mmdebstrap.log")
        kernel = _take_kernel(rootfs, building)
        _make_file_system(rootfs, building / "root.ext4")
        versions = _versions(rootfs)
        _remove(rootfs)
        build_s = round(time.monotonic() - started, 1)
        facts = {"kernel": kernel, "build_s": build_s, "packages": versions}
        (building / "image.json").write_text(json.dumps(facts, indent=1))
        building.chmod(0o755)
        building.rename(home)
    finally:
        _remove(building)


def _require_room(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < NEEDED_FREE_BYTES:
        raise LabError(
            f"softroce lab: {folder} has {free / 1e9:.1f} GB free, expected at least "
            f"{NEEDED_FREE_BYTES / 1e9:.1f} GB to build an image; make room or set XDG_CACHE_HOME"
        )


def _bootstrap(rootfs: Path, log: Path) -> None:
    argv = ["mmdebstrap", "--variant=minbase", "--components=main"]
    argv += [f"--include={','.join(recipe.packages('guest'))}"]
    argv += [f"--dpkgopt=path-exclude={path}" for path in recipe.EXCLUDED_PATHS]
    argv += [f"--aptopt={line}" for line in _apt_proxies()]
    argv += [recipe.SUITE, str(rootfs)]
    if mirror := os.environ.get(MIRROR_VARIABLE):
        argv.append(mirror)
    hint = f"no package source answers? name one in {MIRROR_VARIABLE}"
    _run(argv, hint=hint, log=log)


def _apt_proxies() -> list[str]:
    """Proxy settings of this machine's apt, which mmdebstrap does not read by itself."""
    wanted = ("Acquire::http::Proxy", "Acquire::https::Proxy")
    shown = subprocess.run(["apt-config", "dump", *wanted], capture_output=True, text=True)
    return [line for line in shown.stdout.splitlines() if line.startswith(wanted)]


def _take_kernel(rootfs: Path, building: Path) -> str:
    """Move the kernel out of the root file system, and keep only the modules that guests load."""
    kernels = sorted((rootfs / "boot").glob("vmlinuz-*"))
    if not kernels:
        raise LabError("softroce lab: the bootstrapped root has no /boot/vmlinuz-*; see packages")
    release = kernels[-1].name.removeprefix("vmlinuz-")
    tree = rootfs / "usr/lib/modules" / release
    shutil.copyfile(kernels[-1], building / "vmlinuz")
    write_initramfs(
        building / "initramfs",
        busybox=Path(shutil.which("busybox") or "busybox"),
        stage1=recipe.HERE / "guest/stage1",
        module_tree=tree,
        modules=recipe.ROOT_MODULES,
    )
    kept = {path: read_module(path) for path in load_order(tree, recipe.GUEST_MODULES)}
    shutil.rmtree(tree / "kernel")
    for path, content in kept.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(path.name.removesuffix(".xz")).write_bytes(content)
    _run(["chroot", str(rootfs), "depmod", release], hint="is kmod a guest package?")
    shutil.rmtree(rootfs / "boot")
    (rootfs / "boot").mkdir()
    return release


def _make_file_system(rootfs: Path, target: Path) -> None:
    """An ext4 image of the folder with 256 MiB to spare; sparse, without a journal."""
    used = subprocess.run(["du", "-sm", str(rootfs)], capture_output=True, text=True, check=True)
    size_mib = int(used.stdout.split()[0]) * 11 // 10 + 256
    argv = ["mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-m", "0", "-d", str(rootfs)]
    _run([*argv, str(target), f"{size_mib}M"], hint="is the disk full?")


def _versions(rootfs: Path) -> dict[str, str]:
    wanted = ["dpkg-query", f"--admindir={rootfs}/var/lib/dpkg", "-W", "-f=${Package}=${Version}\n"]
    shown = subprocess.run(wanted, capture_output=True, text=True, check=True)
    pairs = (line.partition("=") for line in shown.stdout.splitlines())
    return {name: version for name, _, version in pairs if name in recipe.packages("guest")}


def _remove(folder: Path) -> None:
    """Delete a folder, but never what is mounted below it."""
    if folder.exists():
        _run(["rm", "-rf", "--one-file-system", str(folder)], hint="is something mounted in it?")


def _run(argv: list[str], *, hint: str, log: Path | None = None) -> None:
    environment = os.environ | {"PATH": os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"}
    try:
        done = subprocess.run(
            [*_CONFINED, *argv],
            capture_output=True,
            text=True,
            timeout=BUILD_DEADLINE_S,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        raise LabError(
            f"softroce lab: {argv[0]} did not finish in {BUILD_DEADLINE_S:.0f} s ({hint})"
        ) from None
    if log:
        log.write_text(done.stderr)
    if done.returncode:
        raise LabError(
            f"softroce lab: {argv[0]} failed with exit status {done.returncode} ({hint}):\n"
            f"{tail(done.stderr + done.stdout)}"
        )
