"""`python -m fixtures.tools read` shows what a reader makes of a saved output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.tools.__main__ import main
from fixtures.tools.readers import COMMANDS, READERS, reader_of
from tests.tools.captures import CAPTURES


def test_a_reading_is_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", "nvidia-smi-q", str(CAPTURES / "nvidia-smi" / "healthy.xml")]) == 0
    assert json.loads(capsys.readouterr().out)["gpus"][0]["pci"] == "0008:01:00.0"
    assert main(["read", "ibstat", str(CAPTURES / "ibstat" / "healthy.txt")]) == 0
    assert json.loads(capsys.readouterr().out)[1]["name"] == "mlx5_1"


def test_an_error_is_printed_with_its_reason(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    empty, words = tmp_path / "out", tmp_path / "err"
    empty.write_text("")
    words.write_text("sh: ibstat: not found")
    assert main(["read", "ibstat", str(empty), "--rc", "127", "--stderr", str(words)]) == 2
    assert capsys.readouterr().err.startswith("tool-missing: ")
    assert main(["read", "ibstat", str(tmp_path / "nothing")]) == 2


def test_what_is_worked_out_stands_apart(capsys: pytest.CaptureFixture[str]) -> None:
    log = CAPTURES / "nccl-ras" / "degraded.json"
    assert main(["read", "nccl-ras", str(log)]) == 0
    shown = json.loads(capsys.readouterr().out)["communicators"][0]
    assert "absent" in shown["derived"]
    assert "absent" not in shown


def test_a_reader_of_that_name_is_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", "ibnetdiscovery", "x"]) == 2
    assert "did you mean 'ibnetdiscover'" in capsys.readouterr().err


def test_whoever_reads_along_may_stop() -> None:
    big = str(CAPTURES / "nvidia-smi" / "healthy.xml")
    argv = [sys.executable, "-m", "fixtures.tools", "read", "nvidia-smi-q", big]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as reading:
        assert reading.stdout is not None
        reading.stdout.close()
        assert reading.stderr is not None
        assert reading.stderr.read() == b""
    assert reading.returncode == 0


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("dmesg", "kernel-log"),
        ("ibv_devinfo", "ibv-devinfo"),
        ("nvidia-smi topo", "nvidia-smi-topo"),
    ],
)
def test_a_command_is_known_by_its_own_name(called: str, name: str) -> None:
    assert reader_of(called) == name


def test_every_command_has_a_reader() -> None:
    assert {reader_of(command) for command in COMMANDS} <= set(READERS)
    assert not set(COMMANDS) & set(READERS)
