"""The detection matrix: which runs it plans, how it judges them, what it says, and resuming."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from fixtures.model.errors import InventoryError
from fixtures.model.inventory import Inventory
from lab.simrack.__main__ import main as simrack
from lab.simrack.faults import FAULTS, LIBRARY
from lab.simrack.faults.naming import is_named, touched
from lab.simrack.matrix import folder, store
from lab.simrack.matrix.folder import Found, Named, Row
from lab.simrack.matrix.judge import judge
from lab.simrack.matrix.launch import Done, Launcher, arguments
from lab.simrack.matrix.plan import Cell, Put, Wanted, cells, left_out
from lab.simrack.matrix.store import Line
from lab.simrack.matrix.summary import (
    amiss,
    idle_metrics,
    idle_tests,
    summary,
    unequal_twins,
    unseen,
)
from lab.simrack.places import fits, places
from tests.simrack.bench import INVENTORIES, bench

RACK, HGX, DOMAIN = (bench(name).inventory for name in ("rack7", "hgx8", "rack42"))
ROCE = bench("roce4").inventory
WANTED = Wanted(
    kinds=list(LIBRARY), places=2, seed=1, pairs=20, triples=5, healthy=3, ssh_share=0.1
)
CLEARED = "port.counters_cleared"
LOST = Put(kind="gpu.lost", part="r01-ct02/gpu1")


def row(metric: str, subject: str, verdict: str = "FAIL", reason: str = "") -> Row:
    return Row(
        test=f"suites/test_{metric}.py", metric=metric, subject=subject, verdict=verdict,
        reason=reason, warned=False,
    )  # fmt: skip


def found(*rows: Row, outcome: str = "REJECTED", named: str = "r01-ct02/gpu1") -> Found:
    findings = (Named(part=named, confidence="medium"),) if named else ()
    return Found(outcome=outcome, rows=rows, findings=findings)


def line(found: Found, *puts: Put, way: str = "memory", twin: bool = False) -> Line:
    cell = Cell(sort="fault" if puts else "healthy", puts=puts, seed=1, way=way, twin=twin)  # type: ignore[arg-type]
    status = 0 if found.outcome == "ACCEPTED" else 1
    done = Done(folder=Path(), exit_status=status, wall_s=1.0, printed="")
    return store.line_of(cell, done, found, judge(puts, found, status, RACK))


GOOD = row("gpu.responsive", "r01-ct02/gpu0", "PASS")
BLOCKED_ELSEWHERE = row("gpu.ecc", LOST.part, "INCONCLUSIVE", "blocked-by:reach.ssh@r01-ct09")
SEEN = found(*(row(metric, LOST.part) for metric in LOST.fault.sees), GOOD)
"""Every metric that must see it does."""


def test_the_plan_is_the_same_every_time() -> None:
    planned = list(cells(RACK, WANTED, "memory"))
    assert planned == list(cells(RACK, WANTED, "memory"))
    assert len({cell.key for cell in planned}) == len(planned)
    own = [cell for cell in planned if not cell.twin]
    fitting = [fault for fault in LIBRARY.values() if fits(fault, RACK)]
    placed = sum(len(places(fault, RACK, 2, 1)) for fault in fitting)
    assert len(fitting) < placed <= 2 * len(fitting)
    assert len(own) == 3 + placed + 20 + 5
    assert 0 < len(planned) - len(own) < len(own) / 4
    assert {cell.way for cell in planned if cell.twin} == {"ssh"}


def test_over_ssh_nothing_is_run_twice() -> None:
    assert not any(cell.twin for cell in cells(RACK, WANTED, "ssh"))


def test_faults_at_once_are_at_trays_apart() -> None:
    pairs = [cell for cell in cells(RACK, WANTED, "ssh") if cell.sort in ("pair", "triple")]
    for cell in pairs:
        assert len(cell.puts) == (2 if cell.sort == "pair" else 3)
        hosts = [touched(put.fault, put.part, RACK) for put in cell.puts]
        at = [{int(host[6:8]) for host in names if "-ct" in host} for names in hosts]
        assert all(abs(a - b) > 1 for one, two in combinations(at, 2) for a in one for b in two)


def test_kinds_of_an_nvlink_domain_are_not_for_servers() -> None:
    kinds = {put.kind for cell in cells(HGX, WANTED, "ssh") for put in cell.puts}
    assert "fabric.wrong_clique" not in kinds
    assert "gpu.lost" in kinds


def test_a_run_as_declared_is_right() -> None:
    judged = judge((LOST,), SEEN, 1, RACK)
    assert (judged.caught, judged.ranks, judged.strays, judged.wrong) == (True, (1,), 0, ())
    assert judged.tests == tuple(f"suites/test_{metric}.py" for metric in LOST.fault.sees)
    assert judged.shown == LOST.fault.sees


@pytest.mark.parametrize(
    ("run", "status", "says"),
    [
        (found(GOOD, outcome="ACCEPTED", named=""), 0, "expected REJECTED"),
        (SEEN, 0, "exit 1"),
        (found(row("gpu.bound", LOST.part)), 1, "not seen by gpu.responsive"),
        (found(*SEEN.rows, row("gpu.pcie_width", LOST.part)), 1, "not declared: gpu.pcie_width"),
        (replace(SEEN, findings=(Named(part="r01", confidence="low"),)), 1, "named r01 first"),
        (replace(SEEN, findings=SEEN.findings * 2), 1, "2 findings"),
        (found(*SEEN.rows, row("gpu.ecc", "r01-ct09/gpu0")), 1, "1 rows of healthy parts"),
        (found(*SEEN.rows, BLOCKED_ELSEWHERE), 1, "1 rows of healthy parts"),
    ],
)  # fmt: skip
def test_what_is_not_as_declared_is_said(run: Found, status: int, says: str) -> None:
    assert any(says in text for text in judge((LOST,), run, status, RACK).wrong)


def test_a_reason_counts_where_it_is_declared() -> None:
    put = Put(kind="tool.hangs", part="r01-ct02")
    open_row = row("gpu.bound", "r01-ct02/gpu0", "INCONCLUSIVE", "timeout")
    run = found(open_row, outcome="INCOMPLETE", named="r01-ct02")
    assert not judge((put,), run, 1, RACK).wrong
    other = found(replace(open_row, reason="tool-failed"), outcome="INCOMPLETE", named="r01-ct02")
    assert not judge((put,), other, 1, RACK).caught


@pytest.mark.parametrize(
    ("kind", "part", "named", "right"),
    [
        ("nvlink.link_down", "r01-ct02/gpu1/link3", "r01-ct02/gpu1", True),
        ("nvlink.link_down", "r01-ct02/gpu1/link3", "r01-ct02", False),
        ("nic.missing", "r01-ct02/mlx5_1/1", "r01-ct02/mlx5_1", True),
        ("port.slow", "r01-ct02/mlx5_1/1", "r01-ct02/mlx5_1/1", True),
        ("port.slow", "r01-ct02/mlx5_1/1", "r01-ct01/mlx5_1/1->r01-ct02/mlx5_1/1", False),
        ("port.slow", "r01-ct02/mlx5_1/1", "r01-ct02", False),
        ("perftest.crashes", "r01-ct02", "r01-ct02", True),
        (CLEARED, "r01-ct02/mlx5_1/1", "r01-ct01/mlx5_1/1->r01-ct02/mlx5_1/1", True),
        (CLEARED, "r01-ct02/mlx5_1/1", "r01-ct03/mlx5_1/1->r01-ct04/mlx5_1/1", False),
        (CLEARED, "r01-ct02/mlx5_1/1", "r01-ct01->r01-ct02", False),
        ("tray.swapped", "r01-ct18", "r01-ct01", True),
        ("tray.swapped", "r01-ct18", "r01-ct02", False),
        ("nccl.slow_gpu", "r01-ct02/gpu1", "rack7", False),
        ("nccl.too_many_ranks", "r01-ct02", "rack7", True),
        ("launch.peers_refused", "r01-ct02", "rack7", True),
    ],
)
def test_the_right_part_is_known(kind: str, part: str, named: str, right: bool) -> None:
    assert is_named(LIBRARY[kind], part, named, RACK) is right


def test_in_a_domain_of_racks_the_domain_is_not_the_rack() -> None:
    assert not is_named(LIBRARY["nccl.too_many_ranks"], "r02-ct02", "rack42", DOMAIN)
    assert is_named(LIBRARY["nccl.too_many_ranks"], "r02-ct02", "r02", DOMAIN)


def test_the_summary_counts() -> None:
    well = line(found(GOOD, outcome="ACCEPTED", named=""))
    blind = line(found(GOOD, outcome="ACCEPTED", named=""), LOST)
    said = "\n".join(summary({"rack7": [well, line(SEEN, LOST)], "rack42": [blind]}))
    assert "1 kinds, 2 runs: caught 1/2 (50.0%), named first 1/2" in said
    assert (
        "1 healthy runs (1 rack7): 0 false alarms; with 95% confidence the rate is below 95.00%"
        in said
    )
    assert "faults that no test saw: gpu.lost" in said
    assert "tests that no fault made fail: none" in said
    assert unseen([line(SEEN, LOST)]) == []
    assert "not as declared: rack42: gpu.lost@r01-ct02/gpu1" in said
    assert amiss([blind])
    assert not amiss([well, line(SEEN, LOST)])


def test_what_no_fault_makes_fail_is_listed() -> None:
    """A blocked row does not count: another metric saw the fault, not this one."""
    well = line(found(GOOD, row("gpu.ecc", LOST.part, "PASS"), outcome="ACCEPTED", named=""))
    blocked = row("gpu.ecc", LOST.part, "INCONCLUSIVE", f"blocked-by:gpu.responsive@{LOST.part}")
    seen = line(found(*SEEN.rows, blocked), LOST)
    assert idle_tests([well]) == ["suites/test_gpu.ecc.py", "suites/test_gpu.responsive.py"]
    assert idle_tests([well, seen]) == ["suites/test_gpu.ecc.py"]
    assert idle_metrics([well, seen]) == ["gpu.ecc"]


def test_the_evidence_of_some_runs_is_judged_again(tmp_path: Path) -> None:
    planned = list(cells(RACK, replace(WANTED, replays=4), "memory"))
    assert sum(cell.replayed for cell in planned) == 4
    assert not any(cell.replayed and cell.twin for cell in planned)
    other = replace(SEEN, rows=(replace(SEEN.rows[0], value="3"), *SEEN.rows[1:]))
    assert SEEN.differences(SEEN) == []
    assert SEEN.differences(other) == [f"gpu.responsive@{LOST.part}"]
    assert SEEN.differences(replace(SEEN, findings=())) == ["findings"]
    assert amiss([replace(line(SEEN, LOST), replay="1 different: gpu.responsive")])


def test_several_matrices_are_read_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for inventory in (RACK, HGX):
        path = tmp_path / f"{inventory.name}.jsonl"
        store.open_file(path, store.header(inventory))
        store.append(path, line(SEEN, LOST))
    files = [str(tmp_path / "rack7.jsonl"), str(tmp_path / "hgx8.jsonl")]
    assert simrack(["summary", *files]) == 0
    assert "1 kinds, 2 runs: caught 2/2" in capsys.readouterr().out
    assert simrack(["summary", "--json", *files]) == 0
    kinds = json.loads(capsys.readouterr().out)["kinds"]
    assert [(one["inventory"], one["kind"]) for one in kinds] == [
        ("rack7", "gpu.lost"), ("hgx8", "gpu.lost"),
    ]  # fmt: skip
    assert simrack(["summary", str(tmp_path)]) == 4


def test_kinds_that_do_not_fit_are_named() -> None:
    assert left_out(HGX, WANTED)["fabric.wrong_clique"] == "no NVLink domain over trays"
    assert "fabric.wrong_clique" not in left_out(RACK, WANTED)
    on_gpus = {kind for kind, one in LIBRARY.items() if one.takes in ("gpu", "link")}
    assert on_gpus <= left_out(ROCE, WANTED).keys()
    assert left_out(ROCE, WANTED)["persistenced.off"] == "no GPUs"
    assert list(cells(ROCE, WANTED, "memory"))


def test_runs_in_memory_and_over_ssh_are_held_together() -> None:
    memory, same = line(SEEN, LOST), line(SEEN, LOST, way="ssh", twin=True)
    assert not unequal_twins([memory, same])
    other = [memory, replace(same, digest="other")]
    assert unequal_twins(other) == [same.key]
    assert "1 with other verdicts" in "\n".join(summary({"rack7": other}))


def test_a_warning_has_seen_a_fault_and_nothing_else() -> None:
    warned = replace(row("imex.nodes_in_domain", "rack7", "PASS"), warned=True)
    assert line(found(warned), LOST).shown == ("imex.nodes_in_domain",)
    assert line(found(warned)).shown == ()


def test_a_file_is_resumed_and_a_cut_line_is_dropped(tmp_path: Path) -> None:
    path, head = tmp_path / "matrix.jsonl", store.header(RACK)
    assert store.open_file(path, head) == []
    store.append(path, line(SEEN, LOST))
    with path.open("a") as file:
        file.write('{"key": "gpu.mis')
    assert store.open_file(path, head) == [line(SEEN, LOST)]
    store.append(path, line(SEEN, LOST))
    assert store.open_file(path, head) == [line(SEEN, LOST)]
    with pytest.raises(InventoryError, match="name another file"):
        store.open_file(path, store.header(HGX))


def test_a_folder_without_a_verdict_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"the run left no run\.json"):
        folder.read(tmp_path)


@pytest.mark.lab
@pytest.mark.parametrize(
    ("rack", "kind", "part"),
    [
        (HGX, "host.unreachable", "hgx01"),
        (HGX, "driver.not_loaded", "hgx02"),
        (HGX, "nic.missing", "hgx03/mlx5_5/1"),
        (HGX, "fabric.insufficient_resources", "hgx04/gpu6"),
        (ROCE, "port.down", "n3/mlx5_0/1"),
        (ROCE, "port.bypassed", "n2/mlx5_1/1"),
    ],
    ids=lambda one: one if isinstance(one, str) else one.name,
)
def test_what_follows_from_a_fault_is_no_finding_of_its_own(
    rack: Inventory, kind: str, part: str, tmp_path: Path
) -> None:
    """A dead observer's log, a NIC beside a GPU without its fabric, priorities of a dead port."""
    cell = Cell(sort="fault", puts=(Put(kind=kind, part=part),), seed=1, way="memory")
    launcher = Launcher(rack)
    try:
        done = launcher.run(arguments(rack, cell, tmp_path / "run"), tmp_path / "run", forked=False)
    finally:
        launcher.stop()
    ran = folder.read(tmp_path / "run")
    assert judge(cell.puts, ran, done.exit_status, rack).wrong == ()
    assert len(ran.findings) == 1


@pytest.mark.lab
def test_the_matrix_runs_and_then_has_nothing_to_do(tmp_path: Path) -> None:
    """A kind of each gate is caught and named, a healthy rack is accepted, one run replays."""
    out, kinds = tmp_path / "matrix.jsonl", sample()
    words = ["--inventory", "rack7", "--kinds", *kinds, "--ssh-share", "0", "--replay", "1"]
    for expected in (len(kinds) + 1, 0):
        done = subprocess.run(
            [sys.executable, "-m", "lab.simrack", "matrix", *words, "--jobs=2", "--out", str(out)],
            cwd=INVENTORIES.parent,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.count("seed=1 memory") == expected
        assert f"{len(kinds)} kinds, {len(kinds)} runs: caught {len(kinds)}" in done.stdout
        assert "1 healthy runs (1 rack7): 0 false alarms" in done.stdout
        assert "1 runs replayed: 1 with the same rows and findings" in done.stdout
    head, *lines = map(json.loads, out.read_text().splitlines())
    assert head["inventory"] == "rack7"
    assert {one["ranks"][0] for one in lines if one["sort"] == "fault"} == {1}


def sample() -> list[str]:
    """The first kind of each gate, which one tray shows."""
    gates: dict[str, str] = {}
    for fault in FAULTS:
        if fault.takes in ("host", "gpu", "link", "port") and fits(fault, RACK):
            gates.setdefault(fault.gates[0], fault.kind)
    return list(gates.values())


@pytest.mark.lab
def test_a_fork_makes_the_run_of_a_new_process(tmp_path: Path) -> None:
    """And leaves nothing behind for the next one. Clocks are measured, and differ."""
    launcher = Launcher(RACK)
    lost = Cell(sort="fault", puts=(LOST,), seed=1, way="memory")
    well = replace(lost, sort="healthy", puts=())
    orders = ((lost, True), (well, True), (lost, False))
    runs = []
    try:
        for number, (cell, forked) in enumerate(orders):
            where = tmp_path / str(number)
            done = launcher.run(arguments(RACK, cell, where), where, forked=forked)
            assert done.exit_status == (1 if cell.puts else 0), done.printed
            runs.append(folder.read(where))
    finally:
        launcher.stop()
    fork, healthy, process = runs
    assert healthy.outcome == "ACCEPTED"
    assert fork.digest == process.digest
    odd = fork.differences(process)
    assert all(one.startswith("reach.clock_skew@") for one in odd)
