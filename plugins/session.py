"""The state of one run in one process, kept in pytest's stash and nowhere else."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fixtures.model.inventory import Inventory
from plugins.switch import Switch
from reports.manifest import Expected
from reports.runfolder import RunFolder

ROOT = Path(__file__).resolve().parent.parent
SUITES = ROOT / "suites"
ONLY_LOOKS = ("collectonly", "plan", "help", "version", "markers", "showfixtures",
              "show_fixtures_per_test", "cacheshow")  # fmt: skip
"""Options, by the names pytest keeps them under, with which nothing is run."""
INVENTORIES = ROOT / "inventories"


@dataclass(slots=True)
class Session:
    """What every plugin needs to know of the run. `process` is `main`, or a worker's id."""

    inventory: Inventory
    folder: RunFolder
    run_id: str
    process: str
    seed: int
    replay: Path | None
    manifest: list[Expected]
    switch: Switch = field(default_factory=Switch)

    @property
    def controller(self) -> bool:
        return self.process == "main"

    @property
    def distributed(self) -> bool:
        """Whether this process is one of several that share the run."""
        return self.process != "main"

    @property
    def shared(self) -> Path:
        """What the processes of a run tell each other; not part of the run's contract."""
        return self.folder.path / ".shared"


INVENTORY = pytest.StashKey[Inventory]()
SESSION = pytest.StashKey[Session]()


def worker_input(config: pytest.Config) -> Mapping[str, Any] | None:
    """What the controller gave this xdist worker; None in the controller and without xdist."""
    given = getattr(config, "workerinput", None)
    return None if given is None else given.get("rackgate", {})


def process_name(config: pytest.Config) -> str:
    given = getattr(config, "workerinput", None)
    return "main" if given is None else str(given["workerid"])


def is_suite(item: pytest.Item) -> bool:
    return _in_suites(item.path)


@cache
def _in_suites(path: Path) -> bool:
    return SUITES in path.parents


def touches_hardware(config: pytest.Config) -> bool:
    """False where pytest was only asked to list or to plan."""
    return not any(getattr(config.option, name, False) for name in ONLY_LOOKS)


def new_run_id(inventory: str, stamp: str) -> str:
    """Marks every remote process of a run: which runner, a random token, and the process.

    Two containers may share user, host name, second and process number; they must not sweep each
    other.
    """
    return f"{inventory}-{stamp}-{runner_mark()}-{secrets.token_hex(3)}-{os.getpid()}"


def runner_mark() -> str:
    """Eight digits for this boot of this machine and the process numbers that are valid in it."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    space = Path("/proc/self/ns/pid").readlink()
    return hashlib.sha256(f"{boot} {space}".encode()).hexdigest()[:8]
