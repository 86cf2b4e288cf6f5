"""`lstopo`: which NUMA node a device is next to, in text and XML of three versions."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.hosts import lstopo
from fixtures.tools.hosts.lstopo_objects import OsDeviceKind, Topology
from tests.tools.captures import capture


def read(name: str) -> Topology:
    return lstopo.parse(capture("lstopo", name))


def nodes(topology: Topology) -> dict[str, tuple[int, ...] | None]:
    return {device.name: device.numa_nodes for device in topology.os_devices}


def test_devices_are_next_to_the_node_of_their_package() -> None:
    topology = read("healthy.txt")
    assert nodes(topology) == {
        "cuda0": (0,),
        "nvml0": (0,),
        "ibp42s0": (0,),
        "mlx5_0": (0,),
        "cuda1": (1,),
        "loop0": (0, 1),
    }
    assert [node.memory_bytes for node in topology.numa_nodes] == [1007 << 30, 1008 << 30]
    nic = next(device for device in topology.os_devices if device.name == "mlx5_0")
    assert (nic.pci, nic.kind) == ("0000:2a:00.0", OsDeviceKind.OPENFABRICS)
    assert nic.numa_node == 0
    assert topology.os_devices[-1].numa_node is None


def test_devices_folded_into_one_line_are_all_there() -> None:
    found = [device.pci for device in read("healthy.txt").pci_devices]
    assert found[2:5] == ["0000:4b:00.1", "0000:4b:00.2", "0000:4b:00.3"]
    assert found[5] == "0001:9d:00.0"


def test_in_hwloc_1_a_node_holds_its_devices() -> None:
    topology = read("old.txt")
    assert [node.os_index for node in topology.numa_nodes] == [0, 8]
    assert nodes(topology) == {"ib0": (0,), "mlx5_0": (0,), "cuda0": (8,)}
    assert topology.pci_devices == (), "it prints no address"


def test_a_gpus_own_memory_is_a_node_as_near_as_the_processors() -> None:
    topology = read("verbose.txt")
    assert nodes(topology) == {"cuda0": (0, 2)}
    assert topology.os_devices[0].numa_node is None
    assert topology.host == "r05-ct09"
    (gpu,) = topology.pci_devices
    assert (gpu.vendor_id, gpu.device_id, gpu.link_speed_gbytes) == ("10de", "2342", 63.02)


def test_memory_of_an_outer_object_is_near_to_what_is_inside() -> None:
    text = """Machine (2GB total)
  Package L#0
    NUMANode L#0 (P#4 1GB)
    Die L#0
      Core L#0 + PU L#0 (P#0)
      HostBridge
        PCI 01:00.0 (3D)
          GPU(NVML) "nvml0"
  Package L#1
    MemCache L#0 (512MB)
      NUMANode L#1 (P#5 1GB)
    Core L#1 + PU L#1 (P#1)
    HostBridge
      PCI 02:00.0 (3D)
        GPU(NVML) "nvml1"
"""
    assert nodes(lstopo.parse(text)) == {"nvml0": (4,), "nvml1": (5,)}


def test_xml_of_hwloc_2_and_3() -> None:
    for name in ("healthy.xml", "three.xml"):
        topology = read(name)
        assert nodes(topology) == {"ibp42s0": (0,), "mlx5_0": (0,), "cuda0": (8,)}
        assert [device.kind for device in topology.os_devices] == [
            OsDeviceKind.NETWORK,
            OsDeviceKind.OPENFABRICS,
            OsDeviceKind.COPROCESSOR,
        ]
        assert topology.host == "r05-ct10"


@pytest.mark.parametrize(
    ("nodeset", "near"),
    [("0x00000101", (0, 8)), ("0x00000001,0x0", None), ("0xf...f", None), ("0x1,,0x100", (8,))],
)
def test_a_nodeset_is_read_word_by_word(nodeset: str, near: tuple[int, ...] | None) -> None:
    text = capture("lstopo", "healthy.xml").replace('nodeset="0x00000001" gp_index="2"', "", 1)
    text = text.replace('cpuset="0x00000003" ', f'cpuset="0x3" nodeset="{nodeset}" ', 1)
    assert nodes(lstopo.parse(text))["mlx5_0"] == near


@pytest.mark.parametrize(
    "text",
    [
        capture("lstopo", "cut.txt"),
        capture("lstopo", "failed.xml"),
        capture("lstopo", "healthy.txt") * 2,
        capture("lstopo", "healthy.xml") * 2,
        "lstopo: cannot open display\n",
        "",
        "Machine (2GB total)\n",
        "Machine\n" + "\n".join(" " * n + "Group0 L#0" for n in range(1, 90)),
    ],
)
def test_what_is_cut_or_double_or_no_tree_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        lstopo.parse(text)


TREE = (
    "Machine (880GB total)\n  Package L#0\n    NUMANode L#0 (P#0 480GB)\n    HostBridge\n"
    '      PCI 0003:01:00.0 (InfiniBand)\n        OpenFabrics "mlx5_0"\n'
)


@pytest.mark.parametrize("mark", ["> ", "> > ", "0: "])
def test_a_tree_is_read_with_what_mailers_and_launchers_put_before_it(mark: str) -> None:
    text = "".join(f"{mark}{line}\n" for line in TREE.splitlines())
    text = f"srun: job 12 queued and waiting for resources\n{text}" if mark == "0: " else text
    assert lstopo.parse(text) == lstopo.parse(TREE)
    assert lstopo.parse(TREE).complete


def test_a_tree_with_lines_left_out_is_not_complete() -> None:
    assert not lstopo.parse(f"{TREE}  ...\n").complete
    assert not lstopo.parse(TREE.partition("\n")[2]).complete


def test_trees_of_two_tasks_are_refused() -> None:
    text = "".join(f"{task}: {line}\n" for task in (0, 1) for line in TREE.splitlines())
    with pytest.raises(Unreadable, match="2 reports"):
        lstopo.parse(text)
