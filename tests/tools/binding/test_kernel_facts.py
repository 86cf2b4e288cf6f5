"""Errors in a kernel log become counts of parts; what cannot be known is no zero."""

from __future__ import annotations

import pytest

from fixtures.model.errors import RackError, ToolFailed, Unreadable
from fixtures.tools.binding.kernel_facts import KernelFacts
from fixtures.transport.base import CommandResult
from tests.areas.answers import answer, facts, shipped

TRAY = shipped("rack7").hosts["r01-ct01"]
GPU0, GPU1 = (gpu.part for gpu in TRAY.gpus[:2])
BEGIN = "kern  :notice: [    0.000000] Linux version 6.8.0\n"
UNKNOWN = "pid='<unknown>', name=<unknown>"
LOST = f"NVRM: Xid (PCI:0009:01:00): 79, {UNKNOWN}, GPU has fallen off the bus."
LINK = "NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 09 (0x00412011 0x0 0x0)"
IGNORED = "NVRM: Xid (PCI:0008:01:00): 145, RLW_RXPIPE Nonfatal XC0 i0 Link 13 (0x0001a006 0x8 0x0)"


def kernel(*messages: str, begin: str = BEGIN, result: CommandResult | None = None) -> KernelFacts:
    lines = (f"kern  :err   : [ 4211.{n:06}] {text}\n" for n, text in enumerate(messages))
    return KernelFacts(facts(TRAY, {"kernel-log": result or answer(begin + "".join(lines))}))


def test_a_fatal_error_is_counted_at_its_gpu_alone() -> None:
    found = kernel(LOST)
    assert [found.fatal(gpu).count for gpu in (GPU0, GPU1)] == [0, 1]
    assert found.fatal(GPU1).detail == "Xid 79: RESTART_BM, CONTACT_SUPPORT"
    assert found.nvlink(GPU1).count == 0


def test_nvlink_errors_are_counted_apart_and_say_the_link() -> None:
    found = kernel(LINK, LINK)
    assert (found.nvlink(GPU1).count, found.fatal(GPU1).count) == (2, 0)
    assert "NETIR_LINK_EVT Fatal link 9" in found.nvlink(GPU1).detail


def test_what_the_catalogue_ignores_and_what_a_new_start_cures_is_no_error() -> None:
    own = "NVRM: Xid (PCI:0008:01:00): 31, pid=7, name=python3, Ch 00000008, intr 0. MMU Fault"
    found = kernel(IGNORED, own)
    assert (found.nvlink(GPU0).count, found.fatal(GPU0).count) == (0, 0)
    assert [xid.code for xid in found.log.xids] == [145, 31]


def test_an_error_that_no_catalogue_lists_counts() -> None:
    assert kernel("NVRM: Xid (PCI:0008:01:00): 999, something new").fatal(GPU0).count == 1


def test_a_gpu_that_is_in_no_slot_is_nobodys() -> None:
    other = LOST.replace("0009:01", "0000:1b")
    answers = {"kernel-log": answer(f"{BEGIN}[ 9.000000] {other}\n"), "nic-pci": answer("")}
    found = KernelFacts(facts(TRAY, {**answers, "ib-sysfs": answer("", rc=1)}))
    assert [found.fatal(gpu.part).count for gpu in TRAY.gpus] == [0, 0, 0, 0]


def test_a_log_without_its_beginning_proves_no_absence() -> None:
    found = kernel(LOST, begin="kern  :info  : [ 4000.000000] audit: backlog\n")
    assert isinstance(found.fatal(GPU0).count, Unreadable)
    assert found.fatal(GPU1).count == 1


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        (answer(err="dmesg: read kernel buffer failed: Operation not permitted", rc=1), ToolFailed),
        (answer("[    0.0] NVRM: Xid 79, GPU has fallen off the bus.\n"), RackError),
    ],
)
def test_a_log_that_cannot_be_read_or_bound_raises(
    result: CommandResult, kind: type[RackError]
) -> None:
    with pytest.raises(kind):
        kernel(result=result).fatal(GPU0)


def test_a_nic_that_does_not_come_up_is_a_fault_of_its_tray() -> None:
    text = "mlx5_core 0002:03:00.0: mlx5_init_one failed with error code -110"
    found = kernel(text).nic_faults
    assert (found.count, found.detail.split(":03")[0]) == (1, "0002")
    short = kernel(begin="kern  :info  : [ 4000.000000] audit: backlog\n").nic_faults
    assert isinstance(short.count, Unreadable)


def test_hung_tasks_are_named() -> None:
    hung = kernel("INFO: task nvidia-smi:4242 blocked for more than 120 seconds.").hung
    assert (hung.count, hung.detail) == (1, "nvidia-smi (pid 4242, 120 s)")
