"""Errors of NVLinks over a window: what counts, what does not, and what cannot be said."""

from __future__ import annotations

from fixtures.model.errors import CounterReset, Unreadable
from fixtures.tools.binding.link_counters import Counters, Window, recoveries

GPU = "r03-ct07/gpu2"
STILL: Counters = {
    "rx_bytes": 1000,
    "rx_errors": 4,
    "malformed_packet_errors": 0,
    "link_recovery_successful_events": 2,
    "total_link_recovery_events": 2,
    "fec_errors_0": 123,
    "symbol_errors": 1,
    "symbol_ber": 1e-14,
}


def window(*after: Counters, before: Counters = STILL) -> Window:
    return Window(
        part=GPU, before={5: before, 7: STILL}, after=dict(zip((5, 7), after, strict=False))
    )


def test_old_errors_that_stand_still_are_no_errors_of_the_window() -> None:
    assert window(STILL, STILL).errors() == {GPU: 0}


def test_errors_are_the_gpus_and_those_of_the_link() -> None:
    moved = {**STILL, "rx_errors": 9, "link_recovery_successful_events": 5}
    assert window(moved, STILL).errors() == {GPU: 8, f"{GPU}/link5": 8}


def test_what_is_corrected_or_only_a_total_is_no_error() -> None:
    moved = {**STILL, "fec_errors_0": 999, "total_link_recovery_events": 8}
    assert window(moved, STILL).errors() == {GPU: 0}


def test_a_link_that_has_gone_is_an_error() -> None:
    assert window(STILL).errors() == {GPU: 1, f"{GPU}/link7": 1}


def test_a_counter_that_fell_says_nothing() -> None:
    (error,) = window({**STILL, "rx_errors": 1}, STILL).errors().values()
    assert isinstance(error, CounterReset)
    assert f"{GPU}/link5: rx_errors went from 4 back to 1" in str(error)


def test_links_without_a_known_counter_say_nothing() -> None:
    (error,) = Window(part=GPU, before={5: {"speed": 1}}, after={5: {"speed": 1}}).errors().values()
    assert isinstance(error, Unreadable)
    (error,) = Window(part=GPU, before={}, after={}).errors().values()
    assert isinstance(error, Unreadable)


def test_a_ratio_is_errors_by_received_bits_of_the_window() -> None:
    moved = {**STILL, "rx_bytes": 2000, "symbol_errors": 5}
    assert window(moved, STILL).ratios("symbol_errors") == {GPU: 0.0005, f"{GPU}/link5": 0.0005}


def test_links_that_count_no_such_thing_have_no_ratio() -> None:
    assert window({**STILL, "rx_bytes": 2000}, STILL).ratios("effective_errors") == {}


def test_links_that_received_nothing_say_so() -> None:
    for silent in (window(STILL, STILL), Window(part=GPU, before={}, after={})):
        (error,) = silent.ratios("symbol_errors").values()
        assert isinstance(error, Unreadable)
        assert "no NVLink received anything" in str(error)


def test_recoveries_are_those_of_both_generations() -> None:
    nvlink4: Counters = {"recovery_errors": 3, "crc_errors": 9}
    assert recoveries({0: nvlink4, 5: STILL}, GPU) == {f"{GPU}/link0": 3, f"{GPU}/link5": 2}
