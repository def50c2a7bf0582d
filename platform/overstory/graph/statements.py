"""Cypher statements, one a file under `cypher/`, called by name: `retrieve/lexical` is `retrieve/lexical.cypher`.

A statement has at most one placeholder: `{{corpus}}`, the label of a corpus, or `{{label}}`, the label of one kind of
its nodes, for the commands that take no label as a parameter. Everything else travels as a parameter.
"""

from __future__ import annotations

import functools
import re
from importlib.resources.abc import Traversable
from pathlib import Path

from overstory.graph.ids import CORPUS_LABEL, DERIVED_LABEL

PLACEHOLDERS = {
    "{{corpus}}": ("a corpus label", CORPUS_LABEL),
    "{{label}}": ("the label of one kind of nodes of a corpus", DERIVED_LABEL),
}
"""Valid values of each placeholder. No label fits both."""


@functools.cache
def statement_folder() -> Path:
    """The folder of the statements: inside an installed wheel, or at the root of the repository."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "_cypher"
    return installed if installed.is_dir() else package.parents[1] / "cypher"


_ADDED: dict[str, Traversable] = {}


def add_statements(prefix: str, folder: Traversable) -> None:
    """Registers the statements of another package: `prefix/NAME` is `folder/NAME.cypher`.

    Args:
        prefix: like "systems/toy"; ours are never replaced.
    """
    _ADDED[prefix] = folder


@functools.cache
def statement(name: str, label: str | None = None) -> str:
    """The text of a statement, with the label in place of its placeholder."""
    text = _file(name).read_text(encoding="utf-8")
    for placeholder, (what, form) in PLACEHOLDERS.items():
        if placeholder in text:
            if label is None or not form.fullmatch(label):
                raise ValueError(f"{name} needs {what}, not {label!r}")
            text = text.replace(placeholder, label)
    return text


def _file(name: str) -> Path | Traversable:
    own = statement_folder() / f"{name}.cypher"
    if own.exists():
        return own
    for prefix, folder in _ADDED.items():
        if name.startswith(f"{prefix}/"):
            return folder.joinpath(f"{name.removeprefix(f'{prefix}/')}.cypher")
    return own


@functools.lru_cache(maxsize=4_096)
def with_a_map(text: str, names: tuple[str, ...]) -> str:
    """A statement that takes these of its parameters from the map `$given`."""
    return re.sub(rf"\$({'|'.join(map(re.escape, names))})\b", r"$given.\1", text) if names else text


def statement_names(folder: str = "") -> list[str]:
    """The names of all statements below a folder, sorted."""
    root = statement_folder()
    return sorted(path.relative_to(root).with_suffix("").as_posix() for path in (root / folder).rglob("*.cypher"))
