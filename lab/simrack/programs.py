"""Which programs a host has: name to view, and the operating systems that carry it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from lab.simrack import scripts
from lab.simrack.machine import Call
from lab.simrack.views import (
    basic,
    dcgmi,
    devinfo,
    ethtool,
    files,
    host_setup,
    ibdiagnet,
    imex,
    infiniband,
    kernel_log,
    launch,
    mlnx_qos,
    mlxconfig,
    mlxlink,
    nvbandwidth,
    nvidia_smi,
    nvos,
    perftest,
    subnet,
    subnet_errors,
)

Program = Callable[[Call], Awaitable[int]]
LINUX, EVERYWHERE = ("linux",), ("linux", "nvos")


@dataclass(frozen=True, slots=True)
class Entry:
    program: Program
    systems: tuple[str, ...] = LINUX


PROGRAMS: Mapping[str, Entry] = {
    "sh": Entry(scripts.sh, EVERYWHERE),
    "date": Entry(basic.date, EVERYWHERE),
    "uname": Entry(basic.uname, EVERYWHERE),
    "hostname": Entry(basic.hostname, EVERYWHERE),
    "true": Entry(basic.true, EVERYWHERE),
    "false": Entry(basic.false, EVERYWHERE),
    "echo": Entry(basic.echo, EVERYWHERE),
    "sleep": Entry(basic.sleep, EVERYWHERE),
    "cat": Entry(files.cat, EVERYWHERE),
    "grep": Entry(files.grep),
    "tail": Entry(files.tail),
    "find": Entry(files.find),
    "rm": Entry(files.rm),
    "ls": Entry(files.ls),
    "dcgmi": Entry(dcgmi.dmon),
    "dmesg": Entry(kernel_log.dmesg),
    "systemctl": Entry(host_setup.systemctl),
    "modinfo": Entry(host_setup.modinfo),
    "ofed_info": Entry(host_setup.ofed_info),
    "nv-fabricmanager": Entry(host_setup.fabric_manager),
    "nvidia-smi": Entry(nvidia_smi.run),
    "nvbandwidth": Entry(nvbandwidth.run),
    "nv": Entry(nvos.nv, ("nvos",)),
    "ibnetdiscover": Entry(subnet.ibnetdiscover),
    "mlxlink": Entry(mlxlink.run),
    "mlxconfig": Entry(mlxconfig.run),
    "iblinkinfo": Entry(subnet.iblinkinfo),
    "ibdiagnet": Entry(ibdiagnet.run),
    "ibqueryerrors": Entry(subnet_errors.ibqueryerrors),
    "sminfo": Entry(subnet_errors.sminfo),
    "nvidia-imex-ctl": Entry(imex.ctl),
    "ibstat": Entry(infiniband.ibstat),
    "ibv_devinfo": Entry(devinfo.run),
    "ethtool": Entry(ethtool.run),
    "mlnx_qos": Entry(mlnx_qos.run),
    "rdma": Entry(infiniband.rdma),
    "ssh": Entry(launch.ssh),
    "mpirun": Entry(launch.mpirun),
    **dict.fromkeys(
        ("ib_write_bw", "ib_write_lat", "ib_read_bw", "ib_read_lat", "ib_send_bw", "ib_send_lat"),
        Entry(perftest.run),
    ),
}
