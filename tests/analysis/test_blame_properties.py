"""Whatever the rows are: every trouble is explained once, and blame is about known parts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fixtures.analysis.blame import findings
from fixtures.analysis.pairs import locate
from fixtures.analysis.rollup import roll_up
from fixtures.analysis.signals import Row
from fixtures.model.verdicts import Verdict
from tests.analysis.rack import GPUS, HOSTS, PORTS, RACKS, cells, row, small_domain

LINKS = [f"{gpu}/link{n}" for gpu in GPUS[:4] for n in (0, 1)]
PAIRS = [*cells(HOSTS[0]), *cells(HOSTS[1]), f"{PORTS[0]}->{PORTS[2]}", f"{PORTS[1]}->{PORTS[3]}"]
SUBJECTS = ["dom", *RACKS, *HOSTS, *GPUS, *PORTS, *LINKS, *PAIRS]
METRICS = ["reach.ssh", "gpu.responsive", "host.driver", "nvlink.links_active", "ib.state",
           "nvlink.bandwidth", "rdma.bandwidth", "nccl.busbw"]  # fmt: skip
REASONS = ["unreachable", "timeout", "tool-missing", "busy", "not-run", "launch",
           "blocked-by:reach.ssh@r01-ct01", "blocked-by:gpu.responsive@r01-ct01/gpu2",
           "blocked-by:nccl.busbw@dom", "blocked-by:x.y@nowhere"]  # fmt: skip


@st.composite
def any_row(draw: st.DrawFn) -> Row:
    verdict = draw(st.sampled_from(list(Verdict)))
    reason = draw(st.sampled_from(REASONS)) if verdict is Verdict.INCONCLUSIVE else ""
    return row(draw(st.sampled_from(METRICS)), draw(st.sampled_from(SUBJECTS)), verdict, reason,
               warned=draw(st.booleans()))  # fmt: skip


@given(st.lists(any_row(), max_size=60))
def test_every_trouble_is_in_exactly_one_finding(rows: list[Row]) -> None:
    found = findings(rows, small_domain())
    trouble = {one.id for one in rows if one.verdict in (Verdict.FAIL, Verdict.INCONCLUSIVE)}
    listed = [id_ for one in found for id_ in one.because if id_ in trouble]
    assert sorted(listed) == sorted(trouble)
    assert len({(one.part, one.action) for one in found}) == len(found)


@given(st.lists(any_row(), max_size=40), st.randoms())
def test_order_of_the_record_does_not_matter(rows: list[Row], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one = findings(rows, small_domain())
    assert [f.part for f in findings(shuffled, small_domain())] == [f.part for f in one]


@given(st.sets(st.sampled_from(GPUS + PORTS + HOSTS)), st.sets(st.sampled_from(GPUS + PORTS)))
def test_roll_up_loses_nobody(failed: set[str], judged: set[str]) -> None:
    topology = small_domain()
    blamed = roll_up(failed, judged, topology)
    members = [member for group in blamed.values() for member in group]
    assert sorted(members) == sorted(failed)
    assert all(topology.holds(part, member) for part, group in blamed.items() for member in group)


@given(st.sets(st.sampled_from(cells(HOSTS[0]) + cells(HOSTS[1]))))
def test_every_bad_cell_is_located_once(bad: set[str]) -> None:
    found = locate(bad, {*cells(HOSTS[0]), *cells(HOSTS[1])}, small_domain())
    assert sorted(cell for one in found for cell in one.cells) == sorted(bad)


@given(st.sampled_from(GPUS[:4]))
def test_single_bad_gpu_is_found_in_its_matrix(gpu: str) -> None:
    bad = {cell for cell in cells(HOSTS[0]) if gpu in cell.split("->")}
    assert [one.part for one in locate(bad, cells(HOSTS[0]), small_domain())] == [gpu]
