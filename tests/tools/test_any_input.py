"""No input makes a reader raise anything but a RackError, or return without having understood."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures.tools.readers import READERS
from tests.tools.attempt import attempt
from tests.tools.captures import seeds

PIECES = [
    *("nan", "-1", "0", "inf", "1e999", "9223372036854775794", "N/A", "[N/A]", "-", "GPU is lost"),
    *(" ", "\n", "\t", ":", "/", "(", "{", "]", '"', "<", ">", "&", "\0", "٣", "9" * 400),
    *("4294967295", "null", "true", "Unknown Error", "#", "..."),
]
RUNS = settings(
    max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), database=None
)


@pytest.mark.parametrize("tool", sorted(READERS))
@RUNS
@given(text=st.text(max_size=300))
def test_any_text_is_read_or_refused(tool: str, text: str) -> None:
    attempt(tool, text.encode())


@st.composite
def damaged(draw: st.DrawFn, tool: str) -> str:
    """A capture with pieces replaced, cut out, or doubled."""
    text = draw(st.sampled_from(seeds(tool))).read_text(encoding="utf-8", errors="replace")
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, max(len(text) - 1, 0)))
        length = draw(st.sampled_from([0, 1, 2, 5, 20, 200, 2000]))
        text = text[:start] + draw(st.sampled_from([*PIECES, ""])) + text[start + length :]
    return text


@pytest.mark.parametrize("tool", [tool for tool in sorted(READERS) if seeds(tool)])
@RUNS
@given(data=st.data())
def test_any_damage_is_read_or_refused(tool: str, data: st.DataObject) -> None:
    attempt(tool, data.draw(damaged(tool)).encode())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("nvbandwidth", "testcases", "name", "status", "bandwidth_matrix", "sum"),
                    *("results", "MsgSize", "n_iterations", "BW_peak", "BW_average", "t_avg"),
                    *("ifname", "port"),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    "tool", ["nvbandwidth", "rdma-link", "perftest-bw-json", "perftest-lat-json"]
)
@RUNS
@given(value=JSON)
def test_any_json_is_read_or_refused(tool: str, value: object) -> None:
    attempt(tool, json.dumps(value).encode())
