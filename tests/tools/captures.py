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


SHARED = {
    "nvidia-smi-q": ("nvidia-smi/*",),
    "nvlink-s": ("nvlink-status/*",),
    "ib-sysfs": ("infiniband/*sysfs.txt",),
    "ib-counters": ("infiniband/*counters.txt",),
    "perftest": ("perftest/version.txt",),
    "perftest-bw": ("perftest/bw-*",),
    "perftest-lat": ("perftest/lat-*",),
    "os-release": ("host-facts/os-release.txt",),
    "meminfo": ("host-facts/meminfo.txt",),
    "dmi": ("host-facts/dmi.txt",),
    "nvidia-version": ("host-facts/nvidia-version-*.txt",),
    "pci-gpu": ("host-facts/pci.txt",),
    "pci-path": ("host-facts/pci-path-*.txt",),
}
"""Where a reader's captures lie, if not in a folder of its own name."""


def seeds(reader: str) -> list[Path]:
    """The captures that a reader reads."""
    patterns = SHARED.get(reader, (f"{reader}/*",))
    return sorted(path for pattern in patterns for path in CAPTURES.glob(pattern))
