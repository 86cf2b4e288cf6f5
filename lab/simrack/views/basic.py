"""Small programs that every host has."""

from __future__ import annotations

import time

from lab.simrack.machine import Call


async def date(call: Call) -> int:
    now = call.machine.now()
    forms = [word[1:] for word in call.argv[1:] if word.startswith("+")]
    text = forms[0] if forms else "%a %b %e %H:%M:%S UTC %Y"
    whole, nanos = int(now), int(now % 1 * 1e9)
    text = text.replace("%s", str(whole)).replace("%N", f"{nanos:09d}")
    text = text.replace("%z", "+0000")
    call.write(time.strftime(text, time.gmtime(now)) + "\n")
    return 0


async def uname(call: Call) -> int:
    release = call.host.kernel
    whole = f"Linux {call.host.own_name} {release} #1 SMP aarch64 GNU/Linux"
    words = {"-r": release, "-n": call.host.own_name, "-s": "Linux", "-a": whole}
    call.write(words.get(call.argv[1] if len(call.argv) > 1 else "-s", "Linux") + "\n")
    return 0


async def hostname(call: Call) -> int:
    call.write(call.host.own_name + "\n")
    return 0


async def true(_: Call) -> int:
    return 0


async def false(_: Call) -> int:
    return 1


async def echo(call: Call) -> int:
    call.write(" ".join(call.argv[1:]) + "\n")
    return 0


async def sleep(call: Call) -> int:
    try:
        seconds = float(call.argv[1])
    except (IndexError, ValueError):
        return call.fail("sleep: missing or invalid time interval\n")
    await call.pause(seconds)
    return 0
