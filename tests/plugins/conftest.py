"""Runs that several tests look at, each started once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.plugins import tiny
from tests.plugins.runs import Run, run

AT_ONCE = 3
"""Runs of the tiny rack mostly wait, so that a few share two processors well."""

WAIVERS = """\
waivers:
  - metric: gpu.row_remap_pending
    part: r01-ct01/gpu0
    reason: reset at the next maintenance
    owner: ops
    expires: 2999-01-01
"""
EXPIRED = WAIVERS.replace("2999", "2020")
PENDING = "--fault=gpu.remap_pending@r01-ct01/gpu0"
FAULTS = (
    PENDING,
    "--fault=nvlink.link_down@r01-ct01/gpu1:link=3",
    "--fault=tool.missing@r01-ct02:tool=nvbandwidth",
    "--fault=host.unreachable@r01-sw01",
)
SHARED = {
    "healthy": (),
    "healthy-n2": ("-n2",),
    "faulty": FAULTS,
    "faulty-n2": (*FAULTS, "-n2"),
    "unreachable": ("--fault=host.unreachable@r01-ct02",),
    "missing": ("--fault=tool.missing@r01-ct02:tool=nvidia-smi",),
    "waived": (PENDING, "--waivers={folder}/waivers.yaml"),
    "expired": (PENDING, "--waivers={folder}/expired.yaml"),
    "observed": ("--max-effect=observe",),
}
"""The options of every run that more than one test looks at."""


@pytest.fixture(scope="session")
def tiny_rack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of the tiny rack's inventory."""
    folder = tmp_path_factory.mktemp("inventory")
    (folder / "waivers.yaml").write_text(WAIVERS, encoding="utf-8")
    (folder / "expired.yaml").write_text(EXPIRED, encoding="utf-8")
    return tiny.write(folder)


@pytest.fixture(scope="session")
def shared(tiny_rack: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    """The shared run of this name; all of them are started when the first is asked for."""
    folder = tmp_path_factory.mktemp("shared")
    pool = ThreadPoolExecutor(AT_ONCE)

    def started(name: str, options: tuple[str, ...]) -> Future[Run]:
        given = [option.format(folder=tiny_rack.parent) for option in options]
        return pool.submit(run, folder / name, f"--inventory={tiny_rack}", "-mnvl72", *given)

    futures = {name: started(name, options) for name, options in SHARED.items()}
    pool.shutdown(wait=False)
    return lambda name: futures[name].result()
