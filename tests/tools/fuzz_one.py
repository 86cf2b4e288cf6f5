"""One reader under atheris; started by `tests.tools.fuzz`: READER FOLDER [libFuzzer options]."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["fixtures.tools"], enable_loader_override=False):
    from tests.tools.attempt import attempt

READER = sys.argv.pop(1)


def one_input(raw: bytes) -> None:
    attempt(READER, raw)


atheris.Setup(sys.argv, one_input)
atheris.Fuzz()
