"""Partition tables: who shares the partition of most ports, and who cannot talk to its like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.model.errors import RackError, Unreadable
from fixtures.tools.fabric import pkeys

FOLDER = "/sys/class/infiniband/mlx5_0/ports/1/pkeys"


def test_a_table_is_read_in_its_order() -> None:
    text = f"{FOLDER}/0:0xffff\n{FOLDER}/1:0x8001\n"
    assert pkeys.parse(text) == {"mlx5_0": (0xFFFF, 0x8001)}
    assert pkeys.parse("") == {}


@pytest.mark.parametrize("line", [f"{FOLDER}/0:65535", f"{FOLDER}/x:0xffff", "/sys/x:0xffff"])
def test_what_is_no_key_is_refused(line: str) -> None:
    with pytest.raises(Unreadable, match="expected a key"):
        pkeys.parse(line + "\n")


def test_two_limited_members_cannot_talk() -> None:
    """Host A is a full member of partition 1, B and C are limited ones (C53)."""
    found = pkeys.states({"a": (0x8001,), "b": (0x0001,), "c": (0x0001,)})
    assert found["a"] == "member"
    assert "limited member of 0x0001" in str(found["b"])
    assert found["b"] == found["c"]


def test_the_port_in_another_partition_is_named() -> None:
    gone = RackError("no answer", reason="unreachable")
    found = pkeys.states(
        {"a": (0xFFFF,), "b": (0x7FFF, 0xFFFF), "c": (0x8001,), "d": (), "e": gone}
    )
    assert (found["a"], found["b"], found["e"]) == ("member", "member", gone)
    assert "it has 0x8001" in str(found["c"])
    assert "it has none" in str(found["d"])


@given(st.lists(st.integers(1, 0xFFFF), min_size=1, max_size=5), st.integers(1, 9))
def test_ports_with_one_table_are_all_the_same(keys: list[int], ports: int) -> None:
    found = pkeys.states({f"p{number}": tuple(keys) for number in range(ports)})
    assert len(set(found.values())) == 1
