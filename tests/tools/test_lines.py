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
    ("prefix", "source"),
    [
        ("0: ", "0:"),
        ("17: ", "17:"),
        ("  7: ", "7:"),
        ("[1,0]<stdout>:", "[1,0]<stdout>:"),
        ("   [1,12]<stderr>: ", "[1,12]<stderr>:"),
        ("[prterun-r03-ct07-4711@1,0]<stdout>: ", "[prterun-r03-ct07-4711@1,0]<stdout>:"),
        ("Tue Mar  3 04:05:06 2026[1,3]<stdout>:", "[1,3]<stdout>:"),
        ("[default7]:", "[default7]:"),
        ("[rank0]: ", "[rank0]:"),
        ("[pod/nccl-launcher-x7k2p/mpi-launcher] ", "[pod/nccl-launcher-x7k2p/mpi-launcher]"),
        ("x3006c0s13b1n0.hsn.cm.example.org 12: ", "x3006c0s13b1n0.hsn.cm.example.org 12:"),
    ],
)
def test_a_launcher_s_label_is_its_source(prefix: str, source: str) -> None:
    assert by_source([f"{prefix}# size", prefix, f"{prefix}8"]) == {source: ["# size", "", "8"]}


def test_labels_are_padded_to_the_longest() -> None:
    assert by_source([" 8: a", " 9: b", "10: c"]) == {"8:": ["a"], "9:": ["b"], "10:": ["c"]}


@pytest.mark.parametrize(
    "line", ["GPU 0: NVIDIA", "Port 1:", "[1]  x", "[  12.3] x", "host: x", "       1: x", "a/0 x"]
)
def test_what_tools_print_themselves_is_no_label(line: str) -> None:
    assert by_source([line]) == {"": [line]}


def test_a_labelled_blank_line_belongs_to_its_source() -> None:
    assert by_source(["0: a", "0:", "0: ", "1: b"]) == {"0:": ["a", "", ""], "1:": ["b"]}


def test_what_has_no_label_has_no_source() -> None:
    assert by_source(["a", "12:30:01 b", "0: c"]) == {"": ["a", "12:30:01 b"], "0:": ["c"]}
