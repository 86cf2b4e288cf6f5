"""No input makes a reader raise anything but a RackError, or return what is not in the text."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures.tools.readers import READERS
from tests.tools.attempt import attempt
from tests.tools.captures import seeds
from tests.tools.damage import damaged

RUNS = settings(
    max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), database=None
)


@pytest.mark.parametrize("tool", sorted(READERS))
@RUNS
@given(text=st.text(max_size=300))
def test_any_text_is_read_or_refused(tool: str, text: str) -> None:
    attempt(tool, text.encode())


@pytest.mark.parametrize("tool", sorted(READERS))
def test_every_reader_has_captures(tool: str) -> None:
    assert seeds(tool) or tool in PLAIN


PLAIN = {"clock", "uname", "boot-id"}
"""Readers of a single word: any text is as good as a capture."""


@pytest.mark.parametrize("tool", [tool for tool in sorted(READERS) if seeds(tool)])
@RUNS
@given(data=st.data())
def test_any_damage_is_read_or_refused(tool: str, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(seeds(tool)))
    text = path.read_text(encoding="utf-8", errors="replace")
    attempt(tool, data.draw(damaged(text)).encode())


@pytest.mark.parametrize("tool", [tool for tool in sorted(READERS) if seeds(tool)])
def test_a_capture_cut_anywhere_is_read_or_refused(tool: str) -> None:
    for path in seeds(tool):
        text = path.read_text(encoding="utf-8", errors="replace")[:20_000]
        for at in range(0, len(text), max(1, len(text) // 50)):
            attempt(tool, text[:at].encode())


KEYS = [
    *("nvbandwidth", "testcases", "name", "status", "bandwidth_matrix", "sum", "results"),
    *("MsgSize", "n_iterations", "BW_peak", "BW_average", "t_avg", "ifname", "port", "result"),
    *("output", "tests", "DCGM Diagnostic", "test_categories", "nodes", "link", "state"),
    *("communicators", "size", "ranks", "topologies", "topology", "tree", "switches"),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=12,
)


@pytest.mark.parametrize("tool", sorted(READERS))
@RUNS
@given(value=JSON)
def test_any_json_is_read_or_refused(tool: str, value: object) -> None:
    attempt(tool, json.dumps(value).encode())
