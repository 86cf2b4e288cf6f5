"""Argument lists reach a program unchanged, and what no host would take is refused here."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.model.errors import RackError
from fixtures.transport import argv
from fixtures.transport.base import Command

ARGUMENTS = st.lists(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), max_size=5
)


@given(ARGUMENTS)
def test_quote_survives_a_shell(arguments: list[str]) -> None:
    assert shlex.split(argv.quote(["printf", *arguments])) == ["printf", *arguments]


@pytest.mark.parametrize("shell", [["sh"], ["bash"], ["busybox", "sh"]], ids=" ".join)
def test_quote_is_read_by_every_shell(shell: list[str]) -> None:
    arguments = ["a b", "'", '"', "$HOME", "`id`", "\\", "*", "", "\n", "ü", "-x", "a;b|c&d>e"]
    line = argv.quote(["printf", "%s\\0", *arguments])
    printed = subprocess.run([*shell, "-c", line], capture_output=True, check=True).stdout
    assert printed.decode().split("\0")[:-1] == arguments


def test_wrap_is_the_contract() -> None:
    command = Command(argv=("nvidia-smi", "-q"), key="k", deadline_s=29.2, env={"A": "b c"})
    assert argv.wrap(command, run_id="run1") == (
        *("env", "RACKGATE_RUN=run1", "LC_ALL=C", "A=b c"),
        *("setsid", "-w", "timeout", "-k", "5", "30", "nvidia-smi", "-q"),
    )


def test_wrap_puts_sudo_in_front() -> None:
    command = Command(argv=("dmidecode",), key="k", sudo=True)
    assert argv.wrap(command, run_id="run1")[:3] == ("sudo", "-n", "env")
    assert argv.wrap(command, run_id="run1", sudo=False)[0] == "env"


@pytest.mark.parametrize("words", [[], ["a\0b"], ["x" * 130_000]], ids=["empty", "NUL", "long"])
def test_quote_refuses(words: list[str]) -> None:
    with pytest.raises(RackError, match=r"cannot run|command line"):
        argv.quote(words)


@pytest.mark.parametrize("run_id", ["", "a b", "$(id)", "a/b", "x" * 200])
def test_run_id_is_one_word(run_id: str) -> None:
    with pytest.raises(RackError, match="run id"):
        argv.wrap(Command(argv=("true",), key="k"), run_id=run_id)


def test_env_names_are_checked() -> None:
    with pytest.raises(RackError, match="environment variable"):
        argv.wrap(Command(argv=("true",), key="k", env={"A=B": "c"}), run_id="run1")


def test_bundle_takes_no_stdin() -> None:
    with pytest.raises(RackError, match="standard input"):
        argv.in_bundle(Command(argv=("cat",), key="k", stdin=b"x"))
