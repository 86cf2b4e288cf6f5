"""A GPU that is sampled under load: best and worst of it, and what it counted meanwhile."""

from __future__ import annotations

import pytest

from fixtures.model.errors import CounterReset, Implausible, ToolFailed, Unreadable
from fixtures.tools.gpus.gpu_samples import parse
from fixtures.tools.gpus.gpu_watch import Watched

PCI = "0008:01:00.0"
IDLE = "00000008:01:00.0, 1, 16, 120 MHz, 2062 MHz, 58, 165.90 W, 1200.00 W, 0x0000000000000001"
BUSY = "00000008:01:00.0, 5, 16, 2055 MHz, 2062 MHz, 34, 961.20 W, 1200.00 W, 0x0000000000000000"


def watched(*lines: str, corrected: tuple[str, ...] = ("0",) * 9) -> Watched:
    text = "".join(f"{line}, {count}, 0\n" for line, count in zip(lines, corrected, strict=False))
    return parse(text)[PCI]


def masked(*masks: int, draw: str = "961.20") -> Watched:
    busy = BUSY.rpartition(",")[0].replace("961.20", draw)
    return watched(*(f"{busy}, 0x{mask:016x}" for mask in masks))


def test_a_healthy_gpu_under_load() -> None:
    seen = watched(IDLE, BUSY, IDLE)
    assert (seen.generation, seen.width, len(seen.samples)) == (5, 16, 3)
    assert (seen.clock_pct, seen.margin_c, seen.limit_w) == (99.7, 34, 1200)
    assert (seen.braked_pct, seen.heat_spells, seen.capped_power_pct) == (0, 0, 100)
    assert (seen.corrected, seen.uncorrected) == (0, 0)


@pytest.mark.parametrize(
    "seen",
    ["generation", "width", "limit_w", "clock_pct", "margin_c", "braked_pct", "heat_spells",
     "capped_power_pct", "corrected", "uncorrected"],
)  # fmt: skip
def test_idle_samples_alone_say_nothing_of_a_load(seen: str) -> None:
    with pytest.raises(Implausible, match="idle in all 2 samples"):
        getattr(watched(IDLE, IDLE), seen)


def test_idle_samples_are_no_part_of_a_load() -> None:
    cool = IDLE.replace(", 58,", ", 3,")
    assert watched(cool, BUSY, cool).margin_c == 34
    assert masked(0x1, 0x88, 0x1).braked_pct == 100


@pytest.mark.parametrize("mask", [0x80, 0x88, 0x8, 0x81])
def test_a_brake_is_told_from_heat(mask: int) -> None:
    assert masked(mask, mask, 0, 0).braked_pct == 50
    assert masked(mask, mask).heat_spells == 0
    assert (masked(0x48).braked_pct, masked(0x48).heat_spells) == (0, 1)


def test_spells_of_heat_are_counted_and_not_samples() -> None:
    assert masked(0x48, 0x48, 0, 0x48, 0).heat_spells == 2


def test_a_cap_counts_by_the_power_that_it_leaves() -> None:
    assert masked(0, 0x4, draw="1197.00").capped_power_pct == 99.8
    assert masked(0, 0x4, draw="528.00").capped_power_pct == 44
    assert masked(0, 0, draw="528.00").capped_power_pct == 100


def test_a_margin_that_is_used_up_is_negative() -> None:
    assert watched(BUSY, BUSY.replace(", 34,", ", -2,")).margin_c == -2


def test_errors_are_those_of_the_window() -> None:
    seen = watched(IDLE, BUSY, BUSY, corrected=("412", "5059", "22716"))
    assert seen.corrected == 22304
    with pytest.raises(CounterReset, match="412 to 7"):
        assert watched(IDLE, BUSY, corrected=("412", "7")).corrected


def test_what_the_driver_does_not_say_is_unknown() -> None:
    pci = IDLE.partition(",")[0]
    blank = parse(f"{pci}, 5, 16, [N/A], 2062 MHz, [N/A], [N/A], [N/A], [N/A], [N/A], [N/A]\n")[PCI]
    assert (blank.clock_pct, blank.margin_c, blank.limit_w) == (None, None, None)
    assert (blank.braked_pct, blank.heat_spells, blank.capped_power_pct) == (None, None, None)
    assert (blank.corrected, blank.uncorrected) == (None, None)


def test_a_line_that_was_cut_and_a_lost_gpu_are_passed_over() -> None:
    lost = "00000009:01:00.0, " + ", ".join(["[GPU is lost]"] * 10)
    found = parse(f"{IDLE}, 0, 0\n{lost}\n{BUSY}, 0, 0\n{BUSY[:60]}")
    assert list(found) == [PCI]
    assert len(found[PCI].samples) == 2


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("", Unreadable, "expected lines of pci.bus_id"),
        ('Field "clocks_event_reasons.active" is not a valid field to query.', ToolFailed, "535"),
        (f"{BUSY.replace('2055 MHz', '2055 W')}, 0, 0", Unreadable, "clocks.sm: expected a number"),
        (f"{BUSY}, many, 0", Unreadable, "ecc.errors.corrected"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said(text: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        parse(text)
