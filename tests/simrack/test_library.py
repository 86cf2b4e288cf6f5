"""The library is complete, fits the profiles, and every kind shows in what the suite reads."""

from __future__ import annotations

import json
import re

import pytest

from fixtures.model.loading import load_inventory
from fixtures.model.profile import load_profile
from fixtures.model.verdicts import Outcome
from lab.simrack.catalogue import as_json, as_text
from lab.simrack.faults import FAULTS, LIBRARY
from lab.simrack.faults.declare import Fault
from lab.simrack.places import fits, places
from lab.simrack.variants import VARIANTS
from tests.simrack.bench import INVENTORIES, bench, with_sudo
from tests.simrack.shows import SHOWS

RACK, HGX, ROCE = (bench(name).inventory for name in ("rack7", "hgx8", "roce4"))
SUDO, RACKS = with_sudo(RACK), load_inventory("rack42", INVENTORIES)
PROFILES = [
    load_profile(name, INVENTORIES / "profiles", link=link)
    for name, link in (
        ("gb200-nvl72", "ndr"), ("nvl576", "ndr"), ("hgx-h100", "ndr"), ("rdma-hosts", "roce")
    )
]  # fmt: skip
KNOWN = {name: metric.gate for profile in PROFILES for name, metric in profile.metrics.items()}
REQUIRED = {
    name: metric.gate
    for profile in PROFILES
    for name, metric in profile.metrics.items()
    if metric.required
}
"""Gate of every metric that one of the products is judged by."""


@pytest.mark.parametrize("kind", LIBRARY)
def test_a_kind_shows_and_is_not_there_without_it(kind: str) -> None:
    """The suite's own reader finds it in a tool's output, and not in that of a healthy rack."""
    rack = next(one for one in (RACK, HGX, ROCE, SUDO, RACKS) if fits(LIBRARY[kind], one))
    (part,) = places(LIBRARY[kind], rack, 1)
    sudo = rack is SUDO
    with_it, without = (bench(rack.name, *put, sudo=sudo) for put in ([f"{kind}@{part}"], []))
    at = part if "/" in part or not kind.startswith("perftest") else f"{part}/mlx5_1/1"
    assert SHOWS[kind](with_it, at)
    assert not SHOWS[kind](without, at)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.kind)
def test_a_declaration_fits_the_profile(fault: Fault) -> None:
    """Its metrics exist, are judged, and belong to the gates that it says."""
    sees = {metric for one in fault.sees for metric in one.split("|")}
    assert {*sees, *fault.also} <= set(KNOWN)
    assert sees & set(REQUIRED)
    assert set(fault.gates) == {KNOWN[metric] for metric in sees}
    assert fault.outcome in (Outcome.REJECTED, Outcome.INCOMPLETE)
    assert (fault.outcome is Outcome.INCOMPLETE) == bool(fault.reason)
    assert all(re.fullmatch(r"C\d{2,3}", case) for case in fault.cases)


def test_variants_are_accepted_and_kinds_are_single() -> None:
    assert {variant.outcome for variant in VARIANTS} == {Outcome.ACCEPTED}
    assert len(LIBRARY) == len(FAULTS) + len(VARIANTS)


def test_every_required_metric_has_a_fault() -> None:
    named = (metric for fault in FAULTS for metric in (*fault.sees, *fault.also))
    seen = {metric for one in named for metric in one.split("|")}
    assert not set(REQUIRED) - seen


def test_the_library_is_listed_for_people_and_programs() -> None:
    listed = json.loads(as_json())
    assert [one["kind"] for one in listed] == list(LIBRARY)
    assert "gpu.missing@GPU\n" in as_text()
    assert "clock.skew@HOST|RACK|INVENTORY:seconds=30\n" in as_text()


def test_places_are_the_same_and_apart() -> None:
    fault = LIBRARY["gpu.missing"]
    chosen = places(fault, RACK, 6)
    assert chosen == places(fault, RACK, 6)
    assert len({part.split("/")[0] for part in chosen}) == 6
