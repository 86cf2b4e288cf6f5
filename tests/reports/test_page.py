"""The page: what it must show, that host output is only text there, and that it stays small."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from fixtures.model.measurement import Limit
from reports.manifest import Expected
from reports.signoff import sign
from tests.reports.rack import GPUS, HOSTS, MANIFEST, healthy, mini, real, run_of, taken

VOID = {"meta", "link", "br", "img", "input"}


class Tags(HTMLParser):
    """Every tag that a browser would see, and whether they are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not {name for name, _ in attrs} & {"src", "href", "onload", "onerror"}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def text_of(path: Path) -> str:
    html = path.read_text(encoding="utf-8")
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_page_shows_what_a_reader_asks_for(tmp_path: Path) -> None:
    warn = Limit(unit="C", source="a rule", kind="rule-of-thumb", maximum=1, level="warn",
                 provisional=True)  # fmt: skip
    rows = [
        *healthy()[:3],
        taken("nvlink.links_active", GPUS[1], 17, "FAIL"),
        taken("nvlink.links_active", GPUS[2], 16, "WAIVED", detail="waived by A until 2027: known"),
        taken("nvlink.temperature", GPUS[0], 2, limit=warn),
    ]
    run = run_of(tmp_path / "run", mini(tmp_path), rows).run
    text = text_of(run.signoff_html)
    for wanted in (
        "REJECTED (SIMULATED)",
        "Not an acceptance of hardware",
        "FAIL nvlink.links_active at r01-ct01/gpu1: 17 links, expected at least 18 links",
        "not part of this site's acceptance",
        "reseat",
        "at most 1 C (warn) (provisional)",
        "waived by A until 2027: known",
        "nvlink.spare",
        "r01-ct02/gpu1 suites/nvlink",
        "SN-A",
        "16 … 17 … 18",
        "SHA256SUMS",
    ):
        assert wanted in text, wanted
    Tags().feed(run.signoff_html.read_text(encoding="utf-8"))


def test_host_output_stays_text(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script><img src=x onerror=y>\x1b[2J\u202egnp.exe {{ 7*7 }}"
    rows = [
        *healthy()[:-1],
        taken("nvlink.links_active", GPUS[3], None, "INCONCLUSIVE", reason="unreadable",
              detail=hostile),
    ]  # fmt: skip
    run = run_of(tmp_path / "run", mini(tmp_path), rows).run
    html = run.signoff_html.read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(html)
    assert not tags.seen & {"script", "img", "link", "iframe"}
    assert "&lt;script&gt;" in html
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert "{{ 7*7 }}" in html


def test_page_of_twenty_thousand_rows_is_small(tmp_path: Path) -> None:
    manifest = list(MANIFEST)
    rows = healthy()
    for number in range(20_000):
        bad = number % 4 == 0
        metric = f"nvlink.m{number % 40}"
        rows.append(
            taken(metric, f"{GPUS[number % 4]}/link{number}", 17 if bad else 18,
                  "FAIL" if bad else "PASS", detail="x" * 1000 if bad else "")
        )  # fmt: skip
        manifest.append(Expected("", f"{HOSTS[0]}/gpu0/link{number}", "nvlink.never"))
    closed = run_of(tmp_path / "run", real(tmp_path), rows, manifest=manifest)
    assert closed.run.signoff_html.stat().st_size < 1_000_000
    assert "more (record.jsonl)" in text_of(closed.run.signoff_html)


def test_signing_twice_gives_the_same_page(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", mini(tmp_path), healthy()).run
    first = run.signoff_html.read_bytes(), run.signoff_json.read_bytes()
    sign(run)
    assert (run.signoff_html.read_bytes(), run.signoff_json.read_bytes()) == first
