"""The guests' own small initramfs: busybox, a few kernel modules, and `guest/stage1`."""

from __future__ import annotations

import io
import lzma
import stat
from collections.abc import Iterable
from pathlib import Path

from lab.softroce.errors import LabError


def write_initramfs(
    target: Path, *, busybox: Path, stage1: Path, module_tree: Path, modules: Iterable[str]
) -> None:
    """Write the archive; `modules` are loaded by stage1 in dependency order."""
    archive = io.BytesIO()
    cpio = _Cpio(archive)
    for folder in ("bin", "dev", "proc", "root", "modules"):
        cpio.folder(folder)
    cpio.file("bin/busybox", busybox.read_bytes(), 0o755)
    cpio.file("init", stage1.read_bytes(), 0o755)
    order = load_order(module_tree, modules)
    for path in order:
        cpio.file(f"modules/{_plain(path)}", read_module(path), 0o644)
    cpio.file("modules/order", "".join(f"{_plain(path)}\n" for path in order).encode(), 0o644)
    cpio.end()
    target.write_bytes(archive.getvalue())


def load_order(module_tree: Path, names: Iterable[str]) -> list[Path]:
    """Files of the modules and all they need, dependencies first; built-in ones are left out.

    `module_tree` is `lib/modules/<kernel>`; raises LabError for a module that this kernel lacks.
    """
    needs = _dependencies(module_tree)
    built_in = {Path(line).stem for line in _lines(module_tree / "modules.builtin")}
    by_name = {_plain(Path(path)).removesuffix(".ko"): path for path in needs}
    order: list[str] = []
    for name in names:
        if name in by_name:
            # modules.dep lists what must be loaded, last need first.
            order += [*reversed(needs[by_name[name]]), by_name[name]]
        elif name not in built_in:
            raise LabError(
                f"kernel {module_tree.name} has no module {name}; "
                "adapt ROOT_MODULES or GUEST_MODULES in lab/softroce/recipe.py"
            )
    return [module_tree / path for path in dict.fromkeys(order)]


def read_module(path: Path) -> bytes:
    """A kernel module's bytes, decompressed if the distribution ships it as .xz."""
    content = path.read_bytes()
    return lzma.decompress(content) if path.suffix == ".xz" else content


def _plain(path: Path) -> str:
    return path.name.removesuffix(".xz").replace("-", "_")


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def _dependencies(module_tree: Path) -> dict[str, list[str]]:
    pairs = (line.partition(":") for line in _lines(module_tree / "modules.dep"))
    return {path: needs.split() for path, _, needs in pairs}


class _Cpio:
    """Writes the kernel's initramfs format (cpio "newc"), all owned by root.

    Format: Documentation/driver-api/early-userspace/buffer-format.rst in the kernel's sources.
    """

    def __init__(self, out: io.BytesIO) -> None:
        self._out = out
        self._inode = 0

    def folder(self, name: str) -> None:
        self._entry(name, b"", stat.S_IFDIR | 0o755)

    def file(self, name: str, content: bytes, mode: int) -> None:
        self._entry(name, content, stat.S_IFREG | mode)

    def end(self) -> None:
        self._entry("TRAILER!!!", b"", 0)

    def _entry(self, name: str, content: bytes, mode: int) -> None:
        self._inode += 1
        path = name.encode() + b"\0"
        #        inode         mode  uid gid links mtime size        device numbers  name length
        fields = (self._inode, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(path), 0)
        header = b"070701" + b"".join(b"%08X" % field for field in fields)
        self._out.write(_padded(header + path) + _padded(content))


def _padded(content: bytes) -> bytes:
    return content + b"\0" * (-len(content) % 4)
