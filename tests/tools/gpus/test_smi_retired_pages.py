"""`nvidia-smi --query-retired-pages` lists pages, and rows without an address are none."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.gpus import smi_retired_pages
from fixtures.tools.gpus.smi_retired_pages import Page, RetiredPageList
from tests.tools.captures import capture, ended

HEALTHY = capture("nvidia-smi-retired-pages", "healthy.csv")


def test_rows_without_an_address_are_no_pages() -> None:
    found = smi_retired_pages.read(ended(HEALTHY))
    assert found == RetiredPageList(gpus=("0000:1b:00.0",), pages=())


def test_a_header_alone_is_no_page() -> None:
    header = HEALTHY.split("\n", maxsplit=1)[0]
    assert smi_retired_pages.parse(header).pages == ()


def test_a_page_is_read() -> None:
    found = smi_retired_pages.parse(capture("nvidia-smi-retired-pages", "degraded.csv"))
    assert found.gpus == ("0000:1b:00.0", "0000:c3:00.0")
    assert found.pages == (
        Page(
            address=0xC0FFE,
            cause="Double Bit ECC",
            gpu="0000:1b:00.0",
            gpu_uuid="GPU-7b300000-1234-4abc-8def-000000000000",
            retired_at="2026/10/30 05:06:07",
        ),
    )


@pytest.mark.parametrize("word", ["[GPU is lost]", "[Unknown Error]"])
def test_pages_that_the_driver_could_not_read_are_not_none(word: str) -> None:
    with pytest.raises(Unreadable, match="could not read the retired pages"):
        smi_retired_pages.parse(HEALTHY.replace("[N/A]", word, 1))


def test_no_device_is_tool_failed() -> None:
    with pytest.raises(ToolFailed, match="No devices"):
        smi_retired_pages.read(ended(capture("nvidia-smi-retired-pages", "failed.txt")))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "index, name\n0, NVIDIA B300\n",
        HEALTHY.replace("[N/A]", "somewhere", 1),
        HEALTHY.replace("[N/A]", "000c0ffe", 1),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        smi_retired_pages.parse(text)
