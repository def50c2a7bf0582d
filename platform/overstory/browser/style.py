"""Colours, sizes and captions for Neo4j Browser, in its own format (GraSS): one rule for each kind of node.

Browser gives every label that no rule names a colour of its own, by a rule at the end. All rules that fit a node are
applied in order, so that such a rule would win over ours: a node carries the label of its corpus, too. That is why the
labels that say nothing about a node's kind have rules, before those of the kinds.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from overstory.graph import GraphClient, list_corpora

FILE_NAME = "overstory.grass"
MARKERS = (
    *("", "_Document", "_Chunk", "_Stale", "_Changed", "_Derived"),
    *("_SlimSentence", "_SlimEntity", "_SlimRead", "_TreeNode", "_SeragRead"),
    *("_DerivedVector", "_Shared", "_Awaited"),
)
"""What is appended to a corpus' label for the labels that its nodes carry besides their kind."""

_KINDS = Path(__file__).with_name("style.grass")
_PLAIN = """node.{label} {{
  color: #A5ABB6;
  border-color: #8B929E;
  text-color-internal: #FFFFFF;
  caption: "<id>";
}}
"""


def style(labels: Iterable[str]) -> str:
    """The style for the corpora of these labels."""
    markers = [f"{label}{marker}" for label in labels for marker in MARKERS]
    plain = "".join(_PLAIN.format(label=label) for label in ("Overstory", *markers))
    return plain + _KINDS.read_text(encoding="utf-8")


def style_of(graph: GraphClient) -> str:
    """The style for all corpora of a database: Browser has one at a time, whatever it shows."""
    return style(size.corpus.label for size in list_corpora(graph))
