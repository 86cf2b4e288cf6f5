"""The record: written as it is judged, merged the same way whatever the processes were."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.model.measurement import Limit, Measurement
from fixtures.model.verdicts import Verdict
from reports.manifest import Expected, coverage, read_manifest, write_manifest
from reports.merge import deduplicated, merge_records, ordered
from reports.record import Record, RecordWriter, read_record, record_id
from reports.runfolder import RunFolder, RunFolderError
from tests.reports.rack import GPUS, MANIFEST, NOW, healthy, mini, taken


def written(run: RunFolder, rows: Sequence[Measurement], folder: Path, part: str = "main") -> None:
    writer = RecordWriter(run, part, mini(folder), clock=lambda: NOW)
    for row in rows:
        writer.write(row)
    writer.close()


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path / "run")


def test_row_has_the_fields_of_the_contract(run: RunFolder, tmp_path: Path) -> None:
    written(run, [taken("nvlink.links_active", GPUS[0], 18)], tmp_path)
    row = json.loads(run.record_part("main").read_text(encoding="utf-8"))
    assert row == {
        "id": row["id"],
        "test": f"suites/nvlink/test_x.py::test_x[{GPUS[0]}]",
        "gate": "nvlink",
        "subject": "r01-ct01/gpu0",
        "parts": [
            {"part": "r01-ct01", "serial": "SN-A"},
            {"part": "r01-ct01/gpu0", "serial": "SN-G0"},
        ],
        "metric": "nvlink.links_active",
        "value": 18,
        "unit": "links",
        "conditions": {},
        "limit": {
            "min": 18, "unit": "links", "source": "this test", "kind": "datasheet",
            "provisional": False,
        },
        "level": "fail",
        "verdict": "PASS",
        "evidence": [],
        "time": "2026-01-02T03:04:05.000+00:00",
    }  # fmt: skip


def test_pair_has_a_direction_and_both_paths(run: RunFolder, tmp_path: Path) -> None:
    written(run, [taken("rdma.bw", f"{GPUS[0]}->{GPUS[2]}", 300.0)], tmp_path)
    row = json.loads(run.record_part("main").read_text(encoding="utf-8"))
    assert row["direction"] == "a->b"
    assert [part["part"] for part in row["parts"]] == [
        "r01-ct01", "r01-ct01/gpu0", "r01-ct02", "r01-ct02/gpu0",
    ]  # fmt: skip


def test_violated_warning_is_marked(run: RunFolder, tmp_path: Path) -> None:
    limit = Limit(unit="C", source="x", kind="derived", maximum=80, level="warn")
    written(run, [taken("gpu.temperature", GPUS[0], 90, limit=limit)], tmp_path)
    (row,) = read_record(run.record_part("main"))
    assert (row.warned, row.level, row.verdict) == (True, "warn", Verdict.PASS)


def test_numbers_that_json_has_not_become_text(run: RunFolder, tmp_path: Path) -> None:
    rows = [
        taken("nvlink.x", GPUS[0], math.nan, "INCONCLUSIVE", reason="implausible"),
        taken("nvlink.y", GPUS[0], float(np.float32(2.5))),
    ]
    written(run, rows, tmp_path)
    assert [row.value for row in read_record(run.record_part("main"))] == ["nan", 2.5]


def test_id_is_the_same_in_every_run_and_tells_conditions_apart() -> None:
    one = record_id("t", "m", "s", {"size": 8, "qps": 1})
    assert one == record_id("t", "m", "s", {"qps": 1, "size": 8})
    assert one != record_id("t", "m", "s", {"size": 16, "qps": 1})


def test_torn_last_line_costs_only_itself(run: RunFolder, tmp_path: Path) -> None:
    written(run, healthy()[:2], tmp_path)
    part = run.record_part("main")
    part.write_bytes(part.read_bytes() + b'{"id":"half')
    assert len(merge_records(run, MANIFEST)) == 2
    written(run, healthy()[2:], tmp_path)
    assert len(merge_records(run, MANIFEST)) == 6


def test_damaged_line_says_where(run: RunFolder) -> None:
    run.record_part("main").write_text('{"id":"x"}\n', encoding="utf-8")
    with pytest.raises(RunFolderError, match=r"record-main.jsonl:1: gate, subject"):
        read_record(run.record_part("main"))
    run.record_part("main").write_text("\n\n", encoding="utf-8")
    with pytest.raises(RunFolderError, match=r"record-main.jsonl:1: not a JSON line"):
        read_record(run.record_part("main"))


def test_full_disk_is_said_and_loses_nothing(
    run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = RecordWriter(run, "main", mini(tmp_path))
    writer.write(healthy()[0])

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("reports.record.os.write", full)
    with pytest.raises(RunFolderError, match=r"No space left.*is kept"):
        writer.write(healthy()[1])
    assert len(read_record(run.record_part("main"))) == 1


def test_merge_is_in_manifest_order_and_keeps_the_worst(run: RunFolder, tmp_path: Path) -> None:
    rows = healthy()
    written(run, [*rows[3:], taken("nvlink.spare", GPUS[0], 0)], tmp_path, "gw1")
    worse = taken("nvlink.links_active", GPUS[1], 17, "FAIL")
    written(run, [worse, *rows[:4]], tmp_path, "gw0")
    merged = merge_records(run, MANIFEST)
    assert [(row.metric, row.subject) for row in merged] == [
        *((row.metric, row.subject) for row in MANIFEST), ("nvlink.spare", GPUS[0]),
    ]  # fmt: skip
    assert merged[3].verdict is Verdict.FAIL
    assert read_record(run.record) == merged
    assert merge_records(run, MANIFEST) == merged


def test_unknown_fields_of_a_newer_writer_are_passed_over(run: RunFolder, tmp_path: Path) -> None:
    written(run, healthy()[:1], tmp_path)
    part = run.record_part("main")
    row = json.loads(part.read_text(encoding="utf-8")) | {"later": 1}
    part.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert len(read_record(part)) == 1


def test_part_of_the_record_has_a_plain_name(run: RunFolder, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no name"):
        RecordWriter(run, "../gw0", mini(tmp_path))


def test_manifest_is_read_as_written(run: RunFolder) -> None:
    rows = [*MANIFEST, MANIFEST[0], Expected("suites/nccl/test_a.py::test_a", "mini", "", "nccl")]
    write_manifest(run, rows)
    assert read_manifest(run) == [*MANIFEST, rows[-1]]
    run.manifest.write_text('{"test":"t"}\n', encoding="utf-8")
    with pytest.raises(RunFolderError, match=r"manifest.jsonl:1: expected the texts"):
        read_manifest(run)


def test_not_run_does_not_cover(run: RunFolder, tmp_path: Path) -> None:
    rows = healthy()
    rows[0] = taken("reach.ssh", "r01-ct01", None, "INCONCLUSIVE", reason="not-run")
    rows[1] = taken("reach.ssh", "r01-ct02", None, "INCONCLUSIVE", reason="unreachable")
    written(run, rows, tmp_path)
    found = coverage(MANIFEST, merge_records(run, MANIFEST))
    assert (found.expected, found.judged, found.missing) == (6, 5, (MANIFEST[0],))


row_strategy = st.builds(
    lambda at, verdict, time: Record(
        id=f"i{at}", test="t", gate="nvlink", subject=f"s{at % 5}", metric="m", value=1, unit="",
        verdict=verdict, conditions={"n": at}, time=f"{time:03}",
    ),
    st.integers(0, 9), st.sampled_from(list(Verdict)), st.integers(0, 99),
)  # fmt: skip


@given(st.lists(row_strategy, max_size=30), st.randoms())
def test_merge_does_not_depend_on_the_processes(rows: list[Record], dice: random.Random) -> None:
    shuffled = list(rows)
    dice.shuffle(shuffled)
    one = ordered(deduplicated(rows), MANIFEST)
    assert one == ordered(deduplicated(shuffled), MANIFEST)
    assert len({row.id for row in rows}) == len(one)
