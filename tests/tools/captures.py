"""Saved outputs by tool and name, and results that carry them."""

from __future__ import annotations

from pathlib import Path

from fixtures.transport.base import CommandResult

CAPTURES = Path(__file__).parents[1] / "captures"


def capture(tool: str, name: str) -> str:
    return (CAPTURES / tool / name).read_text(encoding="utf-8")


def ended(
    stdout: str = "",
    *,
    stderr: str = "",
    rc: int | None = 0,
    timed_out: bool = False,
    truncated: bool = False,
    argv: tuple[str, ...] = ("some-tool", "-x"),
) -> CommandResult:
    return CommandResult(
        host="r03-ct07",
        key="facts/some-tool",
        argv=argv,
        rc=rc,
        stdout_bytes=stdout.encode(),
        stderr_bytes=stderr.encode(),
        timed_out=timed_out,
        truncated=truncated,
    )
