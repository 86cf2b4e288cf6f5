"""Real guests: reached over SSH, with working soft RDMA between them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from lab.softroce.handle import LabHandle
from tests.lab_softroce.lab import NAMES, attempt, ssh, ssh_argv

pytestmark = pytest.mark.lab

A, B = NAMES[0], NAMES[1]


@pytest.mark.parametrize("name", [A, B])
def test_guest_answers_with_its_own_host_key(lab: LabHandle, name: str) -> None:
    assert ssh(lab, name, "hostname").strip() == name


def test_guest_with_a_foreign_host_key_is_refused(lab: LabHandle, tmp_path: Path) -> None:
    ports = {name: port for name, (_, port) in lab.info.endpoints.items()}
    foreign = tmp_path / "known_hosts"
    text = lab.info.known_hosts.read_text()
    foreign.write_text(text.replace(f":{ports[B]} ", ":1 ").replace(f":{ports[A]} ", ":2 "))
    swapped = next(line for line in foreign.read_text().splitlines() if ":1 " in line)
    foreign.write_text(swapped.replace(":1 ", f":{ports[A]} ") + "\n")
    done = attempt(ssh_argv(lab, A, "true", "-o", f"UserKnownHostsFile={foreign}"))
    assert done.returncode == 255
    assert "Host key verification failed" in done.stderr


def test_guests_have_host_keys_of_their_own(lab: LabHandle) -> None:
    keys = {line.split()[2] for line in lab.info.known_hosts.read_text().splitlines()}
    assert len(keys) == len(NAMES)


def test_client_key_is_private(lab: LabHandle) -> None:
    assert lab.info.key.stat().st_mode & 0o777 == 0o600


def test_dmi_shows_the_serial(lab: LabHandle) -> None:
    assert ssh(lab, B, "cat /sys/class/dmi/id/product_serial").strip() == "SN-2"


@pytest.mark.parametrize("name", [A, B])
def test_rdma_link_is_active(lab: LabHandle, name: str) -> None:
    (link,) = json.loads(ssh(lab, name, "rdma -j link"))
    assert (link["ifname"], link["state"], link["netdev"]) == ("rxe0", "ACTIVE", "eth1")


def test_pyverbs_sees_the_device(lab: LabHandle) -> None:
    script = "from pyverbs.device import get_device_list as d; print(*[x.name for x in d()])"
    assert "rxe0" in ssh(lab, A, f"python3 -c '{script}'")


@pytest.mark.parametrize(
    ("tool", "options", "figure"),
    [
        ("ib_write_bw", "-s 65536 -n 200 --report_gbits", "BW_average"),
        ("ib_write_lat", "-s 8 -n 200", "t_typical"),
    ],
)
def test_perftest_moves_data(lab: LabHandle, tool: str, options: str, figure: str) -> None:
    json_file = f"/tmp/{tool}.json"
    command = f"timeout 30 {tool} -d rxe0 -i 1 -x 1 -p 18515 -F {options}"
    server = subprocess.Popen(
        ssh_argv(lab, B, command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        ssh(lab, B, "until ss -Hltn sport = 18515 | grep -q .; do sleep 0.1; done")
        ssh(lab, A, f"{command} --out_json --out_json_file={json_file} {B}")
        assert server.wait(timeout=30) == 0
    finally:
        server.kill()
        server.wait()
    assert json.loads(ssh(lab, A, f"cat {json_file}"))["results"][figure] > 0
    sent = ssh(lab, A, "cat /sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts")
    assert int(sent) > 0


def test_guests_reach_each_other_without_a_password(lab: LabHandle) -> None:
    options = "-o BatchMode=yes -o ConnectTimeout=5 -o StrictHostKeyChecking=yes"
    assert ssh(lab, A, f"ssh {options} {B} hostname").strip() == B


def test_mpirun_reaches_both(lab: LabHandle) -> None:
    command = f"mpirun -np 2 --host {A},{B} --mca plm_rsh_no_tree_spawn 1 hostname"
    assert sorted(ssh(lab, A, command).split()) == [A, B]
