"""After a change, the mentions stage reads only affected passages, with the result of a full run."""

from __future__ import annotations

import random

import pytest
from tests.passages import OpenCorpus, passage

from overstory.index.stages import mentions
from overstory.knowledge import Knowledge
from overstory.model import Document

NAMES = (
    "Robert George Springsteen",
    "Robert G. Springsteen",
    "R. G. Springsteen",
    "Robert Springsteen",
    "Bahram Beyzai",
    "Bahram Bayzai",
    "Bahram Beyzaie",
    "Beyzai",
    "John Ronald Reuel Tolkien",
    "J. R. R. Tolkien",
    "John Tolkien",
    "John Ronald Tolkien",
    "The Day of the Jackal",
    "Day Jackal",
    "Sieve",
    "University of Ulm",
    "Ulm",
)
STATEMENTS = ("about", "dictionary_mentions", "entities")


def drawn(chance: random.Random, key: int) -> Document:
    """A passage with a title or without, whose text names some names; or a glossary, with a heading."""
    said = chance.sample(NAMES, 3)
    title = chance.choice([*NAMES, "", ""])
    text = f"{said[0]} met {said[1]} in Ulm. Later {said[2]} wrote of it."
    if chance.random() < 0.2:
        text = f"sieve\nA frame with a mesh that {said[0]} made.\n\n{said[1]} (born 1939) is a name."
    return passage(str(key), title, text)


def rows(knowledge: Knowledge, statement: str) -> list[str]:
    return sorted(map(str, knowledge.graph.run(f"export/{statement}", knowledge.status().corpus.label)))


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
def test_random_changes_of_documents_give_what_the_documents_give_at_once(
    open_corpus: OpenCorpus, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311
    grown, fresh = open_corpus("grown"), open_corpus("fresh")
    documents = {key: drawn(chance, key) for key in range(8)}
    grown.ingest_documents(documents.values())
    grown.index()
    with monkeypatch.context() as patched:
        patched.setattr(mentions, "_MOST_CHANGED_CORPUS_SHARE", 2.0)  # nothing is looked at as a whole
        for step in range(12):
            key = chance.randrange(12)
            if key in documents and chance.random() < 0.4:
                gone = documents.pop(key)
                grown.delete_documents(grown.document_id(gone.source, gone.source_key))
            else:
                documents[key] = drawn(chance, key)
                grown.ingest_documents([documents[key]])
            if chance.random() < 0.8 or step == 11:
                grown.index()
    fresh.ingest_documents(documents.values())
    fresh.index()
    for statement in STATEMENTS:
        assert rows(grown, statement) == rows(fresh, statement)
    assert grown.digest() == fresh.digest()
