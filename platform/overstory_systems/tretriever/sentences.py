"""What passages say of vertices and edges, in as few words as a context has room for. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from overstory.display import around, shortened
from overstory.graph.client import Row
from overstory.retrieve.hits import content
from overstory.systems.entity_graph.descriptions import cleaned
from overstory.text.names.keys import fold
from overstory.text.sentences import sentence_texts

DOCUMENT_CHARACTERS = 300
NAME_CHARACTERS = 200
EDGE_CHARACTERS = 160
"""Of what is shown of a document, of a name, and of an edge between names."""


@dataclass(frozen=True, slots=True)
class Passages:
    """Passages whose sentences are looked through.

    Attributes:
        rows: of `retrieve/chunks_by_id`, by id.
    """

    rows: Mapping[str, Row]
    _folded: dict[str, Sequence[tuple[str, str]]] = field(default_factory=dict[str, "Sequence[tuple[str, str]]"])

    def beginning(self, chunk: str) -> str:
        """Of a passage, on one line."""
        return shortened(cleaned(content(self.rows[chunk])), DOCUMENT_CHARACTERS)

    def on(self, name: str, chunk: str) -> str:
        """What a passage says of a name: the first sentence that says it, else the first that is not only a name."""
        sentences = self._sentences(chunk)
        found = next((told for told, folded in sentences if _says(folded, name) and fold(name) != folded), "")
        return around(found or (sentences[0][0] if sentences else ""), name, NAME_CHARACTERS)

    def between(self, one: str, other: str, chunks: Sequence[str]) -> tuple[str, str]:
        """What passages say of two names, and the id of the passage that says it: the first sentence that says both,
        else the first that says one of them, else "".

        Args:
            chunks: ids, the most important first; passages without a row are gone.

        Returns:
            Two empty strings where none of the passages is there.
        """
        there = [chunk for chunk in chunks if chunk in self.rows]
        one_only = ("", there[0]) if there else ("", "")
        for chunk in there:
            for told, folded in self._sentences(chunk):
                says = _says(folded, one), _says(folded, other)
                if all(says):
                    return around(told, one, EDGE_CHARACTERS), chunk
                if any(says) and not one_only[0]:
                    one_only = around(told, one if says[0] else other, EDGE_CHARACTERS), chunk
        return one_only

    def _sentences(self, chunk: str) -> Sequence[tuple[str, str]]:
        """The sentences of a passage on one line, as they stand and folded."""
        if chunk not in self._folded:
            self._folded[chunk] = list(_folded(self.rows[chunk]))
        return self._folded[chunk]


def _folded(row: Row) -> Iterator[tuple[str, str]]:
    for sentence in sentence_texts(content(row), row["sentences"]):
        told = cleaned(sentence)
        if told:
            yield told, fold(told)


def _says(folded: str, name: str) -> bool:
    """Whether a sentence has a name as whole words."""
    wanted = fold(name)
    at = folded.find(wanted) if wanted else -1
    while at >= 0:
        before, after = folded[at - 1 : at], folded[at + len(wanted) : at + len(wanted) + 1]
        if not before.isalnum() and not after.isalnum():
            return True
        at = folded.find(wanted, at + 1)
    return False
