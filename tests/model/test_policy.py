"""How much may be loaded at once."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.model.errors import Forbidden
from fixtures.model.inventory import Inventory
from fixtures.model.loading import load_inventory
from fixtures.model.policy import batches, loadable_at_once, refuse_too_many

SHIPPED = Path(__file__).parents[2] / "inventories"
RACK7 = load_inventory("rack7", SHIPPED)
HOSTS = [tray.name for tray in RACK7.trays]


def with_policy(cap: int | None, whole: bool) -> Inventory:
    changed = {"max_loaded_hosts": cap, "whole_domain_load": whole}
    return replace(RACK7, policy=RACK7.policy.model_copy(update=changed))


def test_a_whole_domain_needs_the_policys_word() -> None:
    assert loadable_at_once(with_policy(None, whole=True)) == 18
    assert loadable_at_once(with_policy(None, whole=False)) == 17
    with pytest.raises(Forbidden, match=r"18 hosts, but the policy allows 17 .*rack7\.yaml"):
        refuse_too_many(with_policy(None, whole=False), HOSTS)
    refuse_too_many(with_policy(None, whole=True), HOSTS)


@given(st.integers(2, 18), st.lists(st.sampled_from(list(pairwise(HOSTS))), max_size=40))
def test_batches_keep_the_cap_and_every_thing(cap: int, pairs: list[tuple[str, str]]) -> None:
    made = batches(with_policy(cap, whole=True), pairs, lambda pair: pair)
    assert [pair for batch in made for pair in batch] == pairs
    assert all(len({host for pair in batch for host in pair}) <= cap for batch in made)
