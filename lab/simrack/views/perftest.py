"""ib_write_bw and its sisters: a server that waits, a client that measures, counters that move."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from lab.simrack.devices import PortState
from lab.simrack.flows import Flow
from lab.simrack.machine import Call, Waiting
from lab.simrack.state import World
from lab.simrack.views import perftest_counters, perftest_gpu, perftest_text
from lab.simrack.views.perftest_text import BandwidthResult, LatencyResult, Result

DEFAULT_PORT, DEFAULT_BW_SIZE, DEFAULT_LAT_SIZE = 18515, 65536, 2
DEFAULT_ITERATIONS = {"bw": 5000, "lat": 1000}
EFFICIENCY = 0.982
"""Payload over line rate with 4 KiB packets and large messages."""
HALF_RATE_BYTES = 120
"""Message size at which half of that is reached."""
TYPICAL_US = {1: 1.27, 3: 1.72}
"""Half a round trip of 2 bytes over one leaf, and over a spine."""
FACTORS = {"ib_read_lat": 1.9, "ib_send_lat": 1.03}
PERFTEST, SEGFAULT = "perftest", 139
PASSES_BYTES = 400
"""What still gets through where the subnet manager has set the switches up wrongly."""
SHORTEST_S, LONGEST_S = 0.05, 5.0
MIB_IN_GBITS = 2**20 * 8 / 1e9
_WITH_VALUE = ("-d", "-i", "-p", "-s", "-n", "-D", "-x", "-q", "-t", "-m", "-S", "-Q", "-u")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The command line of one end; `server` is the name of the other one, empty at the server."""

    program: str
    device: str
    port: int
    size: int
    iterations: int
    duration_s: float | None
    gbits: bool
    json_file: str
    server: str
    gid_index: int = 0
    traffic_class: int = 0
    cuda: int | None = None

    @property
    def latency(self) -> bool:
        return self.program.endswith("_lat")


async def run(call: Call) -> int:
    if "--version" in call.argv or "-V" in call.argv:
        call.write(f"Version: {call.host.perftest}\n")
        return 1
    if PERFTEST in call.host.crashing:
        return call.fail("Segmentation fault (core dumped)\n", SEGFAULT)
    if call.host.chatty:
        call.fail(perftest_text.CHATTER)
    try:
        options = parse(call.argv)
    except ValueError as error:
        return call.fail(f" Invalid arguments: {error}\n Parser function exited with Error\n")
    port = next((p for p in call.host.fitted if p.device == options.device), None)
    if port is None:
        return call.fail(
            f"IB device {options.device} not found\n Unable to find the Infiniband/RoCE device\n"
        )
    if not port.up:
        state = port.state.capitalize()
        return call.fail(f" Port number 1 state is {state}\n Couldn't set the link layer\n")
    if port.card.gids and options.gid_index not in port.card.gids:
        return call.fail(f" Failed to modify QP to RTR: no GID at index {options.gid_index}\n")
    if options.cuda is not None:
        if said := perftest_gpu.refused(call.host, options.cuda):
            return call.fail(said)
        call.write(perftest_gpu.chosen(call.host, options.cuda, options.size))
    if options.server:
        return await _client(call, options, port)
    return await _serve(call, options, port)


def parse(argv: Sequence[str]) -> Options:
    """Raises ValueError for a number that is none."""
    program = argv[0].rsplit("/", 1)[-1]
    values: dict[str, str] = {}
    flags: set[str] = set()
    rest = list(argv[1:])
    names: list[str] = []
    while rest:
        word = rest.pop(0)
        if word in _WITH_VALUE and rest:
            values[word] = rest.pop(0)
        elif word.startswith("--") and "=" in word:
            name, _, values_text = word.partition("=")
            values[name] = values_text
        elif word.startswith("-"):
            flags.add(word)
        else:
            names.append(word)
    latency = program.endswith("_lat")
    json_file = values.get("--out_json_file", "perftest_out.json")
    return Options(
        program=program,
        device=values.get("-d", "mlx5_0"),
        port=int(values.get("-p", DEFAULT_PORT)),
        size=int(values.get("-s", DEFAULT_LAT_SIZE if latency else DEFAULT_BW_SIZE)),
        iterations=int(values.get("-n", DEFAULT_ITERATIONS["lat" if latency else "bw"])),
        duration_s=float(values["-D"]) if "-D" in values else None,
        gbits="--report_gbits" in flags,
        json_file=json_file if "--out_json" in flags else "",
        server=names[0] if names else "",
        gid_index=int(values.get("-x", 0)),
        traffic_class=int(values.get("--tclass", 0)),
        cuda=int(values["--use_cuda"]) if "--use_cuda" in values else None,
    )


async def _serve(call: Call, options: Options, port: PortState) -> int:
    """Wait for a client, then for its result; both ends print the same row."""
    place = (call.host.name, options.port)
    if place in call.site.listening:
        return call.fail(
            f"Couldn't listen to port {options.port}\n"
            " Unable to open file descriptor for socket connection\n"
        )
    loop = asyncio.get_running_loop()
    waiting = Waiting(
        argv=call.argv,
        port=port,
        from_gpu=options.cuda is not None,
        client=loop.create_future(),
        result=loop.create_future(),
    )
    call.site.listening[place] = waiting
    call.write(perftest_text.WAITING)
    try:
        await waiting.client
        call.write(await waiting.result)
        call.skipped_s += waiting.skipped_s
    finally:
        if call.site.listening.get(place) is waiting:
            del call.site.listening[place]
    return 0


async def _client(call: Call, options: Options, port: PortState) -> int:
    machine = call.site.names.get(options.server)
    if machine is None:
        return call.fail(f"Name or service not known for {options.server}:{options.port}\n")
    place = (machine.state.name, options.port)
    waiting = call.site.listening.get(place)
    if waiting is None or waiting.client.done() or machine.state.reach != "up":
        return call.fail(
            f"Couldn't connect to {options.server}:{options.port}\n"
            " Unable to open file descriptor for socket connection"
            " Unable to init the socket connection\n"
        )
    del call.site.listening[place]
    waiting.client.set_result(port)
    if port.flaps or waiting.port.flaps:
        perftest_counters.flap(port, waiting.port)
        return call.fail(perftest_text.FAILED)
    used = [port] * (options.cuda is not None) + [waiting.port] * waiting.from_gpu
    direct = min((one.card.direct for one in used), default=1.0)
    if any(one.card.direct_hangs for one in used):
        await call.pause(math.inf)
    with call.site.flows.flow(call.world.network, port, waiting.port) as flow:
        if not flow.there or (call.world.network.manager.too_old and options.size > PASSES_BYTES):
            return call.fail(perftest_text.FAILED)
        alone = measure(call.world, options, port, waiting.port, flow, direct)
        await call.pause(_wall_s(options, alone))
        result = measure(call.world, options, port, waiting.port, flow, direct)
    waiting.skipped_s = call.skipped_s
    for end in (port, waiting.port):
        if end.card.forgets:
            end.card.gids.pop(options.gid_index, None)
    sent = perftest_counters.move(options.program, result, flow, port, waiting.port)
    perftest_counters.sort(options.traffic_class, sent)
    call.write(perftest_text.report(options.program, port, waiting.port, result))
    if not waiting.result.done():
        waiting.result.set_result(perftest_text.report(options.program, waiting.port, port, result))
    if options.json_file:
        call.machine.files[options.json_file] = _json(options, port, result)
    return 0


def measure(
    world: World,
    options: Options,
    near: PortState,
    far: PortState,
    flow: Flow,
    direct: float = 1.0,
) -> Result:
    """What the pair reaches: its part of the slowest link, or the latency of the way. `direct` is
    what is left of it for GPU memory."""
    memory = () if options.cuda is None else ("gpu",)
    noise = world.noise(options.program, near.part, far.part, options.size, *memory, spread=0.003)
    rate_gbps = min(
        flow.reaches, *(min(port.rate_gbps, port.card.gbps) * port.slow for port in (near, far))
    )
    gbps = rate_gbps * EFFICIENCY * noise * direct
    gbps *= options.size / (options.size + HALF_RATE_BYTES)
    if options.latency:
        typical = TYPICAL_US[flow.hops] * FACTORS.get(options.program, 1.0) * noise
        typical += options.size * 8 / (gbps * 1e3) + near.late_us + far.late_us + flow.late_us
        iterations = options.iterations
        if options.duration_s is not None:
            iterations = int(options.duration_s * 1e6 / (2 * typical))
        return LatencyResult(
            size=options.size,
            iterations=iterations,
            typical=typical,
            by_duration=options.duration_s is not None,
            tail=near.tail * far.tail,
        )
    iterations = options.iterations
    if options.duration_s is not None:
        iterations = int(options.duration_s * gbps * 1e9 / 8 / options.size)
    scale = 1.0 if options.gbits else 1 / MIB_IN_GBITS
    peak = 0.0 if options.duration_s is not None else gbps * 1.001
    return BandwidthResult(
        size=options.size,
        iterations=iterations,
        peak=peak * scale,
        average=gbps * scale,
        mpps=gbps * 1e3 / 8 / options.size,
        gbits=options.gbits,
    )


def _wall_s(options: Options, result: Result) -> float:
    if options.duration_s is not None:
        return min(max(options.duration_s, SHORTEST_S), LONGEST_S)
    if isinstance(result, LatencyResult):
        took = result.iterations * 2 * result.typical / 1e6
    else:
        took = result.iterations / (result.mpps * 1e6)
    return min(max(took, SHORTEST_S), LONGEST_S)


def _json(options: Options, port: PortState, result: Result) -> str:
    setup = perftest_text.settings(port, options.latency)
    info = {name.replace(" ", "_").replace(".", ""): value for name, value in setup.items()}
    return json.dumps({"test_info": info, "results": result.json()}, indent=2) + "\n"
