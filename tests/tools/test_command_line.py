"""`python -m fixtures.tools read` shows what a reader makes of a saved output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures.tools.__main__ import main
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
