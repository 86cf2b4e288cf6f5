"""The small parts: the cap on handshakes, one attempt for all, the watchdog, the pool."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from fixtures.model.errors import DeadlineError, RackError, TransportError
from fixtures.transport.limiter import HandshakeLimiter, SingleFlight
from fixtures.transport.pool import collect
from fixtures.transport.watchdog import Watchdog


def test_limiter_caps_each_server_for_itself() -> None:
    limiter = HandshakeLimiter(1)
    with limiter.slot("a:22", 1), limiter.slot("b:22", 1):
        late = limiter.slot("a:22", 0.05)
        with pytest.raises(DeadlineError, match="a:22: 1 other handshakes"):
            late.__enter__()
    with limiter.slot("a:22", 0.05):
        pass


def test_limiter_lets_less_through_where_some_were_dropped() -> None:
    limiter = HandshakeLimiter(8)
    limiter.choke("a:22")
    limiter.choke("a:22")
    limiter.choke("a:22")
    with limiter.slot("a:22", 1), limiter.slot("a:22", 1):
        late = limiter.slot("a:22", 0)
        with pytest.raises(DeadlineError):
            late.__enter__()


def test_single_flight_shares_one_attempt_and_its_error() -> None:
    flight: SingleFlight[int] = SingleFlight()
    tries: list[int] = []

    def attempt() -> int:
        tries.append(1)
        time.sleep(0.2)
        raise TransportError("mute")

    def ask() -> str:
        try:
            flight.do(attempt)
        except TransportError as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(8) as pool:
        said = [future.result() for future in [pool.submit(ask) for _ in range(8)]]
    assert said == ["mute"] * 8
    assert len(tries) == 1
    assert flight.do(lambda: 5) == 5


def test_watchdog_acts_on_what_is_late_and_only_on_that() -> None:
    watchdog = Watchdog(idle_s=0.05)
    acted: list[str] = []
    late = threading.Event()

    def act() -> None:
        acted.append("late")
        late.set()

    with watchdog.guard(60, lambda: acted.append("long")):
        with watchdog.guard(0.2, lambda: acted.append("quick")):
            pass
        with watchdog.guard(0.05, act):
            assert late.wait(2)
    time.sleep(0.3)
    assert acted == ["late"]
    late.clear()
    with watchdog.guard(0.02, act):
        assert late.wait(2)


def test_collect_gives_results_and_errors_in_order() -> None:
    def ask(host: str) -> int:
        if host == "h2":
            raise TransportError("h2: refused")
        time.sleep(0.1)
        return int(host[1:])

    began = time.monotonic()
    found = collect([f"h{n}" for n in range(216)], ask)
    assert time.monotonic() - began < 2
    assert list(found) == [f"h{n}" for n in range(216)]
    assert isinstance(found["h2"], RackError)
    assert [found["h0"], found["h215"]] == [0, 215]
    assert collect([], ask) == {}


def test_collect_does_not_hide_our_own_bugs() -> None:
    with pytest.raises(ZeroDivisionError):
        collect(["h1"], lambda host: 1 // 0)
