"""What the quick look at a log leaves out is what reading every line would leave out."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.tools.hosts import kernel_log, log_events, log_lines, log_scan
from fixtures.tools.lines import lines
from tests.tools.captures import seeds
from tests.tools.corpus.entries import CORPUS
from tests.tools.hosts.test_kernel_log import FORMS, XID

LOGS = [
    *(path for path in seeds("kernel-log") if path.suffix == ".txt" and "export" not in path.name),
    *sorted(CORPUS.glob("dmesg/*")),
]


def found_in(path: Path) -> list[str]:
    return lines(path.read_text(encoding="utf-8", errors="replace"), "the log")


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_every_line_that_begins_an_event_has_a_word_that_is_looked_for(path: Path) -> None:
    for number, raw in enumerate(found_in(path), 1):
        line = log_lines.read_line(number, raw)
        if line is not None and any(module.begin(line) for module in log_events.MODULES):
            assert any(needle in raw for needle in log_events.NEEDLES), raw


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_lines_of_common_forms_are_counted_as_reading_them_would(path: Path) -> None:
    quick = log_scan.of_text(found_in(path))
    read = (log_lines.read_line(number, raw) for number, raw in enumerate(found_in(path), 1))
    slow = log_scan.of_lines(line for line in read if line is not None)
    for name in ("messages", "kernel_messages", "names_sources", "first", "last"):
        assert getattr(quick, name) == getattr(slow, name), name


@pytest.mark.parametrize("form", FORMS)
def test_an_event_is_seen_among_lines_that_say_nothing(form: str) -> None:
    line = FORMS[form]
    quiet = line.replace(XID, "usb 1-2: Product: hub")
    log = kernel_log.parse("\n".join([quiet, quiet, line, quiet]))
    assert [(xid.code, xid.at.line) for xid in log.xids] == [(79, 3)]
