"""XML in the layout of nvidia-smi, from an outline: one element a line, children indented.

    temperature                        <temperature>
     gpu_temp {temp} C          →          <gpu_temp>27 C</gpu_temp>
     memory_temp N/A                       <memory_temp>N/A</memory_temp>
                                       </temperature>

A line that begins with `=` is text on a line of its own. `{name}` is filled in later with
`str.format`.
"""

from __future__ import annotations


def to_xml(outline: str, depth: int) -> str:
    """The elements of an outline as XML text, indented by `depth` tabs and more."""
    lines = [line for line in outline.splitlines() if line.strip()]
    rendered: list[str] = []
    open_tags: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        level = len(line) - len(line.lstrip(" "))
        _close(rendered, open_tags, level, depth)
        tabs = "\t" * (depth + level)
        tag, _, value = line.strip().partition(" ")
        if tag.startswith("="):
            rendered.append(f"{tabs}{line.strip()[1:]}")
        elif value:
            rendered.append(f"{tabs}<{tag}>{value}</{tag}>")
        elif _has_children(lines, number, level) or tag.endswith("/"):
            rendered.append(f"{tabs}<{tag.rstrip('/')}>")
            open_tags.append((level, tag.rstrip("/")))
        else:
            rendered.append(f"{tabs}<{tag}></{tag}>")
    _close(rendered, open_tags, 0, depth)
    return "\n".join(rendered) + "\n"


def _has_children(lines: list[str], number: int, level: int) -> bool:
    following = lines[number + 1] if number + 1 < len(lines) else ""
    return len(following) - len(following.lstrip(" ")) > level


def _close(rendered: list[str], open_tags: list[tuple[int, str]], level: int, depth: int) -> None:
    while open_tags and open_tags[-1][0] >= level:
        at, tag = open_tags.pop()
        rendered.append("\t" * (depth + at) + f"</{tag}>")
