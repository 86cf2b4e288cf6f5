"""Messages of PCI Express and of the host: the lines of one error are one event."""

from __future__ import annotations

import pytest

from fixtures.tools.hosts.host_events import ErrorSource, LockupKind
from fixtures.tools.hosts.pcie_events import AerSeverity
from tests.tools.hosts.logs import dmesg, read


@pytest.mark.parametrize(
    ("received", "error", "severity"),
    [
        ("Corrected error received: id=00e5", "Corrected", AerSeverity.CORRECTED),
        (
            "Correctable error message received from 0000:00:00.0",
            "Correctable",
            AerSeverity.CORRECTED,
        ),
        (
            "Uncorrected (Fatal) error received: 0000:00:1c.5",
            "Uncorrected (Fatal)",
            AerSeverity.FATAL,
        ),
        (
            "Multiple Uncorrected (Non-Fatal) error received: 0000:00:1c.5",
            "Uncorrected (Non-Fatal)",
            AerSeverity.NON_FATAL,
        ),
    ],
)
@pytest.mark.parametrize("source", ["", "id=00e5"])
def test_an_aer_error_is_one_event_in_every_kernels_words(
    received: str, error: str, severity: AerSeverity, source: str
) -> None:
    (event,) = dmesg(
        f"pcieport 0000:00:1c.5: AER: {received}",
        f"pcieport 0000:00:1c.5: PCIe Bus Error: severity={error}, type=Physical Layer, "
        f"{source}(Receiver ID)",
        "pcieport 0000:00:1c.5:   device [8086:9d15] error status/mask=00001001/0000a000",
        "pcieport 0000:00:1c.5:    [ 0] Receiver Error         (First)",
        "pcieport 0000:00:1c.5:    [12] Timeout               ",
    ).aer
    assert (event.port, event.pci) == ("0000:00:1c.5", "0000:00:1c.5")
    assert (event.severity, event.layer) == (severity, "Physical Layer")
    assert (event.status, event.bits) == (0x1001, ("Receiver Error", "Timeout"))


def test_aer_errors_that_follow_each_other_stay_apart() -> None:
    one = "pcieport 0000:00:03.0: AER: Corrected error received: 0000:01:00.0"
    two = (
        "nvme 0000:01:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)"
    )
    assert len(dmesg(one, two, one, two).aer) == 2
    assert len(dmesg(one, one).aer) == 2


def test_a_limited_pcie_link_is_told_from_a_full_one() -> None:
    (limited,) = read("degraded-ctime.txt").pcie_bandwidth
    assert (limited.limited, limited.limited_at) == (True, "0000:38:00.0")
    assert (limited.speed_gts, limited.width, limited.capable_speed_gts) == (8.0, 16, 32.0)
    assert not any(link.limited for link in read("healthy-dmesg.txt").pcie_bandwidth)


def test_a_firmware_record_is_one_event() -> None:
    (record,) = read("failed-kmsg.txt").hardware_errors
    assert (record.source, record.record) == (ErrorSource.FIRMWARE, 3)
    assert (record.severity, record.section) == ("recoverable", "PCIe error")


def test_events_of_the_host() -> None:
    log = read("failed-journal.txt")
    assert [(kill.process, kill.pid) for kill in log.oom_kills] == [("python3", 70112)]
    assert [(task.process, task.seconds) for task in log.hung_tasks] == [("nvidia-smi", 120)]
    (lockup,) = log.cpu_lockups
    assert (lockup.kind, lockup.cpu, lockup.seconds) == (LockupKind.SOFT, 71, 26)
    assert lockup.process == "kworker/71:1"
    assert len(log.panics) == 1
    (heat,) = read("degraded-ctime.txt").thermal
    assert (heat.cpu, heat.scope, heat.events) == (44, "Package", 12)
    assert len(read("degraded-ctime.txt").hardware_errors) == 2
    assert read("healthy-dmesg.txt").hardware_errors == ()


def test_the_kill_that_old_kernels_announce_counts_once() -> None:
    log = dmesg(
        "Out of memory: Kill process 9 (x) score 900 or sacrifice child",
        "Killed process 9 (x) total-vm:1kB, anon-rss:1kB, file-rss:0kB",
    )
    assert len(log.oom_kills) == 1
