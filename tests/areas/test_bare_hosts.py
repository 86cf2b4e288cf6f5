"""Hosts without GPUs or NICs are not asked about them, and nothing breaks over it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.model.errors import RackError
from fixtures.tools.binding.facts import Facts
from tests.areas.answers import answer, facts, shipped


def test_a_host_without_slots_has_no_ports_and_no_gpus() -> None:
    bare = facts(replace(shipped("rack7").hosts["r01-ct01"], nics=(), gpus=()), {})
    assert (bare.ports, bare.gpus, bare.present) == ((), (), ())


def test_evidence_is_of_what_was_asked() -> None:
    bare = facts(shipped("rack7").hosts["r01-sw01"], {"clock": replace(answer(), evidence="e1")})
    assert bare.evidence("clock", "ib-sysfs") == ("e1",)


def test_a_fact_that_was_not_asked_says_so() -> None:
    bare = facts(shipped("rack7").hosts["r01-sw01"], {})
    with pytest.raises(RackError, match="r01-sw01: was not asked for facts/ib-sysfs") as caught:
        bare.result("ib-sysfs")
    assert caught.value.why == "not-run"


def test_readings_over_a_rack_pass_over_bare_hosts() -> None:
    rack = shipped("rack7")
    hosts = {name: replace(host, nics=(), gpus=()) for name, host in rack.hosts.items()}
    collected = Facts(replace(rack, hosts=hosts), {name: {} for name in hosts})
    assert collected.nics(lambda slot: slot.guid) == {}
    assert collected.gpus(lambda slot: slot.bound) == {}
