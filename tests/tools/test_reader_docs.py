"""docs/readers.md names every reader, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from fixtures.tools.readers import READERS

DOCS = Path(__file__).parents[2] / "docs" / "readers.md"


def test_every_reader_is_documented() -> None:
    rows = re.findall(r"^\| (`.*?) \|", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert named == set(READERS)
