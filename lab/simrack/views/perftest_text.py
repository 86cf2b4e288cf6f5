"""What the programs of perftest 25.01 print: version, setup, result table, and the JSON file."""

from __future__ import annotations

from dataclasses import dataclass

from lab.simrack.devices import PortState

RULE = "-" * 87 + "\n"
WAITING = (
    "\n************************************\n* Waiting for client to connect... *\n"
    "************************************\n"
)
_TITLES = {
    "ib_write_bw": "RDMA_Write BW Test",
    "ib_write_lat": "RDMA_Write Latency Test",
    "ib_read_bw": "RDMA_Read BW Test",
    "ib_read_lat": "RDMA_Read Latency Test",
    "ib_send_bw": "Send BW Test",
    "ib_send_lat": "Send Latency Test",
}
_LAT_HEADER = (
    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    "
    "t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n"
)
_LAT_DURATION_HEADER = " #bytes        #iterations       t_avg[usec]    tps average\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class BandwidthResult:
    """Gb/s, or MiB/s where the client did not ask for `--report_gbits`; peak 0 with `-D`."""

    size: int
    iterations: int
    peak: float
    average: float
    mpps: float
    gbits: bool

    def table(self) -> str:
        unit = "Gb" if self.gbits else "MB"
        return (
            f" #bytes     #iterations    BW peak[{unit}/sec]    BW average[{unit}/sec]   "
            "MsgRate[Mpps]\n"
            f" {self.size:<7}    {self.iterations:<10}       {self.peak:<7.2f}            "
            f"{self.average:<7.2f}\t\t   {self.mpps:<7.6f}\n"
        )

    def json(self) -> dict[str, float]:
        return {
            "MsgSize": self.size,
            "n_iterations": self.iterations,
            "BW_peak": round(self.peak, 2),
            "BW_average": round(self.average, 2),
            "MsgRate": round(self.mpps, 6),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyResult:
    """Microseconds, half of a round trip. With `-D` only the average is printed."""

    size: int
    iterations: int
    typical: float
    by_duration: bool
    tail: float = 1.0

    def times(self) -> dict[str, float]:
        shape = {
            "t_min": 0.97,
            "t_max": 3.4 * max(self.tail, 1.0),
            "t_typical": 1.0,
            "t_avg": 1.008,
            "t_stdev": 0.04,
            "percentile_99": 1.13 * self.tail,
            "percentile_99.9": 1.62 * self.tail,
        }
        return {name: round(factor * self.typical, 2) for name, factor in shape.items()}

    def table(self) -> str:
        times = self.times()
        if self.by_duration:
            rate = 1e6 / (2 * self.typical)
            return (
                f"{_LAT_DURATION_HEADER} {self.size:<7}       {self.iterations}            "
                f"{times['t_avg']:<7.2f}        {rate:<7.2f}\n"
            )
        cells = [f"{value:<7.2f}" for value in times.values()]
        return f"{_LAT_HEADER} {self.size:<7} {self.iterations}          {'        '.join(cells)}\n"

    def json(self) -> dict[str, float]:
        kept = {"t_avg": self.times()["t_avg"]} if self.by_duration else self.times()
        return {"MsgSize": self.size, "n_iterations": self.iterations, **kept}


Result = BandwidthResult | LatencyResult


def settings(port: PortState, latency: bool) -> dict[str, object]:
    """What both ends print of their setup, in order."""
    ethernet = port.link_layer == "ethernet"
    return {
        "TX depth": 1 if latency else 128,
        "CQ Moderation": 1,
        "Mtu": port.card.mtu,
        "Link type": "Ethernet" if ethernet else "IB",
        **({"GID index": port.gid_index} if ethernet else {}),
        "Max inline data": 220 if latency else 0,
        "rdma_cm QPs": "OFF",
        "Data ex. method": "Ethernet",
    }


CHATTER = (
    "Conflicting CPU frequency values detected: 1500.000000 != 3600.000000. "
    "CPU Frequency is not max.\n"
)
"""A complaint on hosts whose processors clock up and down; it measures all the same."""
FAILED = (
    " Completion with error at client\n"
    " Failed status 12: wr_id 0 syndrom 0x81\nscnt=128, ccnt=0\n Failed to complete run_iter_bw\n"
)
"""What it says when the other port stops acknowledging."""


def report(program: str, near: PortState, far: PortState, result: Result) -> str:
    """The whole report of one end, from its title to the closing rule."""
    latency = isinstance(result, LatencyResult)
    lines = [RULE, f"                    {_TITLES[program]}\n"]
    lines += [
        f" Dual-port       : OFF\t\tDevice         : {near.device}\n",
        " Number of qps   : 1\t\tTransport type : IB\n",
        " Connection type : RC\t\tUsing SRQ      : OFF\n",
        " PCIe relax order: ON\t\tLock-free      : OFF\n",
        " ibv_wr* API     : ON\t\tUsing DDP      : OFF\n",
    ]
    for name, value in settings(near, latency).items():
        unit = "[B]" if name in ("Mtu", "Max inline data") else ""
        lines.append(f" {name:<16}: {value}{unit}\n")
    lines += [RULE, _address("local", near), _address("remote", far), RULE]
    lines += [result.table(), RULE]
    return "".join(lines)


def _address(side: str, port: PortState) -> str:
    number = int(port.guid[-6:], 16)
    return (
        f" {side} address: LID {port.lid:#06x} QPN {number & 0xFFFF:#06x} PSN {number:#08x} "
        f"RKey {number >> 4:#08x} VAddr 0x007f{number << 12:012x}\n"
    )
