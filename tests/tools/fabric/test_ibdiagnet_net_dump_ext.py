"""ibdiagnet's net_dump_ext: error rates of every port, by column names."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.fabric.ibdiagnet_net_dump_ext import parse
from fixtures.tools.fabric.ibnetdiscover_model import Kind
from tests.tools.captures import capture

HEALTHY = capture("ibdiagnet-net-dump-ext", "healthy.txt")
DEGRADED = capture("ibdiagnet-net-dump-ext", "degraded-cut.txt")


def test_a_row_is_read_by_column_name() -> None:
    first = parse(HEALTHY).ports[0]
    assert (first.kind, first.label, first.number) == (Kind.SWITCH, "1/1/1", 1)
    assert (first.guid, first.lid, first.peer_lid) == ("5a1fe00000005100", 11, 21)
    assert (first.width, first.lane_gbps, first.speed) == ("4X", 100, "NDR")
    assert (first.raw_ber, first.symbol_ber, first.symbol_errors) == (2e-9, 15e-255, 0)
    assert first.fec == "MLNX_RS_271_257_PLR"
    assert parse(HEALTHY).complete


def test_what_the_tool_does_not_know_is_unknown_and_not_zero() -> None:
    own = parse(HEALTHY).ports[1]
    assert (own.raw_ber, own.symbol_ber, own.symbol_errors, own.fec) == (None, None, None, None)
    down = parse(DEGRADED).ports[1]
    assert (down.state, down.physical_state, down.width, down.peer_lid) == (
        "DOWN",
        "POLL",
        *2 * [None],
    )


def test_a_description_can_hold_colons_and_quotes() -> None:
    assert parse(HEALTHY).ports[2].description == "rack 3: node 7 mlx5_0"
    assert parse(DEGRADED).ports[0].description == 'leaf "b"'


def test_errors_of_a_bad_link() -> None:
    bad = parse(DEGRADED).ports[0]
    assert (bad.raw_ber, bad.effective_ber, bad.symbol_ber) == (8e-5, 3e-8, 4e-9)
    assert (bad.symbol_errors, bad.effective_errors, bad.speed) == (1204, 96, "HDR")


def test_older_tables_have_fewer_columns() -> None:
    rows = [line.split(" : ") for line in HEALTHY.splitlines() if " : " in line and "#" not in line]
    head = "Ty : # : GUID : LID : Sta : PhysSta : LWA : LSA : Node Desc\n"
    text = head + "".join(" : ".join((*row[:2], *row[3:9], row[17])) + "\n" for row in rows)
    assert [port.number for port in parse(text).ports] == [None, 65, None]
    assert parse(text).ports[0].raw_ber is None


def test_a_cut_file_gives_the_rows_before_the_cut() -> None:
    assert not parse(DEGRADED).complete
    cut = parse(HEALTHY[: HEALTHY.index('"rack 3') + 9])
    assert (len(cut.ports), cut.complete) == (2, False)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no port listed"),
        (HEALTHY + HEALTHY, "two tables"),
        (HEALTHY.replace("PhysSta", "Phys"), "expected the columns"),
        (HEALTHY[HEALTHY.index("SW : 1/1/1") :], "without a head"),
        (HEALTHY.replace("21 (0x0015)", "lid 21"), "expected a LID"),
        (HEALTHY.replace("2e-9", "low"), "expected a rate"),
        (HEALTHY.replace("CA : mlx5_0/1 : 1 : ", "CA : "), "expected 18 cells"),
    ],
)
def test_what_is_not_understood_is_refused(text: str, says: str) -> None:
    with pytest.raises(Unreadable, match=says):
        parse(text)
