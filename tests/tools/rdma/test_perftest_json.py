"""The file of `--out_json`, in the shapes of its versions."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.rdma import perftest
from fixtures.tools.readers import READERS
from tests.tools.captures import capture, ended


def bw(name: str) -> str:
    return capture("perftest", f"bw-{name}")


def lat(name: str) -> str:
    return capture("perftest", f"lat-{name}")


def test_json_alone_does_not_say_its_unit() -> None:
    [row] = READERS["perftest-bw"](ended(bw("healthy.json"))).rows
    assert (row.average_in_unknown_unit, row.peak_in_unknown_unit) == (391.87, 392.11)
    assert row.unit == "Gb/sec"
    pasted = f"$ cat perftest_out.json\n{bw('healthy.json')}$ \n"
    assert READERS["perftest-bw"](ended(pasted)).rows == (row,)


def test_the_json_of_old_versions_is_read_by_its_lines() -> None:
    report = READERS["perftest-bw"](ended(bw("unquoted.json")))
    assert (report.test, report.settings) == ("RDMA_Write_BW_Test", {"Mtu": "4096"})
    [row] = report.rows
    assert (row.size_bytes, row.average_in_unknown_unit) == (65536, 391.87)
    assert READERS["perftest-lat"](ended(lat("unquoted.json"))).rows == perftest.parse_latency(
        lat("healthy.txt")
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("MsgRate: 0.747432,\n", ""),  # complete without it
        ("},\n}", "},\n"),
        ("Mtu: 4096,", "Mtu 4096,"),
        ("BW_peak: 392.11,", "BW_peak: 392.11.7,"),
        ("BW_peak: 392.11,", "BW_peak: 392.11,\nBW_peak: 1.0,"),
        ("results: {", "other: {"),
        ("},\n}\n", "},\n}\n{\n}\n"),
    ],
)
def test_what_is_not_the_old_shape_is_unreadable(old: str, new: str) -> None:
    text = bw("unquoted.json").replace(old, new)
    if not new and "MsgRate" in old:
        assert perftest.parse_bandwidth_json(text)[0].mpps is None
        return
    with pytest.raises(Unreadable):
        perftest.parse_bandwidth_json(text)


def test_json_of_both_directions_has_an_end_or_is_not_complete() -> None:
    overwritten = bw("healthy.json").replace("Write_BW", "Write_Bidirectional_BW")
    assert not READERS["perftest-bw"](ended(overwritten)).complete
    assert READERS["perftest-bw"](ended(bw("healthy.json"))).complete
    both = READERS["perftest-bw"](ended(bw("both-directions.json")))
    assert [(row.end, row.average_in_unknown_unit) for row in both.rows] == [
        ("local", 390.11), ("remote", 389.99),
    ]  # fmt: skip
    assert both.complete


def test_json_of_one_number_has_no_size() -> None:
    for name in ("bw_avg", "msgRate_avg"):
        text = f'{{\n"results": {{\n"{name}": 97.481230,\n}}\n}}\n'
        with pytest.raises(Unreadable, match="--output"):
            READERS["perftest-bw"](ended(text))


def test_duration_json_has_an_average_only() -> None:
    [row] = perftest.parse_latency_json(lat("duration.json"))
    assert (row.average_us, row.typical_us, row.transactions_per_s) == (1.75, None, 285714.28)
    assert row.cpu_util_percent == 3.12
