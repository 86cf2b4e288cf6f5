"""Nothing that a host printed moves a cursor, clears a screen or turns a line round."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fixtures.model.measurement import Measurement
from fixtures.model.text import printable
from fixtures.model.verdicts import Verdict


@given(st.text())
def test_what_is_shown_is_printable(text: str) -> None:
    assert all(c.isprintable() or c == "\n" for c in printable(text))
    assert len(printable(text)) == len(text)


def test_a_hosts_escape_sequence_stays_text_in_a_message() -> None:
    taken = Measurement(
        test="", gate="identity", subject="r01-ct01", metric="identity.kernel",
        value="6.8\x1b[2J\x1b[1;32mACCEPTED\u202e", unit="version", verdict=Verdict.FAIL,
    )  # fmt: skip
    assert "\x1b" not in taken.line()
    assert "\u202e" not in taken.line()
    assert "ACCEPTED" in taken.line()
