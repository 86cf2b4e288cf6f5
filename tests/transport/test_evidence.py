"""What was answered is kept as it came, and an earlier run is answered from it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from fixtures.model.errors import DeadlineError, InventoryError, RackError, TransportError
from fixtures.transport.base import Command, CommandResult
from fixtures.transport.evidence import EvidenceStore, RecordingTransport, merge_indexes
from fixtures.transport.exchange import StartedProcess
from fixtures.transport.local import LocalTransport
from fixtures.transport.replay import ReplayIndex, ReplayTransport
from fixtures.transport.store import evidence_id, read_index

HOST = "r01-ct01"


def sh(text: str, key: str = "k/sh", **more: Any) -> Command:
    return Command(argv=("sh", "-c", text), key=key, **more)


class Broken:
    """A host that is lost, whatever it is asked."""

    host = "r01-ct02"

    def run(self, command: Command) -> CommandResult:
        raise DeadlineError(f"{self.host}: went silent")

    def bundle(self, commands: Sequence[Command]) -> list[CommandResult]:
        raise TransportError(f"{self.host}: refused")

    def start(self, command: Command) -> StartedProcess:
        raise TransportError(f"{self.host}: refused", reason="busy")

    def close(self) -> None:
        pass


@pytest.fixture
def recording(tmp_path: Path) -> RecordingTransport:
    inner = LocalTransport(HOST, run_id="run1")
    return RecordingTransport(inner, EvidenceStore(tmp_path, "main"))


def replay(run_dir: Path, host: str = HOST) -> ReplayTransport:
    merge_indexes(run_dir)
    return ReplayTransport(host, ReplayIndex.load(run_dir))


def entries(run_dir: Path) -> list[dict[str, Any]]:
    return read_index(merge_indexes(run_dir))


def test_files_hold_the_bytes_as_they_came(recording: RecordingTransport, tmp_path: Path) -> None:
    command = Command(argv=("/usr/bin/printf", r"\377\0\r\n"), key="facts/x")
    result = recording.run(command)
    (entry,) = entries(tmp_path)
    assert result.evidence == entry["id"] == evidence_id(HOST, "facts/x", 1)
    out = tmp_path / "evidence" / entry["stdout"]
    assert out.read_bytes() == b"\xff\0\r\n"
    assert out.name == f"{entry['id']}-printf.out"
    assert entry["stderr"] == ""
    assert entry["argv"] == ["/usr/bin/printf", r"\377\0\r\n"]
    assert list(entry) == [
        *("id", "key", "host", "argv", "effect", "host_time", "started", "duration_s"),
        *("rc", "timed_out", "stdout", "stderr"),
    ]


def test_environment_is_never_kept(recording: RecordingTransport, tmp_path: Path) -> None:
    recording.run(sh('test -n "$TOKEN"', env={"TOKEN": "hidden-word"}))
    for path in (tmp_path / "evidence").rglob("*"):
        assert path.is_dir() or b"hidden-word" not in path.read_bytes()


def test_replay_gives_equal_results(recording: RecordingTransport, tmp_path: Path) -> None:
    asked = [sh("echo a; echo b >&2; exit 3"), sh("date +%N"), sh("date +%N")]
    bundle = [sh("echo one", "facts/one"), sh("echo two", "facts/two"), sh("date +%N")]
    original = [*(recording.run(command) for command in asked), *recording.bundle(bundle)]
    process = recording.start(sh("echo started; exit 1", "load/x"))
    original.append(process.wait(5))
    again = replay(tmp_path)
    replayed = [*(again.run(command) for command in asked), *again.bundle(bundle)]
    replayed.append(again.start(sh("echo started; exit 1", "load/x")).wait(5))
    assert replayed == original
    keys = [entry["key"] for entry in entries(tmp_path)]
    assert sorted(keys) == sorted(
        ["k/sh", "k/sh#2", "k/sh#3", "facts/one", "facts/two", "k/sh#4", "load/x"]
    )


def test_replay_gives_the_recorded_errors(tmp_path: Path) -> None:
    recording = RecordingTransport(Broken(), EvidenceStore(tmp_path, "main"))
    with pytest.raises(DeadlineError):
        recording.run(sh("x", "a"))
    with pytest.raises(TransportError):
        recording.bundle([sh("x", "b"), sh("y", "c")])
    with pytest.raises(TransportError):
        recording.start(sh("x", "d"))
    again = replay(tmp_path, Broken.host)
    with pytest.raises(DeadlineError, match="went silent") as late:
        again.run(sh("x", "a"))
    with pytest.raises(TransportError, match="refused") as lost:
        again.bundle([sh("x", "b"), sh("y", "c")])
    with pytest.raises(TransportError, match="refused") as busy:
        again.start(sh("x", "d")).wait(1)
    assert (late.value.why, lost.value.why, busy.value.why) == ("timeout", "unreachable", "busy")


def test_what_was_never_asked_is_not_run(recording: RecordingTransport, tmp_path: Path) -> None:
    recording.run(sh("echo a"))
    again = replay(tmp_path)
    again.run(sh("echo a"))
    for command in (sh("echo a"), sh("echo a", "other")):
        with pytest.raises(TransportError, match="the earlier run did not ask this") as caught:
            again.run(command)
        assert caught.value.why == "not-run"


def test_new_command_in_a_bundle_is_missing_alone(
    recording: RecordingTransport, tmp_path: Path
) -> None:
    recording.bundle([sh("echo a", "facts/a")])
    old, new = replay(tmp_path).bundle([sh("echo a", "facts/a"), sh("echo b", "facts/b")])
    assert old.stdout == "a\n"
    assert (new.rc, new.stderr) == (None, "rackgate: the earlier run did not ask this\n")
    with pytest.raises(TransportError, match="did not ask"):
        replay(tmp_path).bundle([sh("echo b", "facts/b")])


def test_output_of_a_program_past_its_deadline_is_kept(
    recording: RecordingTransport, tmp_path: Path
) -> None:
    process = recording.start(sh("echo begun; sleep 20", "load/x"))
    with pytest.raises(DeadlineError):
        process.wait(0.4)
    stopped = process.stop()
    assert stopped.stdout == "begun\n"
    (entry,) = entries(tmp_path)
    assert entry["error"]["reason"] == "timeout"
    again = replay(tmp_path).start(sh("echo begun; sleep 20", "load/x"))
    with pytest.raises(DeadlineError):
        again.wait(0.4)
    assert again.stop() == stopped


def test_processes_of_a_run_do_not_overwrite_each_other(tmp_path: Path) -> None:
    for part in ("main", "gw0", "gw1"):
        inner = LocalTransport(HOST, run_id="run1")
        RecordingTransport(inner, EvidenceStore(tmp_path, part)).run(sh(f"echo {part}"))
    found = entries(tmp_path)
    assert [entry["key"] for entry in found] == ["k/sh", "k/sh#2", "k/sh#3"]
    texts = [(tmp_path / "evidence" / entry["stdout"]).read_text() for entry in found]
    assert texts == ["main\n", "gw0\n", "gw1\n"]


def test_threads_keep_whole_lines(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path, "main")
    hosts = [RecordingTransport(LocalTransport(f"h{n}", run_id="r"), store) for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda host: [host.run(sh("echo x")) for _ in range(3)], hosts))
    assert len(entries(tmp_path)) == 24


def test_crash_in_mid_write_loses_one_line(recording: RecordingTransport, tmp_path: Path) -> None:
    recording.run(sh("echo a"))
    with (tmp_path / "evidence" / "index-main.jsonl").open("a") as index:
        index.write('{"id": "x", "key"')
    assert len(entries(tmp_path)) == 1
    ReplayIndex.load(tmp_path)
    (tmp_path / "evidence" / "index.jsonl").unlink()
    assert ReplayTransport(HOST, ReplayIndex.load(tmp_path)).run(sh("echo a")).stdout == "a\n"


@pytest.mark.parametrize("stdout", ["../../secret", "/etc/passwd", "link", f"{HOST}/../../secret"])
def test_edited_index_leads_nowhere_else(
    recording: RecordingTransport, tmp_path: Path, stdout: str
) -> None:
    (tmp_path / "secret").write_text("secret")
    recording.run(sh("echo a"))
    (tmp_path / "evidence" / "link").symlink_to(tmp_path / "secret")
    (entry,) = entries(tmp_path)
    (tmp_path / "evidence" / "index.jsonl").write_text(json.dumps(entry | {"stdout": stdout}))
    with pytest.raises(TransportError, match="lies outside") as caught:
        ReplayTransport(HOST, ReplayIndex.load(tmp_path)).run(sh("echo a"))
    assert caught.value.why == "unreadable"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", ":1: 'id' is None; expected str"),
        ("[]", ":1: expected an object, found list"),
        ("nonsense\n", ":1: not JSON"),
    ],
)
def test_damaged_index_is_our_own_trouble(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "index.jsonl").write_text(text)
    with pytest.raises(InventoryError, match=said):
        ReplayIndex.load(tmp_path)


def test_no_evidence_is_our_own_trouble(tmp_path: Path) -> None:
    with pytest.raises(InventoryError, match="no evidence to replay"):
        ReplayIndex.load(tmp_path)


def test_missing_file_is_unreadable(recording: RecordingTransport, tmp_path: Path) -> None:
    recording.run(sh("echo a"))
    (entry,) = entries(tmp_path)
    (tmp_path / "evidence" / entry["stdout"]).unlink()
    with pytest.raises(TransportError, match="cannot read"):
        replay(tmp_path).run(sh("echo a"))


def test_full_disk_names_the_file(
    recording: RecordingTransport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, *given: Any, **named: Any) -> Any:
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(RackError, match=r"cannot write evidence to .*-sh.out: No space") as caught:
        recording.run(sh("echo a"))
    assert caught.value.why == "suite-error"


def test_host_and_tool_names_stay_in_the_folder(tmp_path: Path) -> None:
    inner = LocalTransport("../../evil", run_id="run1")
    store = EvidenceStore(tmp_path / "run", "../x")
    result = RecordingTransport(inner, store).run(Command(argv=("true",), key="../../k"))
    assert result.rc == 0
    assert {path.name for path in tmp_path.iterdir()} == {"run"}
    assert {path.name for path in (tmp_path / "run").iterdir()} == {"evidence"}
