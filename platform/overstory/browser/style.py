"""Colours, sizes and captions for Neo4j Browser, in its style format GraSS.

There is one rule per kind of node. A node has additional labels that do not denote its kind, such as the label of its
corpus. For each label without a rule, Browser appends a rule with a new colour, and later rules override earlier ones.
To prevent this, each additional label has a transparent rule that precedes the rules for the kinds. Browser still lists
these labels in its legend, but without a colour.
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
"""Suffixes of the corpus-specific labels ("Corpus_…") that nodes have in addition to their kind. The labels in
`Contribution.labels` are added to these."""

PLAIN_MARKERS = ("Overstory", "OfDocument", "OfChunk", "OfEntity", "Shared", "BoilerplateOnly")
"""Labels that are the same in all corpora and do not denote the kind of a node."""

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
    """Return the style for the given corpora, including the node kinds of systems.

    If a system has no rule for one of its node kinds, the more general kind determines how its nodes look. For example,
    its communities look like all other communities.

    Args:
        index_sets: labels of the index sets of the corpora.
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
    """Return one style for all corpora in a database, because Browser uses only one style at a time."""
    corpora = [size.corpus for size in list_corpora(graph)]
    sets = (set_label(corpus.index_set) for corpus in corpora)
    return style((corpus.label for corpus in corpora), contributions, index_sets=sets)


def archive_name(corpus: str) -> str:
    return f"overstory-{_file_name(corpus)}.zip"


def archive(corpus: str, queries: Iterable[SavedQuery]) -> bytes:
    """Return a ZIP file of the queries. Dropping it onto Browser adds the queries as a folder of favourites."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as file:
        for query in queries:
            # Creating the entry from its name gives it a fixed date, so equal queries result in equal files.
            file.writestr(zipfile.ZipInfo(f"Overstory {_file_name(corpus)}/{query.name}.cypher"), query.text)
    return written.getvalue()


def save(folder: Path, corpus: str, queries: Sequence[SavedQuery], style: str) -> list[Path]:
    """Write the queries, the style and the archive of queries to a folder, and return the paths.

    Existing files are replaced.
    """
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
        raise SettingsError(f"Cannot write to {folder}: {error}", remedy="Name another folder.") from error
    return [folder / name for name in contents]


def _file_name(corpus: str) -> str:
    return "".join(char if char.isalnum() or char in " -_" else "-" for char in corpus)
