"""Reports on ports as they come out of terminals, launchers and mails; cut and doubled ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fixtures.model.errors import RackError, Unreadable
from fixtures.tools.as_json import plain
from fixtures.tools.fabric.port_readers import PORT_READERS
from tests.tools.captures import ended, seeds

CASES = [(tool, path) for tool in PORT_READERS for path in seeds(tool)]
Change = Callable[[str], str]
FIRST_OF_TWO = {("/counters/tx_queue_stopped_for_a_long_long", 1)}
"""A name that `ethtool -S` prints twice is no doubt before its second line."""


def each(prefix: str) -> Change:
    return lambda text: "".join(f"{prefix}{line}\n" for line in text.splitlines())


CHANGES: dict[str, Change] = {
    "line-ends": lambda text: text.replace("\n", "\r\n"),
    "mark": lambda text: f"\ufeff{text}",
    "quoted": each("> "),
    "labelled": each("3: "),
    "host": each("r03-ct07: "),
    "blank-lines": lambda text: text.replace("\n", "\n\n"),
    "untabbed": lambda text: text.expandtabs(),
    "prompt": lambda text: f"[root@r03-ct07 ~]# some-tool -x\n{text}[root@r03-ct07 ~]# \n",
    "warning": lambda text: f"libibverbs: Warning: no driver found for uverbs9\n{text}",
}


def reading(tool: str, text: str) -> Any:
    return plain(PORT_READERS[tool](ended(text)))


def leaves(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for name, item in items:
            yield from leaves(item, f"{where}/{name}")
    else:
        yield where, value


def readable() -> list[tuple[str, Path]]:
    found = []
    for tool, path in CASES:
        try:
            reading(tool, path.read_text(encoding="utf-8"))
        except RackError:
            continue
        found.append((tool, path))
    return found


READABLE = readable()
IDS = [f"{tool}-{path.name}" for tool, path in READABLE]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("tool", "path"), READABLE, ids=IDS)
def test_what_is_put_around_a_report_changes_nothing(tool: str, path: Path, change: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert reading(tool, CHANGES[change](text)) == reading(tool, text)


@pytest.mark.parametrize(("tool", "path"), READABLE, ids=IDS)
def test_two_reports_in_one_output_are_unreadable(tool: str, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    with pytest.raises(Unreadable):
        reading(tool, text * 2)
    with pytest.raises(Unreadable):
        reading(tool, each("0: ")(text) + each("1: ")(text))


@pytest.mark.parametrize(("tool", "path"), READABLE, ids=IDS)
def test_a_cut_report_never_gives_a_value_that_the_whole_does_not(tool: str, path: Path) -> None:
    """Half of a number or name is not taken for it; what is missing is None or Unreadable."""
    text = path.read_text(encoding="utf-8")
    whole = dict(leaves(reading(tool, text)))
    for size in range(1, len(text), max(1, len(text) // 97)):
        try:
            found = leaves(reading(tool, text[:size]))
        except RackError:
            continue
        torn = {
            (where, value)
            for where, value in found
            if value is not None and not where.endswith("complete") and whole.get(where) != value
        }
        assert torn <= FIRST_OF_TWO, text[:size][-60:]
