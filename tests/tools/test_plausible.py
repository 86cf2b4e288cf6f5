"""What cannot be true is refused, and what is not known is None."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fixtures.model.errors import Implausible, Unreadable
from fixtures.tools import plausible
from fixtures.tools.addresses import guid, pci_address


@pytest.mark.parametrize(
    "text", ["N/A", "[N/A]", " ", "-", "<Unknown Error>", "GPU is lost", "N/A (no PMA)", None]
)
def test_sentinels_are_unknown(text: str | None) -> None:
    assert plausible.known(text) is None


def test_values_are_known() -> None:
    assert plausible.known(" 0 ") == "0"
    assert plausible.known("None") == "None"


@pytest.mark.parametrize(
    "refused",
    [
        lambda: plausible.number("nan", "x"),
        lambda: plausible.number("-inf", "x"),
        lambda: plausible.rate(0.0, "x"),
        lambda: plausible.rate(-1.0, "x"),
        lambda: plausible.whole("9223372036854775794", "x"),
        lambda: plausible.whole("18446744073709551615", "x"),
        lambda: plausible.whole("2147483632", "x"),
        lambda: plausible.count("-1", "x"),
        lambda: plausible.ordered([("min", 2.0), ("p99", 1.9)], "x"),
        lambda: plausible.adds_up(10.0, 9.0, 0.5, "x"),
        lambda: plausible.enough_iterations(4999, 5000, "x"),
        lambda: plausible.enough_iterations(0, None, "x"),
        lambda: plausible.json_value('{"a": NaN}', "x"),
        lambda: plausible.json_value('{"a": 1e999}', "x"),
    ],
)
def test_implausible_values_are_refused(refused: Callable[[], object]) -> None:
    with pytest.raises(Implausible):
        refused()


@pytest.mark.parametrize("text", ["", "1_000", "٣", "0x10", "1,5", "1" * 50, "12 W"])
def test_what_is_no_integer_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        plausible.whole(text, "x")


@pytest.mark.parametrize("text", ["{,}", "{} {}", "[" * 100_000, "", '[{"a": 1, "a": 2}]'])
def test_what_is_no_json_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        plausible.json_value(text, "x")


def test_absurd_sizes_are_refused() -> None:
    with pytest.raises(Unreadable, match="at most"):
        plausible.bounded("x" * (plausible.MAX_TEXT_BYTES + 1), "x")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("00000008:01:00.0", "0008:01:00.0"),
        ("0000:0A:00.0", "0000:0a:00.0"),
        ("00010000:C1:00.0", "10000:c1:00.0"),
        ("0009:01:00", "0009:01:00.0"),
    ],
)
def test_pci_addresses_have_one_form(text: str, address: str) -> None:
    assert pci_address(text) == address


@pytest.mark.parametrize("text", ["", "0x0f", "0000:1b:00.9", "gpu0", "1b:00.0:2"])
def test_what_is_no_pci_address_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        pci_address(text)


def test_guids_have_one_form() -> None:
    assert guid("0xC470bd0300cf4964") == guid("c470:bd03:00cf:4964") == "c470bd0300cf4964"
    assert guid("0000:0000:0000:0000") is None
    with pytest.raises(Unreadable):
        guid("c470:bd03")
