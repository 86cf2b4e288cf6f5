"""A plugin for runs under test (`-p tests.plugins.sabotage`): quick, and breakable on purpose.

`RACKGATE_SABOTAGE=WHAT@TEXT` does something to the test whose node id contains TEXT:
`exit` ends its process as a crash would, `raise` lets it raise after all it measured.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from functools import partial

import pytest

from fixtures.tools.gpus import gpu_samples

SAMPLING_S = 1.5
"""The product samples for 20 s; a lab's copies take 0.9 s."""


def pytest_configure(config: pytest.Config) -> None:
    """Sample PCIe links for as long as a lab needs, not as long as hardware does."""
    gpu_samples.command = partial(gpu_samples.command, deadline_s=SAMPLING_S)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    what, _, text = os.environ.get("RACKGATE_SABOTAGE", "").partition("@")
    if what == "exit" and text in item.nodeid:
        os._exit(1)
    yield


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    what, _, text = os.environ.get("RACKGATE_SABOTAGE", "").partition("@")
    if what != "raise" or text not in pyfuncitem.nodeid:
        return None
    wanted = pyfuncitem._fixtureinfo.argnames
    pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in wanted})
    raise ZeroDivisionError("on purpose")
