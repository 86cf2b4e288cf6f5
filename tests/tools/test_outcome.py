"""How a command ended is judged before its output is read."""

from __future__ import annotations

import pytest

from fixtures.model.errors import DeadlineError, Implausible, ToolFailed, ToolMissing, Unreadable
from fixtures.tools import outcome
from fixtures.tools.gpus import nvidia_smi
from tests.tools.captures import ended


def test_output_is_given_after_a_good_end() -> None:
    assert outcome.output(ended("text")) == "text"
    assert outcome.output(ended("text", rc=1), ok=(0, 1)) == "text"


def test_a_missing_program_is_tool_missing() -> None:
    with pytest.raises(ToolMissing, match=r"r03-ct07: some-tool -x.*ibstat: not found") as caught:
        outcome.output(ended(rc=127, stderr="sh: ibstat: not found"))
    assert caught.value.why == "tool-missing"


def test_a_command_past_its_deadline_is_a_timeout() -> None:
    with pytest.raises(DeadlineError) as caught:
        outcome.output(ended("half", rc=124, timed_out=True))
    assert caught.value.why == "timeout"


@pytest.mark.parametrize("rc", [1, 126, 255, None])
def test_any_other_status_is_tool_failed_with_its_words(rc: int | None) -> None:
    with pytest.raises(ToolFailed, match="something broke"):
        outcome.output(ended(rc=rc, stderr="\n  something broke\nand more"))


def test_cut_output_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="cut at 4 bytes"):
        outcome.output(ended("text", truncated=True))


def test_a_failure_text_counts_whatever_the_status() -> None:
    with pytest.raises(ToolFailed, match="mismatch"):
        outcome.output(ended("NVML: Driver/library version mismatch"), failures=nvidia_smi.FAILURES)


def test_a_reader_error_keeps_its_kind_and_names_the_host() -> None:
    with (
        pytest.raises(Implausible, match=r"^r03-ct07: some-tool -x: it cannot be$") as caught,
        outcome.reading(ended()),
    ):
        raise Implausible("it cannot be")
    assert caught.value.why == "implausible"
