"""What happens to outputs on their way: cut, doubled, torn, prefixed, with other things in them."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = [
    *("nan", "-1", "0", "inf", "1e999", "9223372036854775794", "N/A", "[N/A]", "-", "GPU is lost"),
    *(" ", "\n", "\t", ":", "/", "(", "{", "]", '"', "<", ">", "&", "\0", "٣", "9" * 400),
    *("4294967295", "null", "true", "Unknown Error", "#", "...", "\x1b[31m", "\r\n", "=", ",", "|"),
]
WARNING = (
    "[1732972800.123456] [r01-ct01:4711 :0] ucp_context.c:1774 UCX  WARN  transport is missing\n"
)


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """The text after one to three accidents."""
    for _ in range(draw(st.integers(1, 3))):
        text = draw(st.sampled_from([_pieces, _lines, _whole]))(draw, text)
    return text


def _pieces(draw: st.DrawFn, text: str) -> str:
    """A piece is replaced, put in, or cut out."""
    start = draw(st.integers(0, max(len(text) - 1, 0)))
    length = draw(st.sampled_from([0, 1, 2, 5, 20, 200, 2000]))
    return text[:start] + draw(st.sampled_from([*PIECES, ""])) + text[start + length :]


def _lines(draw: st.DrawFn, text: str) -> str:
    """A line is lost, doubled, moved, or joined by somebody else's."""
    lines = text.splitlines(keepends=True) or [""]
    at = draw(st.integers(0, len(lines) - 1))
    to = draw(st.integers(0, len(lines) - 1))
    kind = draw(st.sampled_from(["lost", "doubled", "moved", "warning"]))
    line = lines[at]
    if kind in ("lost", "moved"):
        del lines[at]
    if kind in ("doubled", "moved"):
        lines.insert(to, line)
    if kind == "warning":
        lines.insert(at, WARNING)
    return "".join(lines)


def _whole(draw: st.DrawFn, text: str) -> str:
    """The end is lost, or all of it is doubled, prefixed, or from another system."""
    kind = draw(st.sampled_from(["cut", "doubled", "srun", "mpirun", "crlf", "indented"]))
    if kind == "cut":
        return text[: draw(st.integers(0, len(text)))]
    if kind == "doubled":
        return text + text
    if kind == "crlf":
        return text.replace("\n", "\r\n")
    prefix = {"srun": "0: ", "mpirun": "[1,0]<stdout>:", "indented": "    "}[kind]
    return "".join(prefix + line for line in text.splitlines(keepends=True))
