"""procfs, sysfs and the files that programs wrote, as `cat`, `grep` and `rm` see them.

A file is text or a function that gives its text now: links change speed under load, counters move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise

from lab.simrack.devices import GpuState, PortState
from lab.simrack.machine import Call, Machine
from lab.simrack.views import card_files, host_files, imex, infiniband

Content = str | Callable[[], str]
IB = "/sys/class/infiniband"
PCI = "/sys/bus/pci/devices"
DMI = "/sys/class/dmi/id"
_ERROR_COUNTERS = (
    *("VL15_dropped", "excessive_buffer_overrun_errors", "link_downed", "link_error_recovery"),
    *("local_link_integrity_errors", "multicast_rcv_packets", "multicast_xmit_packets"),
    *("port_rcv_constraint_errors", "port_rcv_errors", "port_rcv_remote_physical_errors"),
    *("port_rcv_switch_relay_errors", "port_xmit_constraint_errors", "port_xmit_discards"),
    *("port_xmit_wait", "symbol_error"),
)
_ERROR_HW_COUNTERS = (
    *("duplicate_request", "implied_nak_seq_err", "local_ack_timeout_err", "out_of_buffer"),
    *("out_of_sequence", "packet_seq_err", "req_cqe_error", "req_cqe_flush_error"),
    *("req_remote_access_errors", "req_remote_invalid_request", "resp_cqe_error"),
    *("resp_cqe_flush_error", "resp_local_length_error", "resp_remote_access_errors"),
    *("rnr_nak_retry_err", "roce_adp_retrans", "roce_adp_retrans_to", "roce_slow_restart"),
    *("roce_slow_restart_cnps", "roce_slow_restart_trans", "rx_atomic_requests"),
    *("rx_dct_connect", "rx_icrc_encapsulated", "rx_read_requests"),
)
GENERATIONS = {1: "2.5", 2: "5.0", 3: "8.0", 4: "16.0", 5: "32.0"}
"""Rate of a PCIe lane by generation."""
GIDS, NO_GID = 8, ":".join(["0000"] * 8)
"""Entries of a port's table that are shown here; real ones have 256."""
WORD_BYTES = 4
"""`port_xmit_data` and `port_rcv_data` count four-byte words (InfiniBand, PortCounters)."""


def tree(machine: Machine) -> dict[str, Content]:
    """Every file that this host has, by path, without those that programs wrote."""
    host = machine.state
    files: dict[str, Content] = {
        "/proc/sys/kernel/random/boot_id": f"{host.boot_id}\n",
        "/etc/os-release": _os_release(machine),
        "/etc/hostname": f"{host.own_name}\n",
        "/proc/meminfo": host_files.meminfo(machine),
        **host_files.files(host),
        **_dmi(machine),
        **imex.files(machine),
    }
    if host.gpus and host.driver_trouble != "not-loaded":
        files["/proc/driver/nvidia/version"] = _driver_version(host.driver)
    ufm = machine.site.world.network.ufm
    if ufm and ufm.host == host.name:
        files[ufm.path] = lambda: ufm.log(machine.now())
    for gpu in host.on_bus:
        files.update(_pci_gpu(machine, gpu))
    for port in host.fitted:
        files.update(_ib(port))
        files.update(card_files.files(host, port, f"{IB}/{port.device}"))
    return files


def _os_release(machine: Machine) -> str:
    if machine.state.os == "nvos":
        return 'NAME="NVIDIA Networking OS"\nID=nvos\nVERSION_ID=25.02\n'
    name = machine.site.world.product.os_name
    return f'PRETTY_NAME="{name}"\nNAME="Ubuntu"\nID=ubuntu\nVERSION_ID="{name.split()[1][:5]}"\n'


def _dmi(machine: Machine) -> dict[str, Content]:
    product = machine.site.world.product
    serial = machine.state.serial
    values = {
        "product_name": product.host_product,
        "product_serial": serial,
        "board_serial": serial,
        "bios_version": product.bios,
    }
    return {f"{DMI}/{name}": f"{value}\n" for name, value in values.items()}


def _driver_version(version: str) -> str:
    return (
        f"NVRM version: NVIDIA UNIX Open Kernel Module  {version}  Release Build\n"
        "GCC version:  gcc version 13.3.0 (Ubuntu 13.3.0-6ubuntu2~24.04)\n"
    )


def _bridges(machine: Machine, gpu: GpuState) -> dict[str, Content]:
    """The ports above a GPU: a root port, or where servers have PCIe switches a switch's lower and
    upper port and the root port above."""
    own = gpu.pcie_width if not gpu.lost else 0
    switched = not machine.site.world.product.clustered
    widths = [own, gpu.switch_width, gpu.switch_width] if switched else [own]
    files: dict[str, Content] = {}
    for level, width in enumerate(widths, 1):
        above = f"{PCI}/{gpu.pci}{'/..' * level}"
        files[f"{above}/current_link_width"] = f"{width}\n"
        files[f"{above}/max_link_width"] = "16\n"
    return files


def _pci_gpu(machine: Machine, gpu: GpuState) -> dict[str, Content]:
    def speed() -> str:
        if gpu.lost:
            return "Unknown\n"
        return f"{GENERATIONS[gpu.pcie_gen if machine.loads else 1]} GT/s PCIe\n"

    folder = f"{PCI}/{gpu.pci}"
    return {
        f"{folder}/current_link_speed": speed,
        f"{folder}/current_link_width": "63\n" if gpu.lost else f"{gpu.pcie_width}\n",
        f"{folder}/max_link_speed": "Unknown\n" if gpu.lost else "32.0 GT/s PCIe\n",
        f"{folder}/max_link_width": "255\n" if gpu.lost else "16\n",
        **_bridges(machine, gpu),
        f"{folder}/vendor": "0x10de\n",
        f"{folder}/device": f"0x{machine.site.world.product.device_id[:4].lower()}\n",
        f"{folder}/class": "0x030200\n",
    }


def _ib(port: PortState) -> dict[str, Content]:
    folder = f"{IB}/{port.device}"
    inner = f"{folder}/ports/1"
    words = [port.guid[at : at + 4] for at in range(0, 16, 4)]
    gid = infiniband.gid(port)
    values: dict[str, Content] = {
        f"{folder}/node_guid": ":".join(words),
        f"{folder}/sys_image_guid": ":".join(words),
        f"{folder}/fw_ver": port.firmware,
        f"{folder}/board_id": port.card.psid,
        f"{folder}/hca_type": infiniband.HCA_TYPE,
        f"{inner}/state": infiniband.STATES[port.state].sysfs,
        f"{inner}/phys_state": infiniband.PHYS[port.phys].sysfs,
        f"{inner}/rate": infiniband.rate(port),
        f"{inner}/lid": f"0x{infiniband.lid(port):x}",
        f"{inner}/sm_lid": f"0x{infiniband.sm_lid(port):x}",
        f"{inner}/link_layer": infiniband.layer(port),
        f"{inner}/gids/0": gid,
    }
    files = {path: f"{text}\n" for path, text in values.items()}
    return {**files, **_gids(port, inner), **_counters(port, inner)}


def _gids(port: PortState, inner: str) -> dict[str, Content]:
    """The table of a RoCE port as it is now."""

    def entry(at: int) -> Content:
        return lambda: f"{port.card.gids[at].words if at in port.card.gids else NO_GID}\n"

    return {f"{inner}/gids/{at}": entry(at) for at in range(GIDS) if port.card.gids}


def _counters(port: PortState, inner: str) -> dict[str, Content]:
    def moving(read: Callable[[], int]) -> Content:
        return lambda: f"{read()}\n"

    def errors(name: str) -> Content:
        return moving(lambda: port.errors.get(name, 0))

    counters = {
        "port_rcv_data": moving(lambda: port.end.received_bytes // WORD_BYTES),
        "port_rcv_packets": moving(lambda: port.end.received_packets),
        "port_xmit_data": moving(lambda: port.end.sent_bytes // WORD_BYTES),
        "port_xmit_packets": moving(lambda: port.end.sent_packets),
        "unicast_rcv_packets": moving(lambda: port.end.received_packets),
        "unicast_xmit_packets": moving(lambda: port.end.sent_packets),
    }
    hw_counters = {
        "lifespan": "12\n",
        "rx_write_requests": moving(lambda: port.write_requests),
    }
    return {
        **{f"{inner}/counters/{name}": errors(name) for name in _ERROR_COUNTERS},
        **{f"{inner}/counters/{name}": text for name, text in counters.items()},
        **{f"{inner}/hw_counters/{name}": errors(name) for name in _ERROR_HW_COUNTERS},
        **{f"{inner}/hw_counters/{name}": text for name, text in hw_counters.items()},
    }


def _all(machine: Machine) -> Mapping[str, Content]:
    if not machine.tree:
        machine.tree.update(tree(machine))
    return machine.tree


def _read(machine: Machine, path: str) -> str | None:
    content = machine.files.get(path) or _all(machine).get(path)
    return content() if callable(content) else content


async def cat(call: Call) -> int:
    rc = 0
    for path in call.argv[1:]:
        text = _read(call.machine, path)
        if text is None:
            rc = call.fail(f"cat: {path}: No such file or directory\n")
        else:
            call.write(text)
    return rc


async def tail(call: Call) -> int:
    """`tail -n LINES FILE`."""
    count, path = call.argv[2], call.argv[3]
    text = _read(call.machine, path)
    if text is None:
        return call.fail(f"tail: cannot open '{path}' for reading: No such file or directory\n")
    call.write("".join(text.splitlines(keepends=True)[-int(count) :]))
    return 0


async def ls(call: Call) -> int:
    """The names in folders."""
    rc = 0
    for folder in (word for word in call.argv[1:] if not word.startswith("-")):
        found = list(_inside(call.machine, folder, recursive=True))
        if not found:
            rc = call.fail(f"ls: cannot access '{folder}': No such file or directory\n", 2)
        call.write("".join(f"{file.removeprefix(folder).lstrip('/')}\n" for file in found))
    return rc


async def rm(call: Call) -> int:
    rc = 0
    for path in (word for word in call.argv[1:] if not word.startswith("-")):
        if call.machine.files.pop(path, None) is None and "-f" not in call.argv:
            rc = call.fail(f"rm: cannot remove '{path}': No such file or directory\n")
    return rc


async def grep(call: Call) -> int:
    """`grep [-r] [-s] [-H] [-z] PATTERN FILE…`, for a pattern that is plain text."""
    flags = "".join(word[1:] for word in call.argv[1:] if word.startswith("-") and len(word) > 1)
    words = [word for word in call.argv[1:] if not word.startswith("-") or word == "-"]
    if len(words) < 2:
        return call.fail("grep: usage: grep [OPTION]... PATTERNS [FILE]...\n", 2)
    pattern, paths = words[0], words[1:]
    named = "H" in flags or "r" in flags or len(paths) > 1
    found, missing = False, False
    for path in paths:
        inside = list(_inside(call.machine, path, recursive="r" in flags))
        missing = missing or not inside
        if not inside and "s" not in flags:
            call.fail(f"grep: {path}: No such file or directory\n")
        for file in inside:
            text, end = _read(call.machine, file) or "", "\0" if "z" in flags else "\n"
            hits = [line for line in text.removesuffix(end).split(end) if pattern in line]
            found = found or bool(hits)
            call.write("".join(f"{f'{file}:' if named else ''}{line}{end}" for line in hits))
    return 2 if missing else int(not found)


async def find(call: Call) -> int:
    """`find -L FOLDER … -path PATTERN … -exec grep -sH "" {} +`, as facts are asked: every file of
    the folder that a pattern fits, line by line behind its path, without those that `grep -v` does
    not want. With `-name device` the files that are named behind a device's folder."""
    words = call.argv[1:]
    if words[-1:] == (";",):
        return _find_devices(call, words)
    unwanted = words[words.index("-sHv") + 1] if "-sHv" in words else None
    folders = [word for word in words if word.startswith("/") and "*" not in word]
    patterns = [value for test, value in pairwise(words) if test == "-path"]
    if len(folders) != 1 or not patterns or "-exec" not in words:
        return call.fail("find: simrack has only: find -L FOLDER -path PATTERN -exec grep\n")
    inside = _inside(call.machine, folders[0], recursive=True)
    if not inside:
        return call.fail(f"find: '{folders[0]}': No such file or directory\n")
    for file in inside:
        if any(fnmatchcase(file, pattern) for pattern in patterns):
            lines = (_read(call.machine, file) or "").splitlines()
            kept = [line for line in lines if unwanted is None or unwanted not in line]
            call.write("".join(f"{file}:{line}\n" for line in kept))
    return 0


def _find_devices(call: Call, words: Sequence[str]) -> int:
    """`… -name device -exec grep -sH "" {}/FILE… ;`, for each NIC by name."""
    for port in call.host.fitted:
        device = f"{IB}/{port.device}/device"
        for word in words[words.index("-exec") :]:
            path = word.replace("{}", device)
            lines = (_read(call.machine, path) or "").splitlines() if path != word else []
            call.write("".join(f"{path}:{line}\n" for line in lines))
    return 0


def _inside(machine: Machine, path: str, *, recursive: bool) -> Iterable[str]:
    if _read(machine, path) is not None:
        return [path]
    folder = path.rstrip("/") + "/"
    return [file for file in _all(machine) if recursive and file.startswith(folder)]
