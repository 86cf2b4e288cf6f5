"""Outputs are read as people paste them: quoted, labelled, with prompts around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.nvlink import (
    fabric_manager_log,
    fabric_manager_status,
    imex_ctl,
    imex_log,
    nvbandwidth,
    nvos_diagnostics,
    nvos_interface,
    nvos_partition,
    nvos_platform,
)
from tests.tools.captures import capture

OUTPUTS: list[tuple[str, str, Callable[[str], Any]]] = [
    ("imex-ctl", "healthy.txt", imex_ctl.parse),
    ("imex-ctl", "healthy.json", imex_ctl.parse),
    ("imex-log", "healthy.txt", imex_log.parse),
    ("fabric-manager-log", "healthy.txt", fabric_manager_log.parse),
    ("fabric-manager-status", "failed.txt", fabric_manager_status.parse),
    ("nvbandwidth", "healthy.txt", nvbandwidth.parse),
    ("nvbandwidth", "healthy.json", nvbandwidth.parse),
    ("nvos-interface", "one.txt", nvos_interface.parse),
    ("nvos-interface", "list.txt", nvos_interface.parse),
    ("nvos-interface", "all.json", nvos_interface.parse),
    ("nvos-link-diagnostics", "all.txt", nvos_diagnostics.parse),
    ("nvos-sdn-partition", "one.txt", nvos_partition.parse),
    ("nvos-firmware", "list.txt", nvos_platform.parse_firmware),
]
CASES = pytest.mark.parametrize(
    ("text", "parse"),
    [(capture(tool, name), parse) for tool, name, parse in OUTPUTS],
    ids=[f"{tool}/{name}" for tool, name, _ in OUTPUTS],
)


def each_line(text: str, before: str, after: str = "") -> str:
    return "".join(f"{before}{line}{after}\n" for line in text.splitlines())


@CASES
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("> ", ""),
        (">> ", ""),
        ("# ", ""),
        ("    ", ""),
        ("", " \t"),
        ("", "\r"),
        ("0: ", ""),
        ("\x1b[1m", ""),
    ],
)
def test_what_is_put_around_lines_is_taken_off(
    text: str, parse: Callable[[str], Any], before: str, after: str
) -> None:
    assert parse(each_line(text, before, after)) == parse(text)


@CASES
def test_prompts_and_blank_lines_are_skipped(text: str, parse: Callable[[str], Any]) -> None:
    spaced = "\n\n" + text.replace("\n", "\n\n")
    assert parse(f"{spaced}\nroot@ct07:~# \n") == parse(text)
    assert parse(f"```\n{text.rstrip()}\n```\nct07:~ # \n") == parse(text)


@CASES
def test_outputs_of_two_tasks_are_unreadable(text: str, parse: Callable[[str], Any]) -> None:
    with pytest.raises(Unreadable):
        parse(each_line(text, "0: ") + each_line(text, "1: "))
