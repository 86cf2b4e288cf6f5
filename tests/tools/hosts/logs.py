"""Logs for the tests of what they say: captures, and messages as dmesg prints them."""

from __future__ import annotations

from fixtures.tools.hosts import kernel_log
from fixtures.tools.hosts.kernel_log import KernelLog
from tests.tools.captures import capture


def read(name: str) -> KernelLog:
    return kernel_log.parse(capture("kernel-log", name))


def dmesg(*messages: str) -> KernelLog:
    return kernel_log.parse("".join(f"[    1.{n:06}] {m}\n" for n, m in enumerate(messages)))
