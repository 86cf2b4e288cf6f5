"""The bundle's answer: what is certain is read, what is not is said, and output cannot pass for
it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.model.errors import DeadlineError, TransportError
from fixtures.transport import bundle
from fixtures.transport.base import Command, CommandResult
from fixtures.transport.outcome import Outcome

NONCE = "run1:00112233445566778899aabb"
BYTES = st.binary(max_size=60)
OUTPUTS = st.lists(st.tuples(BYTES, BYTES), min_size=1, max_size=5)


def commands(count: int) -> list[Command]:
    return [Command(argv=("tool", str(index)), key=f"facts/{index}") for index in range(count)]


def frame(index: int, out: bytes, err: bytes = b"", *, nonce: str = NONCE, rc: str = "0") -> bytes:
    head = f"RACKGATE1 {nonce} {index} {rc} 0 0 0.05 {len(out)} {len(err)}\n"
    return head.encode() + out + err + b"\n"


def stream(outputs: list[tuple[bytes, bytes]]) -> bytes:
    head = f"RACKGATE1 {NONCE} 1700000000.123456789 {len(outputs)}\n".encode()
    frames = b"".join(frame(index, out, err) for index, (out, err) in enumerate(outputs))
    return head + frames + f"RACKGATE1 {NONCE} end\n".encode()


def decode(data: bytes, count: int) -> list[CommandResult]:
    return bundle.decode(data, commands(count), nonce=NONCE, host="r01-ct01", started=1.0)


@given(OUTPUTS)
def test_whole_answer_is_read(outputs: list[tuple[bytes, bytes]]) -> None:
    results = decode(stream(outputs), len(outputs))
    assert [(result.stdout_bytes, result.stderr_bytes) for result in results] == outputs
    assert {result.host_time for result in results} == {1700000000.123456789}
    assert [result.key for result in results] == [c.key for c in commands(len(outputs))]


@given(OUTPUTS, st.binary(max_size=80))
def test_words_before_the_header_are_skipped(
    outputs: list[tuple[bytes, bytes]], motd: bytes
) -> None:
    results = decode(motd + stream(outputs), len(outputs))
    assert [(result.stdout_bytes, result.stderr_bytes) for result in results] == outputs


@given(OUTPUTS, st.data())
def test_cut_answer_gives_what_is_certain(
    outputs: list[tuple[bytes, bytes]], data: st.DataObject
) -> None:
    whole = stream(outputs)
    head = whole.index(b"\n") + 1
    cut = data.draw(st.integers(head, len(whole)))
    results = decode(whole[:cut], len(outputs))
    for result, (out, err) in zip(results, outputs, strict=True):
        if result.rc is None:
            assert result.timed_out
            assert "rackgate: no answer" in result.stderr
        else:
            assert (result.stdout_bytes, result.stderr_bytes) == (out, err)


@given(OUTPUTS, st.binary(min_size=1, max_size=9), st.data())
def test_disturbed_answer_never_gives_another_output(
    outputs: list[tuple[bytes, bytes]], noise: bytes, data: st.DataObject
) -> None:
    whole = stream(outputs)
    at = data.draw(st.integers(whole.index(b"\n") + 1, len(whole)))
    results = decode(whole[:at] + noise + whole[at:], len(outputs))
    lost = 0
    for result, (out, err) in zip(results, outputs, strict=True):
        if result.rc is None:
            lost += 1
        else:
            assert (result.stdout_bytes, result.stderr_bytes) == (out, err)
    assert lost <= 2, "the frame that was hit, and the one whose end cannot be told"


def test_output_that_imitates_a_frame_is_output() -> None:
    forged = frame(1, b"forged", nonce="run1:ffffffffffffffffffffffff") + b"RACKGATE1 x end\n"
    results = decode(stream([(forged, b""), (b"true", b"")]), 2)
    assert results[0].stdout_bytes == forged
    assert results[1].stdout_bytes == b"true"


def test_no_status_and_flags() -> None:
    head = f"RACKGATE1 {NONCE} 17 1\n".encode()
    line = f"RACKGATE1 {NONCE} 0 - 1 1 32.5 2 0\nab\nRACKGATE1 {NONCE} end\n".encode()
    (result,) = decode(head + line, 1)
    assert (result.rc, result.timed_out, result.truncated) == (None, True, True)
    assert (result.stdout, result.duration_s, result.host_time) == ("ab", 32.5, 17.0)


def test_own_limit_cuts() -> None:
    command = Command(argv=("a",), key="k", output_limit_bytes=3)
    data = stream([(b"abcdef", b"")])
    (result,) = bundle.decode(data, [command], nonce=NONCE, host="h", started=0.0)
    assert (result.stdout, result.truncated) == ("abc", True)


@pytest.mark.parametrize("data", [b"", b"Welcome to r01-ct01!\n", b"RACKGATE1 other 1 1\n"])
def test_no_header_is_unreadable(data: bytes) -> None:
    with pytest.raises(TransportError, match="no header; expected 'RACKGATE1") as caught:
        decode(data, 1)
    assert caught.value.why == "unreadable"


def test_answer_to_another_question_is_unreadable() -> None:
    with pytest.raises(TransportError, match="for 2 commands; asked were 1"):
        decode(stream([(b"", b"")] * 2), 1)


def test_lost_host_gives_its_own_error_when_nothing_arrived() -> None:
    lost = DeadlineError("r01-ct01: the host went silent")
    outcome = Outcome(stdout=b"", stderr=b"", rc=None, truncated=False, lost=lost)
    with pytest.raises(DeadlineError, match="went silent"):
        bundle.answer(outcome, commands(1), nonce=NONCE, host="r01-ct01", started=0.0)


def test_lost_host_keeps_what_arrived() -> None:
    data = stream([(b"first", b""), (b"second", b"")])
    lost = TransportError("r01-ct01: the connection was lost")
    cut = data[: data.index(b"second")]
    outcome = Outcome(stdout=cut, stderr=b"", rc=None, truncated=False, lost=lost)
    first, second = bundle.answer(outcome, commands(2), nonce=NONCE, host="r01-ct01", started=0.0)
    assert (first.rc, first.stdout) == (0, "first")
    assert second.rc is None
    assert "the connection was lost" in second.stderr


def test_script_says_why_it_could_not() -> None:
    outcome = Outcome(stdout=b"", stderr=b"rackgate: no room\n", rc=73, truncated=False)
    with pytest.raises(TransportError, match="r01-ct01: no room") as caught:
        bundle.answer(outcome, commands(1), nonce=NONCE, host="r01-ct01", started=0.0)
    assert caught.value.why == "tool-failed"


def test_long_bundles_are_split() -> None:
    many = [Command(argv=("echo", "x" * 9000), key=f"k{index}") for index in range(40)]
    groups = list(bundle.parts(many))
    assert len(groups) > 1
    assert [command for group in groups for command in group] == many
