"""Profiles: what a limit must say, who wins, and which limit applies."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.model.bought import bought
from fixtures.model.errors import InventoryError
from fixtures.model.inventory import Inventory
from fixtures.model.measurement import Limit, Scalar
from fixtures.model.profile import Metric, load_profile
from fixtures.model.profile_schema import REFERENCES, scalar
from tests.model.tiny import Edit, load, refusal, write

LIMIT = "{min: 1500, unit: MHz, kind: datasheet, source: the GPU's datasheet}"


def limit(text: str) -> Edit:
    return Edit("profiles/small.yaml", LIMIT, text)


REFUSED = {
    "no source": ("{min: 1, unit: MHz, kind: datasheet}", "'metrics.gpu.clock.limits.0.source' is"),
    "empty source": ("{min: 1, unit: MHz, kind: datasheet, source: ''}", "should have at least 1"),
    "no unit": ("{min: 1, kind: datasheet, source: x}", "'metrics.gpu.clock.limits.0.unit' is mi"),
    "no kind": ("{min: 1, unit: MHz, source: x}", "'metrics.gpu.clock.limits.0.kind' is missing"),
    "kind": ("{min: 1, unit: MHz, kind: guess, source: x}", "Input should be 'datasheet', "),
    "two bounds": (
        "{min: 1, max: 2, unit: MHz, kind: datasheet, source: x}",
        "expected exactly one of min, max, equals (or level: report-only)",
    ),
    "no bound": ("{unit: MHz, kind: datasheet, source: x}", "expected exactly one of min, max"),
    "empty bound": ("{min: , unit: MHz, kind: datasheet, source: x}", "expected exactly one of mi"),
    "report-only with a bound": (
        "{min: 1, unit: MHz, kind: datasheet, source: x, level: report-only}",
        "a report-only limit has no min, max or equals",
    ),
    "level": ("{min: 1, unit: MHz, kind: datasheet, source: x, level: info}", "'warn' or 'report"),
    "leading zero": (
        "{min: 010, unit: MHz, kind: datasheet, source: x}",
        "expected a number without leading zeros, like 10, 0.5 or 1e-12 (found '010')",
    ),
    "underscore": ("{min: 1_000.5, unit: MHz, kind: datasheet, source: x}", "(found '1_000.5')"),
    "infinite": ("{max: 1e999, unit: MHz, kind: datasheet, source: x}", "(found '1e999')"),
    "truth as number": ("{min: true, unit: MHz, kind: datasheet, source: x}", "(found 'true')"),
    "nothing to equal": ("{equals: [], unit: MHz, kind: datasheet, source: x}", "at least 1 item"),
    "reference": (
        "{equals: '@firmware.vboss', unit: MHz, kind: baseline, source: x}",
        "equals: @firmware.vboss is no value of the inventory; did you mean 'firmware.vbios'",
    ),
    "reference among values": (
        "{equals: [a, '@guid'], unit: MHz, kind: baseline, source: x}", "one reference alone, or",
    ),
    "yes": (
        "{min: 1, unit: MHz, kind: datasheet, source: x, provisional: yes}",
        "provisional: expected true or false (found 'yes')",
    ),
    "unknown key": (
        "{min: 1, unit: MHz, kind: datasheet, source: x, tolerance: 5}", "unknown key",
    ),
    "other unit": (
        "{min: 1, unit: GHz, kind: datasheet, source: x}",
        "a limit is in 'GHz', but the metric is in 'MHz': nothing converts",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_a_limit(tmp_path: Path, name: str) -> None:
    text, expected = REFUSED[name]
    said = refusal(tmp_path, limit(text))
    assert said.startswith("profiles/small.yaml:1")
    assert expected in said


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (LIMIT, "", ":19:8: metrics.gpu.clock.limits.0: expected `key: value` lines (found noth"),
        (
            "gate: compute",
            "gate: computing",
            ":14:5: metrics.gpu.clock.gate: Input should be 'power",
        ),
        ("per: gpu", "per: gpus", ":15:5: metrics.gpu.clock.per: Input should be 'domain'"),
        (
            "required: true",
            "required: on",
            ":17:5: metrics.gpu.clock.required: expected true or fa",
        ),
        ("gates: [reach", "gates: [reach, reech", ":5:16: gates.1: Input should be 'power'"),
        (
            "gpus_per_tray: {equals: 2",
            "gpus_per_trai: {equals: 2",
            ":8:3: counts.gpus_per_trai: In",
        ),
        (
            "gpus_per_tray: {equals: 2",
            "gpus_per_tray: {equals: 02",
            ":8:19: counts.gpus_per_tray.eq",
        ),
        (
            "gpus_per_tray: {equals: 2",
            "gpus_per_tray: {equals: 2.5",
            ":8:19: counts.gpus_per_tray.e",
        ),
        ("profile: small", "profile: smal", ":1:1: profile is 'smal' but the file is small.yaml"),
        ("includes: [base]", "includes: [base, bass]", ":4:18: no profile 'bass' in profiles; did"),
        (
            "includes: [base]",
            "includes: [small]",
            ":4:12: profiles include each other: small -> sm",
        ),
    ],
)
def test_refuses_a_profile(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert expected in refusal(tmp_path, Edit("profiles/small.yaml", old, new))


def test_a_circle_of_includes_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path, Edit("profiles/base.yaml", "metrics:", "includes: [wire]\nmetrics:"))
    wire = folder / "profiles" / "wire.yaml"
    wire.write_text(wire.read_text().replace("metrics:", "includes: [base]\nmetrics:"))
    with pytest.raises(InventoryError, match=r"wire\.yaml:4:12: .*: small -> base -> wire -> base"):
        load_profile("small", folder / "profiles")


def test_the_link_profile_lies_below_and_the_first_definition_wins(tmp_path: Path) -> None:
    own = Edit("profiles/small.yaml", "metrics:\n", """metrics:
  port.rate:
    gate: infiniband
    per: ib-port
    unit: Gb/s
    limits:
      - {min: 200, unit: Gb/s, kind: datasheet, source: ours}
""")  # fmt: skip
    plain = load(tmp_path / "a").profile
    mine = load(tmp_path / "b", own).profile
    assert [limit.minimum for limit in plain.metric("port.rate").limits] == [400]
    assert [limit.minimum for limit in mine.metric("port.rate").limits] == [200]
    assert [metric.profile for metric in mine.metrics.values()] == ["small", "small", "base"]
    assert [path.stem for path in mine.files] == ["small", "base", "wire"]


def test_what_a_profile_says_first_is_said(tmp_path: Path) -> None:
    folder = write(tmp_path, Edit("profiles/base.yaml", "metrics:", "gates: [soak]\nmetrics:"))
    profile = load_profile("small", folder / "profiles")
    assert (profile.gates, profile.gpu_product) == (("reach", "compute"), "Tiny GPU")
    with pytest.raises(InventoryError, match=r"no metric 'gpu\.clok'; did you mean 'gpu\.clock'"):
        profile.metric("gpu.clok")


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (limit(LIMIT), False),
        (limit(LIMIT.replace("kind: datasheet", "kind: derived")), True),
        (limit(LIMIT.replace("}", ", provisional: true}")), True),
        (Edit("profiles/small.yaml", "includes:", "provisional: true\nincludes:"), True),
        (Edit("profiles/base.yaml", "metrics:", "provisional: true\nmetrics:"), False),
    ],
)
def test_provisional_is_the_limit_its_kind_or_its_own_file(
    tmp_path: Path, edit: Edit, expected: bool
) -> None:
    assert load(tmp_path, edit).profile.metric("gpu.clock").limits[0].provisional is expected


def metric(*whens: dict[str, Scalar]) -> Metric:
    limits = tuple(
        Limit(unit="u", source="s", kind="datasheet", minimum=float(number), when=when)
        for number, when in enumerate(whens)
    )
    return Metric(
        name="m.m", gate="nccl", per="host", unit="u", about="", required=True, prerequisite=False,
        peers="off", profile="p", limits=limits,
    )  # fmt: skip


def test_the_limit_with_the_most_conditions_applies() -> None:
    tiers = metric({}, {"ranks": 8}, {"ranks": 8, "mnnvl": "off"}, {"size_bytes": 1})

    def numbers(**conditions: Scalar) -> list[float | None]:
        return [limit.minimum for limit in tiers.matching(conditions)]

    assert numbers() == [0]
    assert numbers(ranks=4) == [0]
    assert numbers(ranks=8, mnnvl="on") == [1]
    assert numbers(ranks=8, mnnvl="off") == [2]
    assert numbers(ranks=8, size_bytes=1) == [1, 3]


def test_a_metric_without_a_matching_limit_has_none() -> None:
    assert metric({"ranks": 8}).matching({"ranks": 16}) == []
    assert metric({"ranks": 8}).matching({}) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10", 10), ("0", 0), ("-3", -3), ("0.5", 0.5), ("1e-12", 1e-12), ("1E3", 1000.0),
        ("1.5e-254", 1.5e-254), ("true", True), ("false", False),
        *((text, text) for text in (
            "010", "00.5", "+1", "1_0", "٣", "1.", ".5", "nan", "inf", "1e999", "no", "True", "",
            "52:54:00:12:34:56", "0x1F", "580.95.05", "1 ",
        )),
    ],
)  # fmt: skip
def test_only_what_is_plainly_a_number_becomes_one(text: str, value: Scalar) -> None:
    assert scalar(text) == value
    assert type(scalar(text)) is type(value)


@given(st.text(max_size=8) | st.integers().map(str) | st.floats().map(str))
def test_a_scalar_is_never_lost(text: str) -> None:
    value = scalar(text)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        assert value == (int(text) if isinstance(value, int) else float(text))
    elif value != text:
        assert text == str(value).lower() in ("true", "false")


@pytest.fixture
def tiny(tmp_path: Path) -> Inventory:
    return load(tmp_path)


BOUGHT = {
    "host_serial": ("ct1", ("S1",), "parts.csv: serial of ct1"),
    "gpu_serial": ("ct1/gpu0", ("M1",), "parts.csv: serial of ct1/gpu0"),
    "guid": ("ct1/mlx5_0", ("b8e9240300000100",), "parts.csv: guid of ct1/mlx5_0/1"),
    "gpu_product": ("ct1/gpu0", ("Tiny GPU",), "profile small"),
    "slot": ("ct1", (1,), "parts.csv: label of ct1"),
    "power.gpu_limit": ("ct1/gpu0", (1200,), "tiny.yaml: power.gpu_limit_w"),
    "ranks": ("k1", (4,), "tiny.yaml: GPUs of k1"),
    "partition": (
        "ct1/gpu0", ("6f1d7c2e-4b0a-4d7e-9c15-000000000042/7",), "tiny.yaml: partition p1",
    ),
    "firmware.kernel": ("ct1", ("6.10",), "tiny.yaml: firmware.kernel"),
    "firmware.nic": ("ct1/mlx5_0", ("28.45.1200", "28.46.1"), "tiny.yaml: firmware.nic"),
    "firmware.gpu_driver": ("ct1", (), "tiny.yaml: firmware.gpu_driver"),
    "firmware.ofed": ("ct1", (), "tiny.yaml: firmware.ofed"),
    "imex": ("ct1", (), "tiny.yaml: imex"),
    "firmware.vbios": ("ct1/gpu0", (), "tiny.yaml: firmware.vbios"),
    "firmware.nvos": ("sw1", (), "tiny.yaml: firmware.nvos"),
    "firmware.switch_chip": ("sw1", (), "tiny.yaml: firmware.switch_chip"),
    "access_ports": ("sw1", (0,), "tiny.yaml: GPUs of the rack of sw1"),
    "firmware.psid": ("ct1/mlx5_0", (), "tiny.yaml: firmware.psid"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFERENCES)
def test_what_was_bought_is_looked_up_with_its_source(tiny: Inventory, name: str) -> None:
    subject, values, source = BOUGHT[name]
    found = bought(tiny, name, subject)
    assert (found.values, found.source) == (values, source)


def test_what_the_inventory_does_not_say_is_empty(tiny: Inventory, tmp_path: Path) -> None:
    assert bought(tiny, "guid", "ct2/mlx5_0").values == ()
    assert bought(tiny, "gpu_serial", "ct2/gpu1").values == ()
    assert bought(tiny, "ranks", "tiny").values == bought(tiny, "ranks", "k1").values
    with pytest.raises(ValueError, match="knows no 'guids'"):
        bought(tiny, "guids", "ct1")


PARTITIONS = """partitions:
  - name: p1
    hosts: "ct[1-2]"
    cluster_uuid: 6F1D7C2E-4b0a-4d7e-9c15-000000000042
    clique: 7
"""


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", ()),
        ("partitions: none\n", ("00000000-0000-0000-0000-000000000000/0",)),
        ("partitions: [{name: p, hosts: ct1}]\n", ("00000000-0000-0000-0000-000000000000/0",)),
        ("partitions: [{name: p, hosts: ct2}]\n", ()),
    ],
)
def test_silence_about_partitions_is_not_the_word_none(
    tmp_path: Path, text: str, values: tuple[str, ...]
) -> None:
    inventory = load(tmp_path, Edit("tiny.yaml", PARTITIONS, text))
    assert bought(inventory, "partition", "ct2/gpu0").values == values
