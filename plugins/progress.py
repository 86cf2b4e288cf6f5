"""One line on the terminal when something long begins, so that nobody wonders what it waits for."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from plugins.planning import LOADS
from plugins.session import SESSION

LINES = {"all_facts": "collecting the facts of every host"} | {
    name: f"loading: {what}" for name, (what, _) in LOADS.items()
}


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    config = request.config
    line = LINES.get(fixturedef.argname)
    if line and SESSION in config.stash and config.stash[SESSION].controller:
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        capture = config.pluginmanager.get_plugin("capturemanager")
        if reporter is not None and capture is not None:
            with capture.global_and_fixture_disabled():
                reporter.ensure_newline()
                reporter.write_line(f"  {line} …")
    return (yield)
