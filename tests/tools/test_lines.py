"""Lines come without what terminals, launchers and line ends put around them."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.lines import MAX_LINE, by_source, lines


def test_escapes_marks_and_carriage_returns_are_taken_off() -> None:
    text = "\ufeff\x1b[4mGPU0\x1b[0m\tX\r\n\x1b]0;title\x07done 10 %\rdone 20 %"
    assert lines(text, "t") == ["GPU0\tX", "done 10 %", "done 20 %"]


def test_only_line_feeds_and_carriage_returns_end_a_line() -> None:
    assert lines("a\x0bb\x1cc\u2028d\x85e", "t") == ["a\x0bb\x1cc\u2028d\x85e"]


def test_an_endless_line_is_refused() -> None:
    with pytest.raises(Unreadable, match="a line of 1000001 characters"):
        lines("x" * (MAX_LINE + 1), "t")


@pytest.mark.parametrize(
    "prefix", ["0: ", "17: ", "[1,0]<stdout>:", "[1,12]<stderr>: ", "[default7]:", "[rank0]: "]
)
def test_a_launcher_s_label_is_its_source(prefix: str) -> None:
    assert by_source([f"{prefix}# size", prefix, f"{prefix}8"]) == {
        prefix.strip(): ["# size", "", "8"]
    }


def test_a_labelled_blank_line_belongs_to_its_source() -> None:
    assert by_source(["0: a", "0:", "0: ", "1: b"]) == {"0:": ["a", "", ""], "1:": ["b"]}


def test_what_has_no_label_has_no_source() -> None:
    assert by_source(["a", "12:30:01 b", "0: c"]) == {"": ["a", "12:30:01 b"], "0:": ["c"]}
