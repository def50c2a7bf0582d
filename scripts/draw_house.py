"""Draw a diagram of the packages and their imports into CONTRIBUTING.md, from the import statements.

python -m scripts.draw_house            write it python -m scripts.draw_house --check    exit with 1 if the page is out
of date
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from scripts.parsed_modules import ROOT, Module, packages, parsed_modules
from scripts.written_page import write_or_check

PAGE = ROOT / "CONTRIBUTING.md"
PLATFORM = "overstory"
BEGIN, END = "<!-- rooms: written by scripts/draw_house.py -->\n", "<!-- /rooms -->\n"
BASE = "base"
"""Name in the diagram for top-level modules of the platform that import no package. All others may use them."""

Rooms = dict[str, set[str]]
"""Imported packages by package."""


def rooms(modules: Iterable[Module]) -> Rooms:
    """Return the imports between rooms. A room is a folder or module of the platform, or another package."""
    imports: Rooms = {}
    names = packages()
    for module in modules:
        room = _room(module.path.with_suffix("").parts)
        if room is not None:
            imported = {_room(tuple(name.split("."))) for name in _imported(module.tree, names)}
            imports.setdefault(room, set()).update(each for each in imported if each not in (None, room))
    return _with_base(imports)


def _room(parts: tuple[str, ...]) -> str | None:
    """Return the room of a module; None for the entry points (`overstory/__init__.py`, `__main__.py`)."""
    if parts[0] != PLATFORM:
        return parts[0]
    return parts[1] if len(parts) > 1 and not parts[1].startswith("__") else None


def _imported(tree: ast.Module, packages: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in packages:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] in packages)


def _with_base(imports: Rooms) -> Rooms:
    """Return the rooms, with modules that import only each other merged into one."""
    folders = {path.name for path in (ROOT / "platform" / PLATFORM).iterdir() if path.is_dir()}
    base = {room for room in imports if room not in folders and not room.startswith(PLATFORM)}
    while outward := {room for room in base if imports[room] - base - {"model"}}:
        base -= outward
    base |= {"model"} & imports.keys()
    joined: Rooms = {}
    for room, targets in imports.items():
        new = BASE if room in base else room
        joined.setdefault(new, set()).update({BASE if each in base else each for each in targets} - {new})
    return joined


def arrows(rooms: Rooms) -> list[tuple[str, str]]:
    """Return the imports without those implied by others: a → c is left out if a → b and b → c exist."""
    below: Rooms = {room: set(_reached(rooms, room)) for room in rooms}
    return sorted(
        (room, target)
        for room, targets in rooms.items()
        for target in targets
        if not any(target in below[other] for other in targets - {target})
    )


def _reached(rooms: Rooms, start: str) -> Iterator[str]:
    waiting, seen = [start], set[str]()
    while waiting:
        new = rooms[waiting.pop()] - seen
        seen |= new
        waiting += new
        yield from new


def picture(modules: Iterable[Module]) -> str:
    lines = (f"    {room} --> {target}\n" for room, target in arrows(rooms(modules)))
    return "```mermaid\nflowchart TD\n" + "".join(lines) + "```\n"


def page(modules: Iterable[Module]) -> str:
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.index(BEGIN) + len(BEGIN), text.index(END)
    return text[:before] + picture(modules) + text[after:]


def main(arguments: list[str], modules: Iterable[Module]) -> int:
    return write_or_check(PAGE, page(modules), arguments, "scripts.draw_house")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], parsed_modules()))
