"""Bit error rates: the coefficient and the magnitude as a number, and no rate above 1."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Implausible, Unreadable
from fixtures.tools.bit_error_rate import NO_ERRORS_SEEN, bit_error_rate


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("15E-255", NO_ERRORS_SEEN),
        ("15e-255", NO_ERRORS_SEEN),
        ("2E-9", 2e-9),
        ("1.5E-254", NO_ERRORS_SEEN),
        ("0", 0.0),
        ("1", 1.0),
        ("N/A", None),
        ("", None),
        (None, None),
    ],
)
def test_a_rate_is_the_number_that_is_printed(text: str | None, rate: float | None) -> None:
    assert bit_error_rate(text, "acp7") == rate


@pytest.mark.parametrize("text", ["2E+1", "15E255", "-1E-7", "nan", "inf"])
def test_no_link_loses_more_than_every_bit(text: str) -> None:
    with pytest.raises(Implausible, match="acp7"):
        bit_error_rate(text, "acp7")


@pytest.mark.parametrize("text", ["low", "2E-", "0x2", "1 E-7", "\u0665E-7"])
def test_what_is_no_rate_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable, match="expected a rate like 5E-8"):
        bit_error_rate(text, "acp7")
