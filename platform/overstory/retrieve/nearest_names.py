"""Names that a question may have misspelt: no passage mentions them, and some mention names much like them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from overstory.errors import IndexMissing, NameNotFound, QuestionError
from overstory.graph import Corpus, GraphClient, Transaction
from overstory.retrieve.among import Among
from overstory.retrieve.context import asked_corpus
from overstory.retrieve.entity_paths.endpoints import likeness
from overstory.retrieve.entity_paths.matching_passages import MatchingPassages
from overstory.retrieve.name_facts import known_name
from overstory.text.names.keys import entity_key

_LEAST_MISSPELT_LIKENESS = 0.75
"""How like a name that is unknown another one must be to be what was meant, from 0 to 1."""
_MOST_NAMES_MEANT = 3
"""That are told of a name."""


def nearest_names(
    graph: GraphClient,
    corpus_name: str,
    names: Sequence[str],
    *,
    among: Callable[[Transaction, Corpus], Among] | None = None,
) -> dict[str, tuple[str, ...]]:
    """Of some names those that no passage mentions, each with the names most like it that passages do mention.

    Args:
        among: the documents that may be told of; None for all.
    """

    def work(tx: Transaction) -> dict[str, tuple[str, ...]]:
        corpus = asked_corpus(graph, corpus_name, tx)
        passages = None if among is None else MatchingPassages(among(tx, corpus))
        unknown: dict[str, tuple[str, ...]] = {}
        for name in names:
            try:
                known_name(tx, corpus, name, passages)
            except NameNotFound as error:
                unknown[name] = tuple(each for each in error.suggestions if _is_like(name, each))[:_MOST_NAMES_MEANT]
            except (IndexMissing, QuestionError):  # there are no names yet, or it is none
                continue
        return unknown

    return graph.reading("retrieve/name_facts", work)


def _is_like(name: str, other: str) -> bool:
    return likeness(entity_key(name), entity_key(other)) >= _LEAST_MISSPELT_LIKENESS
