"""A subnet is read from one host, which is to blame alone where it does not answer."""

from __future__ import annotations

import pytest

from fixtures.fabric import blamed_on, observer_of
from fixtures.model.errors import Blocked, Busy, DeadlineError, TransportError
from fixtures.tools.binding.facts import Facts
from tests.areas.answers import shipped

RACK = shipped("rack7")


def test_an_observer_that_does_not_answer_is_what_blocks_its_links() -> None:
    gone = {name: {"error": TransportError(f"{name}: no route")} for name in RACK.hosts}
    with pytest.raises(Blocked) as caught:
        observer_of(RACK, Facts(RACK, gone))  # type: ignore[arg-type]
    assert caught.value.why == "blocked-by:reach.ssh@r01-ct01"


def test_other_trouble_of_an_observer_stays_what_it_is() -> None:
    late, busy = DeadlineError("late"), Busy("r01-ct01: in use")
    assert blamed_on("r01-ct01", late).why == "blocked-by:reach.ssh@r01-ct01"
    assert blamed_on("r01-ct01", busy) is busy
