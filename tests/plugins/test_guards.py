"""What keeps a run honest when somebody turns its own parts off, or two runners look alike."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from plugins import junit
from plugins.leases import _is_dead
from plugins.session import new_run_id, runner_mark
from tests.plugins.runs import ROOT, command


@pytest.mark.parametrize("plugin", ["effects", "verdict", "gates", "manifest"])
def test_the_suites_own_plugins_cannot_be_left_out(plugin: str) -> None:
    found = command("--inventory", "rack7", "-p", f"no:plugins.{plugin}", "--plan")
    assert found.status == 4
    assert f"no:plugins.{plugin}" in found.text


def test_a_run_id_is_of_this_runner_and_alive() -> None:
    run_id = new_run_id("rack7", "20260101T000000")
    assert run_id.endswith(f"-{os.getpid()}")
    assert run_id != new_run_id("rack7", "20260101T000000")
    assert not _is_dead(run_id)


@pytest.mark.parametrize(
    ("run_id", "dead"),
    [
        (f"rack7-20260101T000000-{runner_mark()}-abcdef-4194999", True),
        ("rack7-20260101T000000-00000000-abcdef-4194999", False),
        ("rack7-20260101T000000-4194999", False),
        ("somebody else's", False),
    ],
)
def test_only_a_dead_run_of_this_runner_is_replaced(run_id: str, dead: bool) -> None:
    assert _is_dead(run_id) is dead


def test_junit_is_rewritten_where_the_user_sent_it_and_kept(tmp_path: Path) -> None:
    sent, kept = tmp_path / "mine.xml", tmp_path / "junit.xml"
    case = (
        '<testcase name="{0}"><properties><property name="verdict" value="{1}"/></properties>'
        '<failure message="m"/></testcase>'
    )
    cases = case.format("a", "INCONCLUSIVE") + case.format("b", "FAIL")
    sent.write_text(
        f'<testsuites><testsuite failures="2" errors="0">{cases}</testsuite></testsuites>'
    )
    junit.rewrite(str(sent), kept)
    for path in (sent, kept):
        (suite,) = fromstring(path.read_text(encoding="utf-8")).iter("testsuite")
        assert (suite.get("failures"), suite.get("errors")) == ("1", "1")


def test_a_gate_in_which_nothing_is_judged_is_not_accepted(tmp_path: Path) -> None:
    text = (ROOT / "inventories" / "softroce.yaml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if "nics:" not in line and "rxe0:" not in line]
    (tmp_path / "softroce.yaml").write_text("\n".join(lines), encoding="utf-8")
    shutil.copytree(ROOT / "inventories" / "softroce", tmp_path / "softroce")
    found = command(f"--inventory={tmp_path}/softroce.yaml", "--plan")
    assert found.status == 4
    assert "nothing in this inventory is judged in gate infiniband" in found.text
