"""What a test may do to the hardware: look, load, or break and restore.

The allowed effect is the lower of the inventory's policy and `--max-effect`. A test above it is not
run, its rows stay open as `forbidden`, and the run is INCOMPLETE: the manifest is never shrunk.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

from fixtures.model.errors import Forbidden
from plugins.session import INVENTORY, is_suite

EFFECTS = ("observe", "load", "disrupt")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("rackgate").addoption(
        "--max-effect",
        choices=EFFECTS,
        help="what tests may do to the hardware; lower than the inventory's policy, never higher",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Every suite test carries its effect as a marker, so that `-m load` selects by it."""
    for item in items:
        if is_suite(item) and not any(item.get_closest_marker(effect) for effect in EFFECTS):
            item.add_marker("observe")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    """Before anything else is asked: what is forbidden is that, whatever it also depends on."""
    if is_suite(item) and INVENTORY in item.config.stash:
        refuse_above_policy(item)
    return (yield)


def effect_of(item: pytest.Item) -> str:
    return next((e for e in reversed(EFFECTS) if item.get_closest_marker(e)), "observe")


def allowed_effect(config: pytest.Config) -> str:
    """The lower of the policy's effect and the command line's."""
    policy = config.stash[INVENTORY].policy.max_effect
    asked = config.getoption("--max-effect") or policy
    return min(policy, asked, key=EFFECTS.index)


def refuse_above_policy(item: pytest.Item) -> None:
    effect, allowed = effect_of(item), allowed_effect(item.config)
    if EFFECTS.index(effect) > EFFECTS.index(allowed):
        inventory = item.config.stash[INVENTORY]
        raise Forbidden(
            f"{item.nodeid}: its effect is {effect}, but only {allowed} is allowed "
            f"(policy.max_effect of {inventory.name} is {inventory.policy.max_effect}, "
            f"--max-effect is {item.config.getoption('--max-effect') or 'not given'})"
        )
