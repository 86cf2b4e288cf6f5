"""Wrong options are usage errors that say what to write; what only looks touches nothing."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.plugins import tiny
from tests.plugins.runs import ROOT, command, run

USAGE = 4


def folders() -> set[Path]:
    return set((ROOT / "reports" / "out").glob("tiny/*"))


def test_suites_need_an_inventory() -> None:
    found = command("-m", "nvl576")
    assert found.status == USAGE
    assert "add --inventory NAME" in found.text
    assert "rack42" in found.text


@pytest.mark.parametrize("path", ["suites", "suites/reach", "suites/reach/test_login.py::test_x"])
def test_a_path_into_the_suites_needs_one_too(path: str) -> None:
    assert command(path).status == USAGE


def test_an_unknown_inventory_names_near_ones() -> None:
    found = command("--inventory", "rack24")
    assert found.status == USAGE
    assert "rack42" in found.text
    assert "did you mean" in found.text.lower()


@pytest.mark.parametrize("option", ["--markers", "--help", "--version"])
def test_pytests_own_questions_need_no_inventory(option: str) -> None:
    found = command(option)
    assert found.status == 0, found.text


def test_help_lists_our_options() -> None:
    found = command("--help")
    for option in ("--inventory", "--max-effect", "--plan", "--run-dir", "--replay", "--fault"):
        assert option in found.text


@pytest.mark.parametrize(
    "options",
    [
        ("--plan", "-n2"),
        ("--collect-only", "-q"),
        ("--markers",),
        ("--help",),
        ("--fixtures",),
    ],
)
def test_what_only_looks_touches_nothing(
    tiny_rack: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    before = folders()
    found = command(f"--inventory={tiny_rack}", f"--run-dir={tmp_path / 'run'}", *options)
    assert found.status == 0, found.text
    assert not (tmp_path / "run").exists()
    assert folders() == before


def test_a_plan_says_what_would_be_done(tiny_rack: Path) -> None:
    found = command(f"--inventory={tiny_rack}", "-m", "nvl72", "--plan", "--max-effect=observe")
    for words in ("tiny: Two virtual trays", "nvbandwidth on every tray", "allowed effect: observe",
                  "forbidden", "predicted on hardware"):  # fmt: skip
        assert words in found.text


def test_collecting_shows_parts_as_ids(tiny_rack: Path) -> None:
    found = command(f"--inventory={tiny_rack}", "--collect-only", "-q")
    assert "test_memory_is_clean[r01-ct02]" in found.text
    assert "[r01-ct01/mlx5_0/1->r01-ct02/mlx5_0/1]" in found.text
    assert "NOTSET" not in found.text


REFUSED = {
    "another product": (("-mhgx",), "inventory tiny is a nvl72"),
    "another product in words": (("-mnvl576 or hgx",), "answers to nvl72"),
    "an unknown fault": (("--fault=gpu.mising@r01-ct01/gpu0",), "gpu.missing"),
    "a fault at no part": (("--fault=gpu.missing@r01-ct09/gpu0",), "no host 'r01-ct09'"),
    "a fault without form": (("--fault=gpu.missing",), "KIND@PART"),
    "a fault with a strange parameter": (
        ("--fault=gpu.missing@r01-ct01/gpu0:loud=1",),
        "has no parameter 'loud'",
    ),
    "a replay of nothing": (("--replay=/nowhere/at/all",), "is no run folder"),
    "waivers that are not there": (("--waivers=/nowhere/waivers.yaml",), "/nowhere/waivers.yaml"),
    "an unknown effect": (("--max-effect=destroy",), "--max-effect"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_done_is_a_usage_error(tiny_rack: Path, tmp_path: Path, name: str) -> None:
    options, words = REFUSED[name]
    found = command(f"--inventory={tiny_rack}", f"--run-dir={tmp_path / 'run'}", *options)
    assert found.status == USAGE, found.text
    assert words in found.text
    assert "Traceback" not in found.text
    assert not (tmp_path / "run").exists()


def test_a_run_that_never_began_leaves_nothing(tiny_rack: Path) -> None:
    before, latest = folders(), ROOT / "reports" / "out" / "latest"
    led = latest.readlink() if latest.is_symlink() else None
    found = command(f"--inventory={tiny_rack}", "--fault=gpu.missing@r01-ct09/gpu0")
    assert found.status == USAGE, found.text
    assert folders() == before
    assert (latest.readlink() if latest.is_symlink() else None) == led


def test_an_unknown_marker_judges_nothing(tiny_rack: Path, tmp_path: Path) -> None:
    found = run(tmp_path / "run", f"--inventory={tiny_rack}", "-mnvl27")
    assert found.status == USAGE, found.text
    assert "nvl27" in found.text
    assert found.info["outcome"] == "INCOMPLETE"


def test_a_fault_needs_a_lab(tmp_path: Path) -> None:
    real = tiny.write(tmp_path / "real", lab=False)
    options = (f"--run-dir={tmp_path / 'run'}", "--fault=gpu.missing@r01-ct01/gpu0")
    found = command(f"--inventory={real}", *options)
    assert found.status == USAGE, found.text
    assert "tiny is real hardware" in found.text
    assert not (tmp_path / "run").exists()


def test_a_fault_needs_an_inventory() -> None:
    found = command("--fault=gpu.missing@r01-ct01/gpu0")
    assert found.status == USAGE
    assert "--fault needs --inventory" in found.text


def test_a_folder_that_holds_something_is_refused(tiny_rack: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    found = command(f"--inventory={tiny_rack}", f"--run-dir={tmp_path}")
    assert found.status == USAGE, found.text
    assert "not empty" in found.text
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB; needs root."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting needs root and a system that lets it")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_found_before_anything_is_touched(tiny_rack: Path, mounted: Path) -> None:
    found = command(f"--inventory={tiny_rack}", f"--run-dir={mounted / 'run'}")
    assert found.status == USAGE, found.text
    assert "MB free on this disk" in found.text


def test_a_read_only_disk_is_found_before_anything_is_touched(
    tiny_rack: Path, mounted: Path
) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(mounted)], check=True)
    found = command(f"--inventory={tiny_rack}", f"--run-dir={mounted / 'run'}")
    assert found.status == USAGE, found.text
    assert "Read-only file system" in found.text
    assert "Traceback" not in found.text


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_the_folder_may_stand_alone(
    tiny_rack: Path, tmp_path: Path, workers: tuple[str, ...]
) -> None:
    folder = tmp_path / "run"
    found = command(
        f"--inventory={tiny_rack}", "--run-dir", str(folder), "-mreach", "-p", "no:cacheprovider",
        *workers,
    )  # fmt: skip
    assert found.status == 1, found.text
    assert (folder / "run.json").is_file()
    assert "crashed" not in found.text


def test_the_folder_is_taken_from_where_pytest_was_called(tiny_rack: Path, tmp_path: Path) -> None:
    docs = ROOT / "docs"
    folder = os.path.relpath(tmp_path / "run", docs)
    found = command(f"--inventory={tiny_rack}", f"--run-dir={folder}", "-mreach", cwd=docs)
    assert (tmp_path / "run" / "run.json").is_file(), found.text
    assert "suites/reach/test_login.py" in found.text


def test_seed_and_command_line_are_kept(tiny_rack: Path, tmp_path: Path) -> None:
    found = run(tmp_path / "run", f"--inventory={tiny_rack}", "-mreach", "--seed=7")
    assert found.info["seed"] == 7
    assert "--seed=7" in found.info["command"]
