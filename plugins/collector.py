"""Python's garbage collector during a run: what is collected lives to the run's end.

Left alone it goes through rows, facts and tests again and again, and finds nothing. What that costs
stands in docs/benchmarks.md.
"""

from __future__ import annotations

import gc
from typing import Final

import pytest

from plugins.session import SESSION, touches_hardware

ALLOCATED: Final = 20_000
"""New objects before it looks at them; Python's own number is 700."""
BEFORE = pytest.StashKey[tuple[int, int, int]]()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave aside what has been loaded, and look at what is new less often."""
    config = session.config
    if config.stash.get(SESSION, None) is not None and touches_hardware(config):
        config.stash[BEFORE] = gc.get_threshold()
        gc.freeze()
        gc.set_threshold(ALLOCATED, *config.stash[BEFORE][1:])


def pytest_unconfigure(config: pytest.Config) -> None:
    """As it was: this process may have other work to do."""
    before = config.stash.get(BEFORE, None)
    if before is not None:
        gc.set_threshold(*before)
        gc.unfreeze()
