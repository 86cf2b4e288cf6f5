"""JSON as the run folder keeps it: strict, in one step, and every error with file and line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from reports.runfolder import RunFolderError, write_durably

Json = dict[str, Any]
_LINE = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


def plain(value: object) -> Any:
    """A value as JSON can hold it: numbers of numpy as numbers, NaN and infinity as text."""
    if value is None or isinstance(value, (str, bool)) or type(value) is int:
        return value
    if isinstance(value, dict):  # abstract classes take much longer to be asked
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return number if math.isfinite(number) else str(number)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (Sequence, set, frozenset)):
        return [plain(item) for item in value]
    raise TypeError(f"a record cannot hold a {type(value).__name__}: {value!r}")


def line(value: Mapping[str, object]) -> str:
    """One JSON line; ASCII, so that whatever a host printed can be written."""
    try:
        return _LINE.encode(value) + "\n"
    except (TypeError, ValueError):  # what JSON cannot hold as it is, which is rare
        return _LINE.encode(plain(value)) + "\n"


def write_json(path: Path, value: Mapping[str, object] | Sequence[object]) -> None:
    """Write a JSON document in one step, for people as well as for tools."""
    write_durably(path, (json.dumps(plain(value), allow_nan=False, indent=1) + "\n").encode())


def write_lines(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    write_durably(path, "".join(map(line, rows)).encode())


def read_json(path: Path) -> Any:
    """Read a JSON document; raises RunFolderError with file and line."""
    try:
        return json.loads(_text(path))
    except ValueError as error:
        raise RunFolderError(f"{path}: not valid JSON: {error}") from error


def read_lines(path: Path, *, torn_tail: bool = False) -> list[tuple[str, Json]]:
    """The objects of a JSON lines file, each with its `file:line`.

    `torn_tail` passes over a last line that a killed process left without its end.
    """
    text = _text(path)
    lines = text.split("\n")
    if lines[-1] == "" or torn_tail:
        lines.pop()
    return [_object(f"{path.name}:{at}", text) for at, text in enumerate(lines, 1)]


def _object(place: str, text: str) -> tuple[str, Json]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise RunFolderError(f"{place}: not a JSON line: {error}") from error
    if not isinstance(value, dict):
        raise RunFolderError(f"{place}: expected an object, found {type(value).__name__}")
    return place, value


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise RunFolderError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RunFolderError(f"{path}: not UTF-8 text: {error.reason}") from error
