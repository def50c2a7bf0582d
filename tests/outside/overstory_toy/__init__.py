"""A system in a package of its own: passages are found by the first letters of the names that they mention.

It is as small as a system can be, and uses every room that systems share: options, units that are entities, marks,
nodes that go with their entity, a node that several share, notes on a stale index, and learning from answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import ClassVar

from overstory.answer import Answer
from overstory.graph import Corpus, Transaction
from overstory.graph.ids import content_id
from overstory.model import Evidence, Reason
from overstory.protocols import Retriever
from overstory.retrieve import RetrievalContext
from overstory.retrieve.context import query_current_corpus
from overstory.retrieve.hits import chunk_rows, ranked_hits
from overstory.systems import LearningRun, Owned, System, SystemRun, option, require_state
from overstory.systems.settings import Preset, Presets
from overstory.systems.state import StaleNotes


@dataclass(frozen=True, slots=True)
class ToyIndexSettings:
    """Settings of the index of entities by letter."""

    letters: int = option(1, "letters of a name that it is filed under", least=1, most=3)


@dataclass(frozen=True, slots=True)
class ToyRetrieverSettings:
    """Settings of the answers."""

    weight: float = option(1.0, "of each name", least=0, most=10)

    presets: ClassVar[Presets] = {"light": Preset("weighs half", {"weight": 0.5})}


class Toy(System[ToyIndexSettings, ToyRetrieverSettings]):
    """Source: the telephone book."""

    name = "toy"
    title = "Toy"
    good_for = "names whose first letters are known"
    settings = ToyIndexSettings
    retriever_settings = ToyRetrieverSettings
    unit = "entity"
    owns = Owned(labels=("ToyEntry", "ToyLetter", "ToyMemory"))
    rebuilds_after_deletions = False
    statements = files("overstory_toy").joinpath("cypher")

    def build(self, run: SystemRun[ToyIndexSettings]) -> None:
        """Files every name that changed."""
        if run.scratch and run.before is not None:
            run.clear()
        run.publish(run.state(built=run.before is not None, complete=False))
        for ids in run.unread(size=2):
            names = run.graph.run("systems/toy/names", run.corpus.label, read=True, ids=ids)
            rows = [self._row(run.corpus, row["id"], row["name"][: run.settings.letters].upper()) for row in names]

            def write(tx: Transaction, rows: list[dict[str, str]] = rows) -> None:
                tx.run("systems/toy/write", run.corpus.label, label=run.corpus.label, rows=rows)

            run.commit(write, done=ids)
            run.ledger.count("names", len(rows))
        run.publish(run.state())

    def retriever(self, context: RetrievalContext, settings: ToyRetrieverSettings) -> Retriever:
        """By the first letters of the question's words."""
        return ToyRetriever(self, context, settings)

    def learn(self, answer: Answer, evidence: Evidence, run: LearningRun) -> Iterator[str]:
        """Remembers the answer to a question."""
        id_ = content_id("toy-memory", run.corpus.label, evidence.question)
        run.graph.run("systems/toy/remember", run.corpus.label, label=run.corpus.label, id=id_, text=answer.text)
        yield "the toy remembers this answer"

    def _row(self, corpus: Corpus, entity: str, letters: str) -> dict[str, str]:
        ids = {"entry": content_id("toy-entry", entity), "shelf": content_id("toy-letter", corpus.label, letters)}
        return ids | {"entity": entity, "letters": letters}


class ToyRetriever:
    """Ranks passages by how many names they mention that begin as a word of the question does."""

    def __init__(self, system: Toy, context: RetrievalContext, settings: ToyRetrieverSettings) -> None:
        self.name = system.name
        self._system = system
        self._context = context
        self._weight = settings.weight
        self._stale = StaleNotes(system)

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` passages with the most such names."""

        def ask(tx: Transaction, corpus: Corpus) -> Evidence:
            state = require_state(self._system, corpus)
            letters = sorted({word[: state.settings.letters].upper() for word in question.split()})
            found = tx.run("systems/toy/find", corpus.label, letters=letters, limit=k)
            score = {row["chunk"]: self._weight * row["names"] for row in found}
            rows = chunk_rows(tx, corpus, score)
            hits = ranked_hits(rows, score, lambda chunk: [Reason("letters", score[chunk], "names that begin alike")])
            return Evidence(question, self.name, hits, notes=tuple(self._stale.of(tx, corpus, state)))

        return query_current_corpus(self._context, "retrieve/toy", ask)
