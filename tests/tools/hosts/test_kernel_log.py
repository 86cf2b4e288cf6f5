"""Kernel logs: every form that tools keep one in, and what counts as the kernel's."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from fixtures.model.errors import RackError, ToolFailed, Unreadable
from fixtures.tools.hosts import kernel_log
from fixtures.tools.hosts.kernel_log import KernelLog
from tests.tools.captures import capture

XID = "NVRM: Xid (PCI:0000:4c:00): 79, pid=7, name=x, GPU has fallen off the bus."


def read(name: str) -> KernelLog:
    return kernel_log.parse(capture("kernel-log", name))


FORMS = {
    "dmesg": f"[ 1412.890184] {XID}",
    "dmesg -T": f"[Sat Mar  7 01:02:03 2026] {XID}",
    "dmesg -T, other month names": f"[六 3月  7 01:02:03 2026] {XID}",
    "dmesg -x": f"kern  :err   : [ 1412.890184] {XID}",
    "dmesg -x -t": f"kern  :err   : {XID}",
    "dmesg -r": f"<3>[ 1412.890184] {XID}",
    "dmesg -d": f"[ 1412.890184 <    0.000012>] {XID}",
    "dmesg -H": f"[  +0.000844] {XID}",
    "dmesg -H, first of a minute": f"[Mar 7 01:02] {XID}",
    "dmesg --time-format iso": f"2026-03-07T01:02:03,123456+00:00 {XID}",
    "dmesg with the caller": f"[ 1412.890184][  T291] {XID}",
    "kmsg": f"3,1,1412890184,-;{XID}",
    "kmsg with the caller": f"3,1,1412890184,-,caller=C3;{XID}",
    "journalctl": f"Mar 07 01:02:03 r07-ct03 kernel: {XID}",
    "journalctl --no-hostname": f"Mar 07 01:02:03 kernel: {XID}",
    "journalctl, French": f"mars 07 01:02:03 r07-ct03 kernel: {XID}",
    "journalctl -o short-precise": f"Mar 07 01:02:03.123456 r07-ct03 kernel: {XID}",
    "journalctl -o short-iso": f"2026-03-07T01:02:03+0100 r07-ct03 kernel: {XID}",
    "journalctl -o short-iso-precise": f"2026-03-07T01:02:03.123456+01:00 r07-ct03 kernel: {XID}",
    "journalctl -o short-full": f"Sat 2026-03-07 01:02:03 UTC r07-ct03 kernel: {XID}",
    "journalctl -o short-unix": f"1772845323.123456 r07-ct03 kernel: {XID}",
    "journalctl -o short-monotonic": f"[ 1412.890184] r07-ct03 kernel: {XID}",
    "syslog, with the kernel's stamp": f"Mar  7 01:02:03 r07-ct03 kernel: [ 1412.890184] {XID}",
    "syslog, RFC 5424": f"<3>1 2026-03-07T01:02:03.5Z r07-ct03 kernel - - - {XID}",
    "syslog, repeated": f"Mar  7 01:02:03 h kernel: message repeated 2 times: [ {XID}]",
    "no stamp": XID,
    "no stamp, source": f"kernel: {XID}",
    "no stamp, stamp behind the source": f"kernel: [1412.890184] {XID}",
    "grep over files": f"/var/log/syslog.1:Mar  7 01:02:03 r07-ct03 kernel: {XID}",
    "grep -n": f"88:[ 1412.890184] {XID}",
    "pdsh": f"r07-ct03: [ 1412.890184] {XID}",
    "srun --label": f"0: [ 1412.890184] {XID}",
    "indented": f"    [ 1412.890184] {XID}",
    "copied out of an editor with numbers": f"1701 [ 1412.890184] {XID}",
    "two sources": f"kernel: Mar  7 01:02:03 r07-ct03 kernel: {XID}",
    "quoted in a mail": f"> [ 1412.890184] {XID}",
    "quoted twice": f"> > [ 1412.890184] {XID}",
    "journalctl, Chinese": f"3月 07 01:02:03 r07-ct03 kernel: {XID}",
    "talosctl dmesg": f"10.5.0.2: kern: warning: [2026-03-07T01:02:03.123456789Z]: {XID}",
    "a fence on the line": f"```[ 1412.890184] {XID}```",
    "code in a list": f"- `[ 1412.890184] {XID}`",
    "stressed": f"**[ 1412.890184] {XID}**",
    "stressed behind the stamp": f"Mar  7 01:02:03 r07-ct03 kernel: **{XID}**",
    "copied without its first bracket": f" 1412.890184] {XID}",
    "grep -r, no stamp": f"./r07/dmesg.txt:{XID}",
    "grep -n over files": f"kern.log:88:[ 1412.890184] {XID}",
    "zgrep": f"/var/log/syslog.2.gz:Mar  7 01:02:03 r07-ct03 kernel: {XID}",
    "grep -A": f"kern.log-Mar  7 01:02:03 r07-ct03 kernel: {XID}",
    "copied from GNOME Logs": f"01:02:03 kernel: {XID}",
    "kubectl get events": f"11m   Warning   GpuXid   node/r07-ct03   {XID}",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_log_is_read(form: str) -> None:
    for text in (FORMS[form], FORMS[form] + "\n", FORMS[form] + "\r\n"):
        log = kernel_log.parse(text)
        assert [(xid.code, xid.pci, xid.process) for xid in log.xids] == [(79, "0000:4c:00.0", "x")]
        assert log.messages == log.kernel_messages == 1


def test_a_stamp_says_what_is_certain_and_no_more() -> None:
    def at(form: str) -> tuple[float | None, datetime | None, str | None]:
        where = kernel_log.parse(FORMS[form]).xids[0].at
        return where.uptime_s, where.time, where.host

    assert at("dmesg") == (1412.890184, None, None)
    assert at("dmesg -T") == (None, datetime(2026, 3, 7, 1, 2, 3), None)
    assert at("dmesg -T, other month names") == (None, datetime(2026, 3, 7, 1, 2, 3), None)
    assert at("journalctl") == (None, None, "r07-ct03")
    assert at("journalctl -o short-unix")[1] == datetime(2026, 3, 7, 1, 2, 3, 123456, UTC)
    assert at("journalctl -o short-monotonic") == (1412.890184, None, "r07-ct03")
    assert at("syslog, with the kernel's stamp") == (1412.890184, None, "r07-ct03")
    assert at("pdsh") == (1412.890184, None, "r07-ct03")


@pytest.mark.parametrize(
    "line",
    [
        f"Mar  7 01:02:03 r07-ct03 trainer[812]: {XID}",
        f"2026-03-07T01:02:03Z r07-ct03 trainer: {XID}",
        f"<3>1 2026-03-07T01:02:03Z r07-ct03 trainer 812 - - {XID}",
        f"daemon:err   : [ 1412.890184] {XID}",
        f"<27>[ 1412.890184] {XID}",
        f"27,1,1412890184,-;{XID}",
        f"[ 1412.890184] systemd[1]: {XID}",
        f"Mar  7 01:02:03 r07-ct03 kernel: audit: {XID}",
        f"Mar  7 01:02:03 r07-ct03 trainer[812]: first line\n{XID}",
        f"[ 1412.890184] systemd[1]: something\n    {XID}",
        f"[ 1412.890184] Look for '{XID}'",
        f"[ 1412.890184] Linux\n| Xid 79  {XID} |",
        f"[ 1412.890184] Linux\n| Xid 79 | `dmesg` says `{XID}` |",
        f"Mar  7 01:02:03 r07-ct03 trainer[812]: first line\n    {XID}",
    ],
)
def test_what_a_program_writes_is_not_the_kernels(line: str) -> None:
    assert kernel_log.parse(line).xids == ()


def test_a_journal_in_json_says_who_wrote() -> None:
    log = read("journal.json")
    assert [xid.code for xid in log.xids] == [79]
    assert log.messages == 3
    assert log.kernel_messages == 2
    assert log.xids[0].at.uptime_s == 88.120001
    assert log.xids[0].at.host == "r07-ct04"
    assert [xid.code for xid in read("dmesg.json").xids] == [63]


def test_a_journal_of_fields_says_who_wrote() -> None:
    log = read("journal-export.txt")
    assert (log.messages, log.kernel_messages) == (2, 1)
    (xid,) = log.xids
    assert (xid.pci, xid.at.host, xid.at.uptime_s) == ("0009:01:00.0", "r07-ct04", 88.120001)
    assert xid.at.time == datetime(2026, 3, 7, 1, 2, 3, 123456, UTC)


def test_a_verbose_journal_keeps_messages_of_several_lines_whole() -> None:
    log = read("journal-verbose.txt")
    (lost,) = log.gpus_lost
    assert (lost.pci, lost.at.host, log.messages) == ("0000:b3:00.0", "r07-ct04", 2)
    assert lost.at.time == datetime(2026, 3, 7, 1, 2, 3, 123456, UTC)
    assert [link.interface for link in log.links] == ["ibp94s0"]


def test_a_value_of_several_lines_in_an_export_is_one_message() -> None:
    lines = [
        "__CURSOR=s=1",
        "_TRANSPORT=kernel",
        "MESSAGE",
        "\x60\0\0\0\0\0\0\0NVRM: The NVIDIA GPU ",
    ]
    lines[-1] += (
        "0000:b3:00.0\nNVRM: (PCI ID: 10de:2941)\nNVRM: fallen off the bus and is not there."
    )
    (lost,) = kernel_log.parse("\n".join([*lines, "_HOSTNAME=r07-ct04", ""])).gpus_lost
    assert (lost.pci, lost.at.host) == ("0000:b3:00.0", "r07-ct04")


def test_a_log_without_events_is_a_reading() -> None:
    log = kernel_log.parse("Aug  1 00:00:01 h systemd[1]: Started it.\n")
    assert (log.messages, log.kernel_messages, log.xids, log.links) == (1, 0, (), ())


def test_a_message_of_several_lines_is_one_message() -> None:
    """dmesg and journalctl indent the further lines; kmsg and JSON keep the line feeds."""
    lines = ["NVRM: The NVIDIA GPU 0000:b3:00.0", "NVRM: (PCI ID: 10de:26b5) installed in this has"]
    lines.append("NVRM: fallen off the bus and is not responding to commands.")
    texts = [
        "[ 1843.308145] " + "\n               ".join(lines),
        "Mar  7 01:02:03 h kernel: " + "\n                          ".join(lines),
        "3,1,1843308145,-;" + "\\x0a".join(lines),
        json.dumps({"_TRANSPORT": "kernel", "MESSAGE": "\n".join(lines)}),
    ]
    for text in texts:
        log = kernel_log.parse(text)
        assert [lost.pci for lost in log.gpus_lost] == ["0000:b3:00.0"]
        assert (log.messages, log.kernel_messages) == (1, 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "-- No entries --\n",
        "2026-03-07 01:02:03 INFO trainer: step 12\n",
        "[Mar 07 2026 01:02:03] [ERROR] [tid 7] detected NVSwitch fatal error 12020\n",
        "r07-ct03:812:900 [0] NCCL INFO Using network IB\n",
        "0: [    1.000000] Linux\n1: [    1.000000] Linux\n",
        '{"MESSAGE": "cut',
        "GPU 0: NVIDIA H200\n",
    ],
)
def test_what_is_no_log_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        kernel_log.parse(text)


def test_a_refused_buffer_is_told() -> None:
    with pytest.raises(ToolFailed, match="Operation not permitted"):
        kernel_log.parse("dmesg: read kernel buffer failed: Operation not permitted\n")


def test_an_xid_that_is_cut_is_refused() -> None:
    for length in range(len("NVRM: Xid"), len("NVRM: Xid (PCI:0000:4c:00): 79")):
        with pytest.raises(RackError):
            kernel_log.parse(f"[ 1412.890184] {XID[:length]}")


def test_a_labelled_log_keeps_its_lines_among_others() -> None:
    text = f"srun: job 7 queued\n0: [    1.000000] Linux version 6.8\n0: [ 1412.890184] {XID}\n"
    assert len(kernel_log.parse(text).xids) == 1
    with pytest.raises(Unreadable, match="2 tasks"):
        kernel_log.parse(f"srun: job 7 queued\n0: [    1.000000] x\n1: [    2.000000] {XID}\n")


def test_bare_lines_count_among_stamped_ones_of_dmesg() -> None:
    log = kernel_log.parse(f"[    1.000000] Linux version 6.8\n{XID}\n")
    assert len(log.xids) == 1
    assert log.messages == 2


def test_the_head_of_a_pstore_record_is_no_message() -> None:
    text = (
        f"dmesg-erst-7000000000000000001:\nPanic#1 Part2\n<6>[    2.5] usb x\n<4>[    9.5] {XID}\n"
    )
    log = kernel_log.parse(text)
    assert [xid.code for xid in log.xids] == [79]
    assert log.first is not None
    assert (log.messages, log.first.uptime_s) == (2, 2.5)
