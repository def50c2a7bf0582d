"""Colours, sizes and captions for Neo4j Browser, in its own format (GraSS): one rule for each kind of node.

Browser gives every label that no rule names a colour of its own, by a rule at the end. All rules that fit a node are
applied in order, so that such a rule would win over ours: a node carries the label of its corpus, too. That is why the
labels that say nothing about a node's kind have rules, before those of the kinds. Browser lists all labels in its
legend and offers no way to leave one out; those of these rules are transparent there.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from overstory.browser.queries import Contribution, SavedQuery
from overstory.errors import SettingsError
from overstory.graph import GraphClient, list_corpora
from overstory.graph.schema import set_label

FILE_NAME = "overstory.grass"
MARKERS = (
    *(
        "",
        "_Document",
        "_MissingDocument",
        "_FailedFile",
        "_Chunk",
        "_Entity",
        "_TreeNode",
        "_CommunityReport",
        "_DerivedVector",
        "_PassageVector",
        "_MetadataKey",
    ),
    *(
        "_Stale",
        "_Disabled",
        "_Changed",
        "_Awaited",
        "_Unembedded",
        "_Unread",
        "_Derived",
        "_Parted",
        "_Unreported",
        "_Bridged",
    ),
    *("_Boilerplate", "_BoilerplateOnly", "_BoilerplateStale"),
    *("_OriginalNames", "_Renamed"),
)
"""Suffixes of a corpus' label for the labels that its nodes carry besides their kind; nodes of systems carry
more (`Contribution.labels`)."""

PLAIN_MARKERS = ("Overstory", "OfDocument", "OfChunk", "OfEntity", "Shared", "BoilerplateOnly")
"""Labels that say nothing of the kind of a node, and are the same in all corpora."""

SLOTS = ("A", "B")

_KINDS = Path(__file__).with_name("style.grass")
_PLAIN = """node.{label} {{
  color: transparent;
  border-color: transparent;
  text-color-internal: transparent;
  caption: "<id>";
}}
"""


def style(labels: Iterable[str], contributions: Sequence[Contribution] = (), *, index_sets: Iterable[str] = ()) -> str:
    """The style for the corpora of these labels, and of those of their index sets, with the kinds of these systems.

    A kind of theirs without a rule looks like what it also is, as a community of a system's does like any other.
    """
    own = "".join(each.style for each in contributions)
    kinds = [label for each in contributions for label in each.labels]
    marks = [mark for each in contributions for mark in each.marks]
    slotted = [f"{kind}_{slot}" for each in contributions for kind in each.slotted for slot in SLOTS]
    markers = [*MARKERS, *(f"_{kind}" for kind in (*kinds, *marks, *slotted))]
    without_rule = [kind for kind in kinds if not re.search(rf"^node\.{re.escape(kind)} ", own, re.MULTILINE)]
    plain = [
        *PLAIN_MARKERS,
        *index_sets,
        *without_rule,
        *(f"{label}{marker}" for label in labels for marker in markers),
    ]
    return "".join(_PLAIN.format(label=label) for label in plain) + _KINDS.read_text(encoding="utf-8") + own


def style_of(graph: GraphClient, contributions: Sequence[Contribution] = ()) -> str:
    """The style for all corpora of a database: Browser has one at a time, whatever it shows."""
    corpora = [size.corpus for size in list_corpora(graph)]
    sets = (set_label(corpus.index_set) for corpus in corpora)
    return style((corpus.label for corpus in corpora), contributions, index_sets=sets)


def archive_name(corpus: str) -> str:
    return f"overstory-{_file_name(corpus)}.zip"


def archive(corpus: str, queries: Iterable[SavedQuery]) -> bytes:
    """A ZIP file that Browser, when it is dropped there, turns into a folder of favourites."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as file:
        for query in queries:
            # An entry made from a name alone has a fixed date: the same queries give the same file.
            file.writestr(zipfile.ZipInfo(f"Overstory {_file_name(corpus)}/{query.name}.cypher"), query.text)
    return written.getvalue()


def save(folder: Path, corpus: str, queries: Sequence[SavedQuery], style: str) -> list[Path]:
    """Writes the queries, the style, and the archive for favourites, replacing files; returns what was written."""
    contents = {
        archive_name(corpus): archive(corpus, queries),
        FILE_NAME: style.encode(),
        **{f"{query.name}.cypher": f"{query.text}\n".encode() for query in queries},
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise SettingsError(f"{folder} cannot be written to: {error}", remedy="Name another folder.") from error
    return [folder / name for name in contents]


def _file_name(corpus: str) -> str:
    return "".join(char if char.isalnum() or char in " -_" else "-" for char in corpus)
