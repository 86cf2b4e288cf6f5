"""Wrappers, sweep and lease as the transport uses them."""

from __future__ import annotations

import asyncio

import pytest

from fixtures.transport import argv as words
from fixtures.transport.base import Command
from lab.simrack.execute import execute, unwrap
from tests.simrack.bench import bench

HOST = "r01-ct01"


def test_the_transports_wrapping_is_taken_off() -> None:
    command = Command(argv=("ibstat", "-l"), key="k", deadline_s=7, sudo=True, env={"A": "b=c"})
    line = unwrap(words.wrap(command, run_id="run-1", token="t1"), {})
    assert line.argv == ("ibstat", "-l")
    assert line.deadline_s == 7
    assert line.env == {"RACKGATE_RUN": "run-1", "RACKGATE_KEY": "t1", "LC_ALL": "C", "A": "b=c"}


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("frob",), "sh: 1: frob: not found\n"),
        (("timeout", "1", "frob"), "timeout: failed to run command 'frob': No such file"),
        (("env", "A=1", "frob"), "env: 'frob': No such file or directory\n"),
        (("sudo", "-n", "frob"), "sudo: frob: command not found\n"),
        (("sh", "-c", "rm -rf /", "name"), "simrack: runs no scripts but"),
    ],
)
def test_an_unknown_program_ends_with_127(argv: tuple[str, ...], said: str) -> None:
    outcome = bench("rack7").run(HOST, *argv)
    assert outcome.rc == 127
    assert outcome.stderr.decode().startswith(said)


def test_a_sweep_ends_its_run_and_nothing_else() -> None:
    rack = bench("rack7")
    machine = rack.site.machines[HOST]

    async def scene() -> list[tuple[int, bytes]]:
        command = Command(argv=("sleep", "9"), key="k", deadline_s=20)
        mine = asyncio.ensure_future(execute(machine, words.wrap(command, run_id="run-1")))
        other = asyncio.ensure_future(execute(machine, words.wrap(command, run_id="run-2")))
        await asyncio.sleep(0.01)
        asked = Command(argv=words.sweep("run-1"), key="sweep", deadline_s=5)
        swept = await execute(machine, words.wrap(asked, run_id="run-1"))
        ended = await mine
        assert not other.done()
        other.cancel()
        return [(swept.rc, swept.stdout.split()[1]), (ended.rc, ended.stdout)]

    assert asyncio.run(scene()) == [(0, b"sleep"), (143, b"")]


def test_a_lease_is_held_renewed_and_expires() -> None:
    rack = bench("rack7")

    def ask(act: str, owner: str, run_id: str, ttl_s: float = 60) -> tuple[int, str]:
        outcome = rack.run(HOST, *words.lease(act, owner=owner, run_id=run_id, ttl_s=ttl_s))
        return outcome.rc, outcome.stdout.decode().rsplit(" ", 1)[0].strip()

    assert ask("renew", "ann", "run-1") == (0, "none")
    assert ask("take", "ann", "run-1") == (0, "taken")
    assert ask("take", "ann", "run-1") == (0, "taken")
    assert ask("take", "bob", "run-2") == (3, "held ann run-1")
    assert ask("renew", "ann", "run-1") == (0, "renewed")
    lease = rack.site.machines[HOST].lease
    assert lease is not None
    lease.expires = 0
    assert ask("take", "bob", "run-2") == (0, "replaced")
    assert ask("release", "ann", "run-1") == (0, "none")
    assert ask("release", "bob", "run-2") == (0, "released")
