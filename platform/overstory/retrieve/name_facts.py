"""What the graph says of one name: its facts, and the names that these tie to it."""

from __future__ import annotations

import shlex

from overstory.display import counted, index_command, shortened
from overstory.errors import IndexMissing, NameNotFound, QuestionError
from overstory.graph import Corpus, GraphClient, Transaction, read_corpus
from overstory.graph.client import Row
from overstory.graph.ids import entity_id
from overstory.model.name_facts import NameFact, NameFacts, RelatedName
from overstory.retrieve.context import NAMES_OUTDATED
from overstory.retrieve.edited_names import cached_edits
from overstory.retrieve.entity_paths.endpoints import name_not_found
from overstory.retrieve.hits import chunk_rows
from overstory.retrieve.question import read_question
from overstory.text.names.keys import entity_key

MOST_FACTS_LOOKED_AT = 2_000
"""Facts of one name, and its ties to others: of those of a name that is everywhere the first are ranked."""


def find_name_facts(graph: GraphClient, corpus_name: str, name: str, *, limit: int) -> NameFacts:
    """A name as the corpus has it, with at most `limit` of its facts and of the names that are tied to it."""

    def work(tx: Transaction) -> NameFacts:
        corpus = read_corpus(tx, corpus_name)
        text, key = _key(tx, corpus, name)
        (ends,) = tx.run("retrieve/path_ends", corpus.label, ids=[entity_id(corpus.label, key)])
        if not ends["named"]:
            raise IndexMissing(
                f"Corpus {corpus.name!r} has no names yet.",
                remedy=f"Run: {index_command(corpus.name)}, or Knowledge.index() in Python.",
            )
        outdated = ends["changed"] > 0 or not corpus.named_by
        if not ends["names"]:
            raise name_not_found(tx, corpus, [(text, key)], outdated=outdated)
        (known,) = ends["names"]
        (row,) = tx.run(
            "retrieve/name_facts", corpus.label, id=known["id"], looked_at=MOST_FACTS_LOOKED_AT, limit=limit
        )
        return NameFacts(
            name=known["name"],
            type=row["type"],
            aliases=tuple(row["aliases"]),
            passages=known["df"],
            facts=_facts(tx, corpus, row),
            related=tuple(
                RelatedName(each["name"], each["type"], tuple(each["predicates"]), int(each["statements"]))
                for each in row["related"]
            ),
            notes=tuple(_notes(row, outdated=outdated)),
        )

    return graph.reading("retrieve/name_facts", work)


def _key(tx: Transaction, corpus: Corpus, name: str) -> tuple[str, str]:
    """The name without characters that no name has, and the key of the one that it leads to by edits."""
    try:
        text = read_question(name).text
    except QuestionError as error:
        raise QuestionError("The name is empty.", remedy="Name something that texts speak of.") from error
    key = entity_key(text)
    if not key:
        raise QuestionError(f"{shortened(text)!r} is no name.", remedy="Name something that texts speak of.")
    resolved = cached_edits(tx, corpus).resolve(key)
    if not resolved:
        raise NameNotFound(
            f"The name {shortened(text)!r} was hidden by hand.",
            name=text,
            suggestions=(),
            remedy=f"overstory names --show --corpus {shlex.quote(corpus.name)} lists edits, --undo N undoes one.",
        )
    return text, resolved


def _facts(tx: Transaction, corpus: Corpus, row: Row) -> tuple[NameFact, ...]:
    chunks = chunk_rows(tx, corpus, (fact["chunk"] for fact in row["facts"]))
    return tuple(
        NameFact(
            subject=fact["subject"],
            predicate=fact["predicate"],
            object=fact["object"],
            sentence=fact["sentence"] or "",
            title=chunk["title"],
            heading=chunk["heading"],
            source=chunk["source"],
            source_key=chunk["source_key"],
            document_id=chunk["document_id"],
            chunk_id=fact["chunk"],
            passages=fact["passages"],
        )
        for fact in row["facts"]
        if (chunk := chunks.get(fact["chunk"])) is not None
    )


def _notes(row: Row, *, outdated: bool) -> list[str]:
    notes = []
    if row["held"] > MOST_FACTS_LOOKED_AT:
        notes.append(f"of {counted(row['held'], 'fact')} only {MOST_FACTS_LOOKED_AT:,} were looked at")
    elif row["held"] > len(row["facts"]):
        notes.append(f"there are more facts, at most {row['held']:,}")
    return [*notes, *([NAMES_OUTDATED] if outdated else [])]
