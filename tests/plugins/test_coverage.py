"""The manifest comes from profile and inventory: whatever was not run is missing, by name."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.plugins import tiny
from tests.plugins.runs import Run, run

UNHEARD_OF = """\
  gpu.colour:
    gate: compute
    per: gpu
    unit: colour
    required: true
    limits: [{equals: green, unit: colour, kind: baseline, source: this test}]
"""
SELECTIONS = {
    "word": ("-knot memory_is_clean", "-mnot load"),
    "marker": ("-mreach",),
    "path": ("suites/reach", "suites/identity"),
    "nothing": ("-mtraining",),
    "deselected": ("-mreach", "--deselect=suites/reach/test_login.py::test_host_answers_over_ssh"),
}


@pytest.fixture(scope="module")
def partial(tiny_rack: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """A run for each way to run less than everything; and one whose profile asks for more."""
    folder = tmp_path_factory.mktemp("partial")
    asks_more = tiny.write(folder / "more", metrics=UNHEARD_OF)
    runs = {name: (f"--inventory={tiny_rack}", *given) for name, given in SELECTIONS.items()}
    runs["undeclared"] = (f"--inventory={asks_more}", "-mcompute and not load")
    with ThreadPoolExecutor(3) as pool:
        futures = {name: pool.submit(run, folder / name, *given) for name, given in runs.items()}
    return {name: future.result() for name, future in futures.items()}


@pytest.mark.parametrize("name", [*SELECTIONS, "undeclared"])
def test_less_than_everything_is_incomplete(partial: dict[str, Run], name: str) -> None:
    found = partial[name]
    assert found.status == 1, found.text
    assert found.info["outcome"] == "INCOMPLETE"
    assert found.info["coverage"]["judged"] < found.info["coverage"]["expected"]
    assert any(reason.startswith("not judged: ") for reason in found.info["outcome_reasons"])
    assert "INCOMPLETE (SIMULATED)  tiny" in found.text


def test_the_manifest_does_not_shrink(partial: dict[str, Run]) -> None:
    rows = [{key: r[key] for key in ("metric", "subject")} for r in partial["word"].manifest]
    for name in SELECTIONS:
        assert [
            {key: r[key] for key in ("metric", "subject")} for r in partial[name].manifest
        ] == rows


def test_what_was_not_selected_is_not_run_by_name(partial: dict[str, Run]) -> None:
    found = partial["word"]
    row = found.row("gpu.row_remap_pending", "r01-ct02/gpu1")
    assert (row["verdict"], row["reason"]) == ("INCONCLUSIVE", "not-run")
    assert row["test"].startswith("suites/compute/test_gpus.py::test_memory_is_clean")
    assert found.row("gpu.bound", "r01-ct02/gpu1")["verdict"] == "PASS"


def test_each_gate_of_a_partial_run_has_its_own_verdict(partial: dict[str, Run]) -> None:
    gates = partial["marker"].info["gates"]
    assert gates["reach"] == "PASS"
    assert {gates[name] for name in gates if name != "reach"} == {"INCONCLUSIVE"}


def test_a_test_that_was_taken_out_is_missed(partial: dict[str, Run]) -> None:
    found = partial["deselected"]
    assert found.info["gates"]["reach"] == "INCONCLUSIVE"
    assert {row["reason"] for row in found.rows("reach.ssh")} == {"not-run"}


def test_a_metric_that_no_test_judges_is_missed(partial: dict[str, Run]) -> None:
    found = partial["undeclared"]
    rows = found.rows("gpu.colour")
    assert [row["subject"] for row in rows] == list(tiny.GPUS)
    assert {(row["verdict"], row["reason"]) for row in rows} == {("INCONCLUSIVE", "not-run")}
    assert {row["detail"] for row in rows} == {"no test judges this metric"}


def test_a_selection_of_nothing_judges_nothing(partial: dict[str, Run]) -> None:
    found = partial["nothing"]
    assert found.info["coverage"]["judged"] == 0
    assert "nothing was judged" in found.text or "not judged: " in found.text
