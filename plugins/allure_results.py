"""Allure results that say what the record says, one file per test.

allure-pytest writes a container per fixture and parameter: 28,802 files for 5,760 tests. Set-up of
fixtures says nothing about hardware, so the fixture hooks are left away.
"""

from __future__ import annotations

from collections.abc import Generator

import allure
import allure_commons
import pytest
from allure_pytest.listener import AllureListener

from plugins.inventory import gate_of
from plugins.session import INVENTORY, SESSION, is_suite

NAME = "allure_listener"


class LeanListener(AllureListener):  # type: ignore[misc]
    """allure-pytest's listener without the hooks that report fixtures."""

    pytest_fixture_setup = None
    pytest_fixture_post_finalizer = None

    def _update_fixtures_children(self, item: pytest.Item) -> None:
        """Fixtures are not reported."""


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    plain = config.pluginmanager.get_plugin(NAME)
    if plain is None or SESSION not in config.stash:
        return
    config.pluginmanager.unregister(plain)
    allure_commons.plugin_manager.unregister(plain)
    lean = LeanListener(config)
    config.pluginmanager.register(lean, NAME)
    allure_commons.plugin_manager.register(lean)
    config.add_cleanup(lambda: allure_commons.plugin_manager.unregister(lean))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    if is_suite(item) and SESSION in item.config.stash:
        inventory = item.config.stash[INVENTORY]
        allure.dynamic.parent_suite(f"{inventory.name}{' (SIMULATED)' if inventory.lab else ''}")
        allure.dynamic.suite(gate_of(item))
    return (yield)
