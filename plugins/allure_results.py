"""Allure results that say what the record says, one file per test.

allure-pytest writes a container per fixture and parameter: 28,802 files for 5,760 tests. Set-up of
fixtures says nothing about hardware, so the fixture hooks are left away.
"""

from __future__ import annotations

from collections.abc import Generator

import allure
import allure_pytest.plugin
import pytest
from allure_pytest.listener import AllureListener

from plugins.inventory import gate_of
from plugins.session import INVENTORY, SESSION, is_suite


class LeanListener(AllureListener):  # type: ignore[misc]
    """allure-pytest's listener without the hooks that report fixtures."""

    pytest_fixture_setup = None
    pytest_fixture_post_finalizer = None

    def _update_fixtures_children(self, item: pytest.Item) -> None:
        """Fixtures are not reported."""


def pytest_configure(config: pytest.Config) -> None:
    """Before allure-pytest makes its listener: let it make ours (it offers no option for it)."""
    allure_pytest.plugin.AllureListener = LeanListener


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    if is_suite(item) and SESSION in item.config.stash:
        inventory = item.config.stash[INVENTORY]
        allure.dynamic.parent_suite(  # type: ignore[no-untyped-call]
            f"{inventory.name}{' (SIMULATED)' if inventory.lab else ''}"
        )
        allure.dynamic.suite(gate_of(item))  # type: ignore[no-untyped-call]
    return (yield)
