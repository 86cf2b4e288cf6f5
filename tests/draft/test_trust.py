"""Only keys that a list has, or that a person has accepted, are trusted."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.model.errors import InventoryError
from fixtures.transport.known_hosts import HostKey, fingerprint
from plugins.draft.trust import Decision, decide, read_lists, shared

NAMES = {"a": ("[127.0.0.1]:1", "127.0.0.1", "a"), "b": ("[127.0.0.1]:2", "127.0.0.1", "b")}


def key(text: str) -> HostKey:
    return HostKey("ssh-ed25519", text.encode(), "shown")


def line(name: str, shown: HostKey) -> str:
    return f"{name} {shown.kind} {base64.b64encode(shown.blob).decode()}\n"


def decided(folder: Path, text: str, *answers: str, **shown: HostKey) -> tuple[Decision, list[str]]:
    (folder / "list").write_text(text)
    said: list[str] = []
    replies: Iterator[str] = iter(answers)
    person = (lambda _: next(replies)) if answers else None
    lists = read_lists([folder / "list"] if text else [])
    return decide(shown, NAMES, lists, said.append, person), said


@pytest.mark.parametrize(
    "text",
    [
        line("[127.0.0.1]:1", key("k1")),
        line("a", key("k1")),
        f"a {fingerprint(b'k1')}\n",
        f"256 {fingerprint(b'k1')} a (ED25519)\n",
    ],
)
def test_a_listed_key_is_accepted_by_any_name_that_lists_use(text: str, tmp_path: Path) -> None:
    decision, _ = decided(tmp_path, text, a=key("k1"), b=key("k1"))
    assert list(decision.accepted) == ["a"]
    assert list(decision.unknown) == ["b"]
    decision, _ = decided(tmp_path, text, a=key("k2"))
    assert not decision.accepted
    assert f"a {fingerprint(b'k2')}" in decision.refused["a"]


def test_a_revoked_key_is_refused_whatever_else_is_listed(tmp_path: Path) -> None:
    text = "@revoked " + line("*", key("k1")) + line("a", key("k1"))
    decision, _ = decided(tmp_path, text, a=key("k1"))
    assert "revoked" in decision.refused["a"]


def test_nobody_at_the_terminal_accepts_nothing(tmp_path: Path) -> None:
    decision, said = decided(tmp_path, "", a=key("k1"))
    assert (list(decision.accepted), list(decision.unknown), said) == ([], ["a"], [])


def test_a_person_accepts_all_only_by_their_number_after_seeing_them(tmp_path: Path) -> None:
    decision, said = decided(tmp_path, "", "y", "", "3", "2", a=key("k1"), b=key("k2"))
    assert list(decision.accepted) == ["a", "b"]
    assert not decision.unknown
    assert fingerprint(b"k1") in said[0]
    decision, _ = decided(tmp_path, "", "none", a=key("k1"))
    assert list(decision.unknown) == ["a"]
    decision, _ = decided(tmp_path, "", "one", "y", "yes", a=key("k1"), b=key("k2"))
    assert (list(decision.accepted), list(decision.unknown)) == (["b"], ["a"])


def test_a_person_is_not_asked_about_a_key_that_contradicts_a_list(tmp_path: Path) -> None:
    decision, _ = decided(tmp_path, line("a", key("k1")), "1", a=key("k2"), b=key("k3"))
    assert list(decision.accepted) == ["b"]
    assert list(decision.refused) == ["a"]


def test_a_file_without_keys_is_no_list(tmp_path: Path) -> None:
    with pytest.raises(InventoryError, match="no host keys in it"):
        decided(tmp_path, "a MD5:00:11\n", a=key("k1"))


def test_hosts_with_one_key_are_named_together() -> None:
    assert shared({"a": key("k1"), "b": key("k2"), "c": key("k1")}) == [["a", "c"]]
