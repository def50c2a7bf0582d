"""The backlog of an index whose settings decide its units."""

from __future__ import annotations

from tests.passages import DANUBE, EINSTEIN, ULM, OpenCorpus

from overstory.graph import Transaction, read_corpus, writing
from overstory.index.ledger import StageRun
from overstory.llm import Chat
from overstory.model.documents import Unit
from overstory.protocols import Silence
from overstory.settings import ExtractionSettings
from overstory.systems.base import BuildContext, SystemRun, unread
from overstory.systems.state import Backlog, IndexState, StaleNotes, read_backlog
from overstory_systems.serag import SeRag, SeragIndexSettings


class OverEither(SeRag):
    """Reads documents with two levels, else names."""

    def unit_of(self, state: IndexState[SeragIndexSettings] | None) -> Unit:
        if state is None:
            return self.unit
        return "document" if state.settings.levels == 2 else "entity"


def test_an_index_is_behind_by_units_of_the_kind_that_its_settings_name(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([EINSTEIN, ULM, DANUBE])
    knowledge.delete_documents(knowledge.document_id(DANUBE.source, DANUBE.source_key))
    graph, system = knowledge.graph, OverEither()
    corpus = read_corpus(graph, knowledge.corpus_name)
    documents, names = (IndexState(SeragIndexSettings(levels=levels), built=True) for levels in (2, 3))
    assert read_backlog(graph, corpus, system, documents) == Backlog(units=2, pending=2, deleted=1)
    assert read_backlog(graph, corpus, system, names) == Backlog(units=0, pending=0, deleted=0)  # not yet extracted
    (ids,) = unread(graph, corpus, system, documents)
    assert ids == sorted(knowledge.document_id(each.source, each.source_key) for each in (EINSTEIN, ULM))
    assert list(unread(graph, corpus, system, names)) == []

    def told(tx: Transaction) -> list[str]:
        return [note for state in (documents, names) for note in StaleNotes(system).of(tx, corpus, state)]

    (note,) = graph.reading("stale", told)
    assert note.startswith("2 of 2 documents are new or changed since the SeRAG index was last brought up to date: ")
    with writing(graph, corpus, "index") as writer:
        for before, deleted in ((documents, 1), (names, 0)):
            run = SystemRun(
                system=system,
                writer=writer,
                corpus=corpus,
                settings=before.settings,
                before=before,
                scratch=False,
                backlog=Backlog(0, 0, 0),
                context=BuildContext(knowledge.embedder, ExtractionSettings(), _no_model, Silence()),
                chat=None,
                model="",
                fingerprint="",
                ledger=StageRun(),
            )
            assert run.state().deleted == deleted


def _no_model(name: str) -> Chat:
    raise AssertionError(name)
