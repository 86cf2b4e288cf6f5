"""YAML stays text, and what is wrong is refused with file, line and column."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fixtures.model import yamlfile
from fixtures.model.errors import InventoryError
from fixtures.model.textfile import LARGEST_BYTES
from fixtures.model.yamlfile import DEEPEST, YamlFile, read_yaml


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "x.yaml"


def said(file: Path, data: str | bytes) -> str:
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    with pytest.raises(InventoryError) as caught:
        read_yaml(file)
    return str(caught.value).replace(f"{file.parent}/", "")


REFUSED: dict[str, tuple[str | bytes, str]] = {
    "tab": ("a:\n\tb: 1\n", "x.yaml:2:1: a tab in the indent; YAML wants blanks"),
    "tab behind blanks": ("a:\n  \tb: 1\n", "x.yaml:2:3: a tab in the indent"),
    "tab behind an odd line end": ("a: b\u2028\n\tc: 1\n", "x.yaml:2:1: a tab in the indent"),
    "duplicate key": (
        "a: 1\nb:\n  c: 1\n  c: 2\n",
        "x.yaml:4:3: key 'c' stands here again; first at line 3",
    ),
    "duplicate key, flow": ("a: {b: 1, b: 2}\n", "x.yaml:1:11: key 'b' stands here again"),
    "anchor": ("a: &x 1\n", "x.yaml:1:4: anchors and aliases are not supported; write"),
    "alias": ("b: 1\na: *x\n", "x.yaml:2:4: anchors and aliases are not supported; write"),
    "merge": ("a: &x {b: 1}\nc:\n  <<: *x\n", "x.yaml:1:4: anchors and aliases"),
    "tag": ("a: !!int 5\n", "x.yaml:1:4: tags (tag:yaml.org,2002:int) are not supported"),
    "python tag": (
        "a: !!python/object:os.system x\n",
        "x.yaml:1:4: tags (tag:yaml.org,2002:python",
    ),
    "not UTF-8": (b"a: 1\nbc: \xff\n", "x.yaml:2:5: not UTF-8 text (invalid start byte); save"),
    "control character": ("a: 1\nb: \x07\n", "x.yaml:2:4: control character '\\x07'; remove it"),
    "empty": ("", "x.yaml:1:1: expected `key: value` lines at the top"),
    "only a comment": ("# later\n", "x.yaml:1:1: expected `key: value` lines at the top"),
    "list at the top": ("- a\n", "x.yaml:1:1: expected `key: value` lines at the top"),
    "text at the top": ("a\n", "x.yaml:1:1: expected `key: value` lines at the top"),
    "two documents": (
        "a: 1\n---\nb: 2\n",
        "x.yaml:2:1: not valid YAML: but found another document",
    ),
    "two colons": ("a: b: c\n", "x.yaml:1:5: not valid YAML: mapping values are not allowed"),
    "open quote": ("a: 'b\n", "x.yaml:2:1: not valid YAML: found unexpected end of stream"),
    "list as key": ("[a]: 1\n", "x.yaml:1:1: a key must be plain text"),
    "deep lists": ("a: " + "[" * 300 + "]" * 300, f"x.yaml:1:44: nested deeper than {DEEPEST}"),
    "deep maps": ("".join(" " * n + "a:\n" for n in range(99)), "x.yaml:42:42: nested deeper than"),
    "deeper than any stack": ("a: " + "[" * 90_000, "x.yaml:1:1003: not valid YAML: exceeded"),
    "huge": (b"a: 1\n" * (LARGEST_BYTES // 5 + 1), "x.yaml: is larger than 4194304 bytes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_with_its_place(file: Path, name: str) -> None:
    data, expected = REFUSED[name]
    assert said(file, data).startswith(expected)


def test_refuses_what_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(InventoryError, match=r"no\.yaml: cannot be read: No such file"):
        read_yaml(tmp_path / "no.yaml")
    with pytest.raises(InventoryError, match="cannot be read: Is a directory"):
        read_yaml(tmp_path)


TEXTS = [
    "52:54:00:12:34:56", "010", "no", "yes", "on", "10:20", "1e3", "~", "null", "true", "0x1F",
    "2026-11-30", "1_000", ".inf", "6.10", "<<", "=",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_keeps_plain_text_as_it_is_written(file: Path, text: str) -> None:
    file.write_text(f"a: {text}\nb: [{text}]\n{text}: c\n", encoding="utf-8")
    assert read_yaml(file).value == {"a": text, "b": [text], text: "c"}


def test_nothing_is_not_an_empty_text(file: Path) -> None:
    file.write_text("a:\nb: ''\nc: [ ]\n", encoding="utf-8")
    assert read_yaml(file).value == {"a": None, "b": "", "c": []}


def test_without_libyaml_the_same_is_read_and_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yamlfile, "_LOADER", yaml.SafeLoader)
    file.write_text("a:\nb: ''\nc: 010\n", encoding="utf-8")
    assert read_yaml(file).value == {"a": None, "b": "", "c": "010"}
    for name in ("duplicate key", "anchor", "alias", "tag", "empty", "two documents", "open quote"):
        assert said(file, REFUSED[name][0]).startswith(REFUSED[name][1])
    assert said(file, "a: " + "[" * 500 + "]" * 500).startswith(
        "x.yaml: not valid YAML: maximum recursion"
    )


def test_editors_of_other_systems_are_welcome(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbfa: 1\r\nb:\r\n  c: 2\r\n")
    read = read_yaml(file)
    assert read.value == {"a": "1", "b": {"c": "2"}}
    assert read.where(("b", "c")).endswith(":3:3")


def test_a_place_that_is_not_in_the_file_is_where_it_should_stand(file: Path) -> None:
    file.write_text("a:\n  - b: 1\n", encoding="utf-8")
    read = read_yaml(file)
    assert read.where(("a", 0, "b")) == f"{file}:2:5"
    assert read.where(("a", 0, "missing", 7)) == f"{file}:2:5"
    assert read.where(("missing",)) == f"{file}:1:1"


PRINTABLE = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufeff")
)
TREE = st.recursive(
    PRINTABLE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PRINTABLE, inner, max_size=3),
    max_leaves=12,
)


def read_back(folder: Path, data: bytes) -> YamlFile:
    file = folder / "x.yaml"
    file.write_bytes(data)
    return read_yaml(file)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("yaml")


@given(tree=st.dictionaries(PRINTABLE, TREE, max_size=4))
def test_text_survives_writing_and_reading(folder: Path, tree: dict[str, object]) -> None:
    quoted = yaml.dump(tree, default_style='"', allow_unicode=True).encode()
    plain = yaml.dump(tree, allow_unicode=True).encode()
    if b"&id0" not in plain:  # the dumper writes an alias where an object stands twice
        assert read_back(folder, quoted).value == tree
        assert read_back(folder, plain).value == tree


@given(data=st.binary(max_size=60) | st.text("a: -[]{}&*!|>'\"%@#\t\n\\,?", max_size=40))
def test_no_input_raises_anything_but_our_own_error(folder: Path, data: bytes | str) -> None:
    with contextlib.suppress(InventoryError):
        read_back(folder, data.encode() if isinstance(data, str) else data)
