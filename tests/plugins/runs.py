"""Runs of the suite in processes of their own, and what they left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import parse

ROOT = Path(__file__).parents[2]
WITHIN_S = 120.0
PYTEST = (sys.executable, "-m", "pytest", "-p", "no:hypothesispytest")
"""Without the plugin of our own tests, whose import takes a second."""
INTERRUPTIBLE = ("env", "--default-signal=INT")
"""What a shell starts in the background ignores SIGINT, and so would its children."""
Json = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """A run that has ended: its exit status, its terminal and its folder."""

    status: int
    text: str
    folder: Path

    @cached_property
    def info(self) -> Json:
        found: Json = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))
        return found

    @cached_property
    def record(self) -> list[Json]:
        return lines(self.folder / "record.jsonl")

    @cached_property
    def manifest(self) -> list[Json]:
        return lines(self.folder / "manifest.jsonl")

    @cached_property
    def evidence(self) -> list[Json]:
        return lines(self.folder / "evidence" / "index.jsonl")

    @cached_property
    def findings(self) -> list[Json]:
        found: list[Json] = json.loads((self.folder / "findings.json").read_text(encoding="utf-8"))
        return found

    @cached_property
    def allure(self) -> list[Json]:
        """The results, in order of name."""
        files = (self.folder / "allure-results").glob("*-result.json")
        found: list[Json] = [json.loads(file.read_text(encoding="utf-8")) for file in files]
        return sorted(found, key=lambda result: (result["fullName"], result["name"]))

    @cached_property
    def junit(self) -> list[Element]:
        root = parse(self.folder / "junit.xml").getroot()
        assert root is not None
        return list(root.iter("testcase"))

    def rows(self, metric: str, subject: str = "") -> list[Json]:
        """The rows of a metric, at one subject or at all."""
        return [r for r in self.record if r["metric"] == metric and subject in ("", r["subject"])]

    def row(self, metric: str, subject: str) -> Json:
        (found,) = self.rows(metric, subject)
        return found

    def reasons(self) -> dict[str, set[str]]:
        """The subjects of all rows that could not be judged, by reason."""
        found: dict[str, set[str]] = {}
        for row in self.record:
            if row["verdict"] == "INCONCLUSIVE":
                found.setdefault(row["reason"], set()).add(row["subject"])
        return found

    def result(self, name: str) -> Json:
        """The Allure result of one test."""
        (found,) = [result for result in self.allure if result["name"] == name]
        return found

    def case(self, name: str) -> Element:
        """The JUnit case of one test."""
        (found,) = [case for case in self.junit if case.get("name") == name]
        return found


@dataclass(frozen=True)
class Started:
    """A run that goes on."""

    process: subprocess.Popen[str]
    folder: Path

    def end(self, within_s: float = WITHIN_S) -> Run:
        try:
            text, _ = self.process.communicate(timeout=within_s)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()
            raise
        return Run(self.process.returncode, text, self.folder)

    def tell(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait_for_evidence(self, key: str) -> None:
        """Until something was asked under a key that contains this."""
        self.wait_for(lambda: any(key in file.read_text() for file in self._indexes()), key)

    def wait_for(self, happened: Any, what: str) -> None:
        end = time.monotonic() + WITHIN_S
        while not happened():
            assert self.process.poll() is None, self.process.communicate()[0]
            assert time.monotonic() < end, what
            time.sleep(0.05)

    def _indexes(self) -> list[Path]:
        return list((self.folder / "evidence").glob("index*.jsonl"))


def start(
    folder: Path, *arguments: str, sabotage: str = "", plugin: str = "tests.plugins.sabotage"
) -> Started:
    """Start pytest from the checkout, in a session of its own; `folder` is the run's."""
    process = subprocess.Popen(
        [*INTERRUPTIBLE, *PYTEST, "-p", plugin, f"--run-dir={folder}", *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(RACKGATE_SABOTAGE=sabotage),
        start_new_session=True,
    )
    return Started(process, folder)


def run(folder: Path, *arguments: str, sabotage: str = "") -> Run:
    return start(folder, *arguments, sabotage=sabotage).end()


def command(*arguments: str, cwd: Path = ROOT) -> Run:
    """Run pytest with exactly these arguments, to its end; there is no run folder."""
    ended = subprocess.run(
        [*PYTEST, *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(),
        timeout=WITHIN_S,
        check=False,
    )
    return Run(ended.returncode, ended.stdout + ended.stderr, Path())


def environment(**more: str) -> Mapping[str, str]:
    """Ours without what the outer pytest tells its children."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    return {**kept, **more}


def lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def lab_processes(folder: Path) -> list[str]:
    """The command lines of the lab processes of a run that are still there."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # it has just ended
        if str(folder / ".shared" / "lab") in words:
            found.append(" ".join(words))
    return found
