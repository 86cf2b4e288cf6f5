"""Entries of the data files, and what a reader makes of their samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jmespath
import jmespath.functions
import yaml

from fixtures.model.errors import RackError
from fixtures.tools.as_json import DERIVED, plain
from fixtures.tools.readers import READERS
from fixtures.transport.base import CommandResult

HERE = Path(__file__).parent
CORPUS = Path(__file__).parents[4] / "shared" / "corpus"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One sample, one reader: `values` by JMESPath, or `refused` with `says` in the message."""

    sample: str
    reader: str
    rc: int = 0
    lines: tuple[int, int] | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    refused: str | None = None
    says: str = ""
    doubt: str = ""

    @property
    def name(self) -> str:
        at = f":{self.lines[0]}-{self.lines[1]}" if self.lines else ""
        return f"{Path(self.sample).stem}{at}/{self.reader}"

    @property
    def checks(self) -> int:
        return len(self.values) + (self.refused is not None)

    def result(self) -> CommandResult:
        raw = (CORPUS / self.sample).read_bytes()
        if self.lines:
            first, last = self.lines
            raw = b"".join(raw.splitlines(keepends=True)[first - 1 : last])
        return CommandResult(
            host="sample", key=self.reader, argv=(self.reader,), rc=self.rc, stdout_bytes=raw
        )


def entries() -> list[Entry]:
    return [entry for path in sorted(HERE.glob("*.yaml")) for entry in _of(path)]


def _of(path: Path) -> Iterator[Entry]:
    for item in yaml.safe_load(path.read_text(encoding="utf-8")) or ():
        lines = item.pop("lines", None)
        yield Entry(**item, lines=tuple(lines) if lines else None)


class _Functions(jmespath.functions.Functions):
    @jmespath.functions.signature({"types": ["array"]})
    def _func_distinct(self, items: list[Any]) -> list[Any]:
        """Each value once, in order."""
        return [item for at, item in enumerate(items) if item not in items[:at]]


_OPTIONS = jmespath.Options(custom_functions=_Functions())


def misses(entry: Entry) -> list[str]:
    """What the reader gives otherwise than the entry says; empty where all is right."""
    try:
        found = plain(READERS[entry.reader](entry.result()))
    except RackError as error:
        said = str(error)
        if error.why == entry.refused and entry.says in said:
            return []
        wanted = f"{entry.refused} {entry.says!r}" if entry.refused else "values"
        return [f"refused as {error.why}: {said}; expected {wanted}"]
    if entry.refused is not None:
        return [f"read, though it must be refused as {entry.refused}"]
    return [miss for path, right in entry.values.items() if (miss := _miss(found, path, right))]


def _miss(found: Any, path: str, right: Any) -> str:
    value = jmespath.search(path, found, options=_OPTIONS)
    return "" if same(value, right) else f"{path}: expected {right!r}, found {value!r}"


def same(value: Any, right: Any) -> bool:
    """Equal, where a float may differ in its last digits and a boolean is no number.

    What a reading derives counts only where the right value names it.
    """
    if isinstance(value, list) and isinstance(right, list):
        return len(value) == len(right) and all(map(same, value, right))
    if isinstance(value, dict) and isinstance(right, dict):
        value = {key: item for key, item in value.items() if key != DERIVED or key in right}
        return value.keys() == right.keys() and all(same(value[key], right[key]) for key in value)
    if isinstance(value, bool) or isinstance(right, bool):
        return value is right
    if isinstance(value, int | float) and isinstance(right, int | float):
        return math.isclose(value, right, rel_tol=1e-9)
    return bool(value == right)
