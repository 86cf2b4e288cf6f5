"""Allure results that say what the record says, one file per test.

allure-pytest writes a container per fixture and parameter: 28,802 files for 5,760 tests. Set-up of
fixtures says nothing about hardware, so the fixture hooks are left away.
"""

from __future__ import annotations

import html
from collections.abc import Generator
from pathlib import Path

import allure
import allure_pytest.plugin
import pytest
from allure_pytest.listener import AllureListener

from fixtures.model.inventory import Inventory
from fixtures.model.measurement import Measurement
from plugins.inventory import gate_of
from plugins.measurements import TAKEN
from plugins.session import INVENTORY, SESSION, is_suite

LINES = 40
"""Measurements that a test's description shows."""


class LeanListener(AllureListener):  # type: ignore[misc]
    """allure-pytest's listener without the hooks that report fixtures."""

    pytest_fixture_setup = None
    pytest_fixture_post_finalizer = None

    def _update_fixtures_children(self, item: pytest.Item) -> None:
        """Fixtures are not reported."""


def pytest_configure(config: pytest.Config) -> None:
    """Before allure-pytest makes its listener: let it make ours (it offers no option for it)."""
    allure_pytest.plugin.AllureListener = LeanListener


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """What was measured, against which limit, and where the raw output is: in the description, so
    that it costs no file of its own."""
    taken = item.stash.get(TAKEN, [])
    if taken:
        lines = [_line(measurement) for measurement in taken[:LINES]]
        more = [f"and {len(taken) - LINES} more in record.jsonl"] if len(taken) > LINES else []
        allure.dynamic.description("\n".join([*lines, *more]))  # type: ignore[no-untyped-call]


def write_environment(folder: Path, inventory: str, outcome: str, simulated: bool) -> None:
    """What Allure shows beside every report: which rack, and what the run said."""
    shown = f"{outcome}{' (SIMULATED)' if simulated else ''}"
    text = f"inventory={inventory}\noutcome={shown}\n"
    (folder / "environment.properties").write_text(text, encoding="utf-8")


def _line(taken: Measurement) -> str:
    limit, source = taken.limit, ""
    if limit:
        mark = ", provisional" if limit.provisional else ""
        source = f" [{limit.kind}{mark}: {limit.source}]"
    seen = f" evidence {', '.join(taken.evidence)}" if taken.evidence else ""
    # Allure renders this as Markdown, and a host may have written part of it.
    return f"- {html.escape(f'{taken.verdict} {taken.line()}{source}{seen}').replace('`', chr(39))}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    if is_suite(item) and SESSION in item.config.stash:
        name = suite_name(item.config.stash[INVENTORY])
        allure.dynamic.parent_suite(name)  # type: ignore[no-untyped-call]
        allure.dynamic.suite(gate_of(item))  # type: ignore[no-untyped-call]
    return (yield)


def suite_name(inventory: Inventory) -> str:
    """What all results of a run are filed under."""
    return f"{inventory.name}{' (SIMULATED)' if inventory.lab else ''}"
