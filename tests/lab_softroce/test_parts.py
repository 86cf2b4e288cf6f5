"""The lab's own pieces, without a guest."""

from __future__ import annotations

import lzma
import os
import random
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from lab.softroce import image as image_module
from lab.softroce import recipe, registry
from lab.softroce.errors import LabError
from lab.softroce.image import image
from lab.softroce.initramfs import load_order, write_initramfs
from lab.softroce.qemu import reserve_ports
from lab.softroce.registry import Entry, Process, end_leftovers, identify, write_entry
from lab.softroce.spec import GuestSpec, check_specs


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder in place of the user's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return recipe.cache_folder()


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    """A kernel's module tree: top needs middle needs base; core is built in."""
    tree = tmp_path / "6.0-test"
    tree.mkdir()
    (tree / "modules.dep").write_text(
        "k/top.ko.xz: k/mid-dle.ko.xz k/base.ko.xz\nk/mid-dle.ko.xz: k/base.ko.xz\nk/base.ko.xz:\n"
    )
    (tree / "modules.builtin").write_text("k/core.ko\n")
    (tree / "k").mkdir()
    for name in ("top", "mid-dle", "base"):
        (tree / f"k/{name}.ko.xz").write_bytes(lzma.compress(name.encode()))
    return tree


def test_packages_are_in_two_sections() -> None:
    assert "qemu-system-x86" in recipe.packages("host")
    assert "perftest" in recipe.packages("guest")
    with pytest.raises(LabError, match=r"no package in section \[other\]"):
        recipe.packages("other")


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        ([], "no guests"),
        ([GuestSpec(name="a,b", index=1)], "cannot be a host name"),
        ([GuestSpec(name="a", index=1, rdma_device="a b")], "RDMA device 'a b', expected"),
        ([GuestSpec(name="a", index=251)], "index 251, expected 1 to 250"),
        ([GuestSpec(name="a", index=1), GuestSpec(name="a", index=2)], "two guests have name a"),
        ([GuestSpec(name="a", index=1), GuestSpec(name="b", index=1)], "two guests have index 1"),
    ],
)
def test_unusable_guests_are_refused(specs: list[GuestSpec], message: str) -> None:
    with pytest.raises(LabError, match=message):
        check_specs(specs)


def test_modules_load_after_what_they_need(modules: Path) -> None:
    order = load_order(modules, ["core", "top", "base"])
    assert [path.name for path in order] == ["base.ko.xz", "mid-dle.ko.xz", "top.ko.xz"]


def test_unknown_module_is_named(modules: Path) -> None:
    with pytest.raises(LabError, match=r"kernel 6\.0-test has no module rdma_rxe"):
        load_order(modules, ["rdma_rxe"])


def test_initramfs_is_a_cpio_archive_with_plain_modules(modules: Path, tmp_path: Path) -> None:
    stage1 = recipe.HERE / "guest/stage1"
    target = tmp_path / "initramfs"
    write_initramfs(target, busybox=stage1, stage1=stage1, module_tree=modules, modules=["top"])
    content = target.read_bytes()
    assert content.startswith(b"070701")
    assert b"base.ko\nmid_dle.ko\ntop.ko\n" in content
    assert content.rstrip(b"\0").endswith(b"TRAILER!!!")


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(LabError, match=r"mmdebstrap.*apt-get install .*qemu-system-x86"):
        image()


def test_full_disk_is_refused_before_building(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_module, "NEEDED_FREE_BYTES", 1 << 60)
    monkeypatch.setattr(image_module, "require_tools", lambda: None)
    with pytest.raises(LabError, match="GB free, expected at least"):
        image()


def test_failed_build_leaves_no_image(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(rootfs: Path, log: Path) -> None:
        rootfs.mkdir()
        raise LabError("no package source answers")

    monkeypatch.setattr(image_module, "_bootstrap", fail)
    monkeypatch.setattr(image_module, "require_tools", lambda: None)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(LabError, match="no package source"):
        image()
    assert [path.name for path in cache.iterdir()] == ["build.lock"]


def test_reserved_ports_are_taken_and_different() -> None:
    held = reserve_ports(3)
    try:
        assert len({sock.getsockname() for sock in held}) == 3
    finally:
        for sock in held:
            sock.close()


def test_leftovers_of_a_dead_lab_are_ended(cache: Path, tmp_path: Path) -> None:
    dead_keeper = Process(name="keeper", pid=os.getpid(), started=-1)
    with subprocess.Popen(["sleep", "60"]) as orphan:
        entry = Entry(keeper=dead_keeper, processes=[identify("guest", orphan.pid)])
        write_entry(registry.entry_path(tmp_path), entry)
        assert [process.pid for process in end_leftovers()] == [orphan.pid]
        assert orphan.wait(timeout=5) == -signal.SIGKILL
    assert registry.read_entry(registry.entry_path(tmp_path)) is None


def test_a_pid_that_now_belongs_to_somebody_else_is_left_alone(cache: Path, tmp_path: Path) -> None:
    dead_keeper = Process(name="keeper", pid=os.getpid(), started=-1)
    with subprocess.Popen(["sleep", "60"]) as stranger:
        reused = Process(name="guest", pid=stranger.pid, started=random.randrange(1 << 60, 1 << 61))
        write_entry(registry.entry_path(tmp_path), Entry(keeper=dead_keeper, processes=[reused]))
        assert end_leftovers() == []
        assert stranger.poll() is None
        stranger.kill()


def test_a_running_lab_is_left_alone(cache: Path, tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as guest:
        keeper = identify("keeper", os.getpid())
        entry = Entry(keeper=keeper, processes=[identify("guest", guest.pid)])
        write_entry(registry.entry_path(tmp_path), entry)
        assert end_leftovers() == []
        assert guest.poll() is None
        guest.kill()
    assert registry.read_entry(registry.entry_path(tmp_path)) == entry
