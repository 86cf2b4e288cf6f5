"""What only a host's kernel log shows: errors that are over, and tasks that hang."""

from __future__ import annotations

from lab.simrack.faults.changes import link_of, number
from lab.simrack.faults.declare import Fault, Params, Target, accepted, incomplete, rejected
from lab.simrack.host_setup import Message, nvlink_xid, xid

PEER_WENT_DOWN = 4
"""A reason of NETIR_LINK_EVT (`nvlink5_catalogue.yaml`)."""


def _gsp(target: Target, _: Params) -> None:
    text = "Timeout after 6s of waiting for RPC response from GPU! Expected function 76"
    who = "pid=4242, name=nvidia-smi"
    target.host.setup.messages.append(xid(target.the_gpu, 119, f"{text}.", who=who))


def _link_fatal(target: Target, params: Params) -> None:
    found = nvlink_xid(
        target.the_gpu, "NETIR_LINK_EVT", link_of(target, params), fatal=True, reason=PEER_WENT_DOWN
    )
    target.host.setup.messages.append(found)


def _link_ignored(target: Target, params: Params) -> None:
    found = nvlink_xid(target.the_gpu, "RLW_RXPIPE", link_of(target, params), fatal=False, status=8)
    target.host.setup.messages.append(found)


def _program(target: Target, _: Params) -> None:
    text = "Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC0 GPCCLIENT_T1_0 faulted"
    who = "pid=4242, name=python3"
    target.host.setup.messages.append(xid(target.the_gpu, 31, text, who=who))


def _remembered(target: Target, params: Params) -> None:
    address = target.the_gpu.pci.rsplit(".", 1)[0].lower()
    target.host.setup.remembered_xids[address] = int(number(params, "code"))


def _overwritten(target: Target, params: Params) -> None:
    target.host.setup.log_begins_s = number(params, "seconds")
    target.host.setup.messages.append(Message(text="audit: backlog limit exceeded", at_s=90_000.0))


def _not_initialised(target: Target, _: Params) -> None:
    """PCI lists the card, its driver gives up, and no RDMA device appears."""
    port = target.the_port
    address = target.host.pci_of(port)
    port.present = False
    for text in ("mlx5_init_one failed with error code -110", "probe with driver failed"):
        message = Message(text=f"mlx5_core {address}: {text}", level="err", at_s=64.5)
        target.host.setup.messages.append(message)


def _hung(target: Target, _: Params) -> None:
    """The tool is in D state: no deadline ends it, and the kernel says so after two minutes."""
    target.host.hanging.add("nvidia-smi")
    text = "INFO: task nvidia-smi:4242 blocked for more than 120 seconds."
    target.host.setup.messages.append(Message(text=text, level="err"))


KERNEL_LOG: tuple[Fault, ...] = (
    rejected(
        "gpu.gsp_timeout", "gpu", _gsp,
        "the GPU's own processor did not answer its driver for a while, and does again",
        sees="gpu.xid_fatal_count",
    ),
    rejected(
        "nvlink.xid_fatal", "link", _link_fatal,
        "an NVLink of the GPU has failed once since the boot; everything looks well again",
        sees="nvlink.xid_144_150_count", cases="C09 C10", names="gpu", params={"link": "0"},
    ),
    rejected(
        "nic.not_initialised", "port", _not_initialised,
        "the NIC's firmware does not get ready, and its driver gives up",
        sees="identity.port_guid nic.driver_faults", cases="C54", names="nic",
    ),
    rejected(
        "driver.hung", "host", _hung,
        "nvidia-smi hangs in the driver, where nothing can end it, and the kernel has noticed",
        sees="reach.hung_tasks", cases="C134", extra=1,
    ),
    incomplete(
        "kernel_log.overwritten", "host", _overwritten,
        "the beginning of the kernel's log is overwritten, with whatever stood there",
        sees="gpu.xid_fatal_count nvlink.xid_144_150_count", reason="unreadable",
        params={"seconds": "80000"},
    ),
)  # fmt: skip
VARIANTS: tuple[Fault, ...] = (
    accepted(
        "nvlink.xid_ignored", "link", _link_ignored,
        "an NVLink of the GPU has logged an error that its driver calls Nonfatal and the catalogue "
        "says to ignore", cases="C10", params={"link": "0"},
    ),
    accepted(
        "gpu.xid_of_earlier_boot", "gpu", _remembered,
        "a gauge still shows the last Xid of an earlier boot, of which the kernel's log has none",
        cases="C102", params={"code": "79"},
    ),
    accepted(
        "gpu.xid_of_program", "gpu", _program,
        "a program has touched memory that is not its own: Xid 31, which a new start cures",
    ),
)  # fmt: skip
