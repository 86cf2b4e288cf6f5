"""A site whose hosts are logged in to by somebody who has to use sudo."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugins import tiny
from tests.plugins.runs import Run, run

pytestmark = pytest.mark.lab
MEMORY = "--lab-transport=memory"


@pytest.fixture(scope="module")
def sudo_rack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tiny.write(tmp_path_factory.mktemp("sudo"))
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("kind: compute", "kind: compute\n    sudo: true"), encoding="utf-8"
    )
    return path


def judged(sudo_rack: Path, folder: Path, *options: str) -> Run:
    return run(folder, f"--inventory={sudo_rack}", "-mnvl72", *options)


@pytest.mark.parametrize("way", [(MEMORY,), ()], ids=["memory", "ssh"])
def test_sudo_that_works_is_accepted(sudo_rack: Path, tmp_path: Path, way: tuple[str, ...]) -> None:
    found = judged(sudo_rack, tmp_path / "run", *way)
    assert found.info["outcome"] == "ACCEPTED", found.text
    assert [row["subject"] for row in found.rows("reach.sudo")] == list(tiny.TRAYS)
    assert {row["value"] for row in found.rows("reach.sudo")} == {"ok"}


@pytest.mark.parametrize("way", [(MEMORY,), ()], ids=["memory", "ssh"])
def test_sudo_that_asks_is_a_fault_of_its_host(
    sudo_rack: Path, tmp_path: Path, way: tuple[str, ...]
) -> None:
    found = judged(sudo_rack, tmp_path / "run", *way, "--fault=host.sudo_asks@r01-ct02")
    assert found.info["outcome"] == "REJECTED"
    row = found.row("reach.sudo", "r01-ct02")
    assert (row["verdict"], row["value"]) == ("FAIL", "sudo: a password is required")
    assert found.row("reach.sudo", "r01-ct01")["verdict"] == "PASS"
    assert found.findings[0]["part"] == "r01-ct02"
