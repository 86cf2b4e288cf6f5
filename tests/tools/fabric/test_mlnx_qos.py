"""`mlnx_qos`: what a port trusts, and which priorities are lossless."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.fabric import mlnx_qos
from tests.simrack.bench import bench

TEXT = """\
DCBX mode: OS controlled
Priority trust state: {trust}
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     {enabled}
\tbuffer      0   0   0   1   0   0   0   0
tc: 0 ratelimit: unlimited, tsa: vendor
"""
THREE = "0   0   0   1   0   0   0   0   "


@pytest.mark.parametrize(
    ("trust", "enabled", "pauses"),
    [
        ("dscp", THREE, "3"),
        ("pcp", THREE, "3"),
        ("dscp", "0 " * 8, "none"),
        ("dscp", "1 " * 8, "0,1,2,3,4,5,6,7"),
    ],
)
def test_trust_and_pauses_are_read(trust: str, enabled: str, pauses: str) -> None:
    qos = mlnx_qos.parse(TEXT.format(trust=trust, enabled=enabled))
    assert (qos.trust, qos.pauses) == (trust, pauses)


@pytest.mark.parametrize(
    "text", ["", "Priority trust state: dscp\n", TEXT.format(trust="dscp", enabled=THREE) * 2]
)
def test_what_is_no_report_of_one_port_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="expected one trust state"):
        mlnx_qos.parse(text)


def test_the_lab_prints_what_is_read() -> None:
    rack = bench("roce4", "port.trust_pcp@n2/mlx5_1/1")
    asked = [mlnx_qos.command(f"eth{at}", "facts/qos") for at in range(2)]
    first, second = (mlnx_qos.read(rack.result("n2", one)) for one in asked)
    assert (first.trust, first.pauses, second.trust) == ("dscp", "3", "pcp")
