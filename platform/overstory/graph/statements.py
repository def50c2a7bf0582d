"""Cypher statements by name. In a `.cypher` file, the line `// -- retrieve/repeats` begins the statement of this name.

Neo4j caches one query plan for each statement text. Most statements therefore have the same text for all corpora. Their
parameter `$corpus`, which the client sends, is the label of the corpus. All nodes of the corpus also have this label as
their property `corpus`.

Statements that scan or count the nodes of one corpus need a label in their text. The placeholder `{{corpus}}` stands
for the label of the corpus. The placeholder `{{label}}` stands for the label of one kind of its nodes or of a set of
full-text indexes. A statement contains at most one of these two placeholders.

A statement may have another form for newer servers, starting with the version in its comment
`// Since: Neo4j 2026.04`. In this form, each line `// since: LINE` replaces the line above it. The form is sent as
Cypher 25, which the new clauses require.

Some clauses do not accept a parameter for the name of a vector index. There, the placeholder `{{$index}}` stands for
the value of the parameter `$index`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from overstory.errors import GdsMissing, ServerTooOld
from overstory.graph.failures import GDS_REMEDY
from overstory.graph.ids import CORPUS_LABEL, DERIVED_LABEL, INDEX_SET_LABEL, VECTOR_INDEX

OLDEST: tuple[int, ...] = (5, 26)


class Capabilities:
    """The version, edition and plugins of the server. Threads can share this object.

    Attributes:
        version: version of Neo4j, such as "5.26.30".
        edition: edition of Neo4j: "community" or "enterprise".
    """

    def __init__(self, run: Callable[[str], list[dict[str, Any]]], version: str, edition: str) -> None:
        self._run = run
        self.version = version
        self.edition = edition

    @functools.cached_property
    def gds(self) -> str:
        """Version of the Graph Data Science plugin, read on first use; "" if the plugin is not installed."""
        return str(self._run("gds/version")[0]["version"]) if self._run("schema/has_gds") else ""

    @functools.cached_property
    def numbers(self) -> tuple[int, ...]:
        """The version as a tuple of numbers that can be compared, such as (5, 26, 30)."""
        return version_tuple(self.version)

    def require_gds(self, stage: str) -> None:
        if not self.gds:
            raise GdsMissing(
                f"{stage} needs the Graph Data Science plugin, which is not installed on the server.", remedy=GDS_REMEDY
            )


def read_capabilities(run: Callable[[str], list[dict[str, Any]]]) -> Capabilities:
    (kernel,) = run("schema/server_version")
    version = str(kernel["version"])
    if version_tuple(version) < OLDEST:
        raise ServerTooOld(
            f"The server is Neo4j {version}; Overstory needs {OLDEST[0]}.{OLDEST[1]} or later.",
            remedy="Upgrade the server, or unset OVERSTORY_NEO4J_URI to use the embedded one.",
        )
    return Capabilities(run, version, edition=str(kernel["edition"]))


def version_tuple(version: str) -> tuple[int, ...]:
    """Parse a version: "5.26.30" becomes (5, 26, 30), and "2025.01.0-beta" becomes (2025, 1, 0)."""
    return tuple(int(part) for part in re.findall(r"\d+", re.split(r"[-+]", version, maxsplit=1)[0]))


PLACEHOLDERS = {
    "{{corpus}}": ("a corpus label", CORPUS_LABEL),
    "{{label}}": (
        "the label of one kind of nodes of a corpus",
        re.compile(f"{DERIVED_LABEL.pattern}|{INDEX_SET_LABEL.pattern}"),
    ),
}
"""For each placeholder: a description and a pattern of its valid values. No label is valid for both placeholders."""

_SINCE = re.compile(r"^// Since: Neo4j (\d{4}\.\d{2})\b", re.MULTILINE)
_NEWER_LINE = re.compile(r"^.*\n( *)// since: (.*)$", re.MULTILINE)
_FOR_NEWER = re.compile(r"^ *// since: .*\n", re.MULTILINE)
_CORPUS_PARAMETER = re.compile(r"\$corpus\b")
_NAMED_BY = re.compile(r"\{\{\$(\w+)\}\}")


_HEADING = re.compile(r"^// -- (.+)\n", re.MULTILINE)
_ADDED: dict[str, str] = {}


@functools.cache
def _own() -> dict[str, str]:
    package = Path(__file__).resolve().parents[1]
    installed = package / "_cypher"
    files = sorted((installed if installed.is_dir() else package.parents[1] / "cypher").rglob("*.cypher"))
    return {name: text for file in files for name, text in _statements(file.read_text(encoding="utf-8"))}


def _statements(file: str) -> Iterable[tuple[str, str]]:
    _, *parts = _HEADING.split(file)
    return ((name, f"{text.strip()}\n") for name, text in zip(parts[::2], parts[1::2], strict=True))


def add_statements(folder: Traversable) -> None:
    """Register the statements in the `*.cypher` files of another package's folder.

    If a name is also the name of a built-in statement, the built-in statement is used.
    """
    for file in folder.iterdir():
        if file.name.endswith(".cypher"):
            _ADDED.update(_statements(file.read_text(encoding="utf-8")))


def statement_source(name: str) -> str:
    """Return the text of a statement as it is in its file, including placeholders and the lines for newer servers.

    Raises:
        KeyError: no statement has this name.
    """
    own = _own()
    return own[name] if name in own else _ADDED[name]


def statement(name: str, label: str | None = None, server: tuple[int, ...] = OLDEST) -> str:
    """Return the text of a statement for this version of the server, with the label in place of the placeholder."""
    text = _text(name, server)
    for placeholder, (what, form) in PLACEHOLDERS.items():
        if placeholder in text:
            if label is None or not form.fullmatch(label):
                raise ValueError(f"{name} needs {what}, not {label!r}")
            text = text.replace(placeholder, label)
    return text


@functools.cache
def _text(name: str, server: tuple[int, ...]) -> str:
    return _form(statement_source(name), server)


@functools.cache
def takes_corpus(name: str, server: tuple[int, ...]) -> bool:
    """Return True if the statement uses the parameter `$corpus`."""
    return _CORPUS_PARAMETER.search(_text(name, server)) is not None


def _form(text: str, server: tuple[int, ...]) -> str:
    since = _SINCE.search(text)
    if since is None:
        return text
    if server < version_tuple(since[1]):
        return _FOR_NEWER.sub("", text)
    return "CYPHER 25\n" + _NEWER_LINE.sub(r"\1\2", text)


def with_index_names(text: str, parameters: Mapping[str, object]) -> str:
    """Replace each placeholder `{{$NAME}}` in a statement by the index name that the parameter `NAME` contains."""
    return _NAMED_BY.sub(lambda found: _index_name(found[1], parameters.get(found[1])), text) if "{{$" in text else text


def _index_name(parameter: str, value: object) -> str:
    if not isinstance(value, str) or not VECTOR_INDEX.fullmatch(value):
        raise ValueError(f"${parameter} needs the name of a vector index of a corpus, not {value!r}")
    return value


@functools.lru_cache(maxsize=4_096)
def with_a_map(text: str, names: tuple[str, ...]) -> str:
    """Rewrite a statement so that these parameters come from one map: `$name` becomes `$given.name`."""
    return re.sub(rf"\$({'|'.join(map(re.escape, names))})\b", r"$given.\1", text) if names else text


def statement_names(folder: str = "") -> list[str]:
    """Return the sorted names of the built-in statements that start with `folder/`; by default of all statements."""
    return sorted(name for name in _own() if not folder or name.startswith(f"{folder}/"))
