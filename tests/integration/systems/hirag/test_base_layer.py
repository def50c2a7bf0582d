"""Layer 0 of HiRAG on the real Neo4j, by rules and by a language model with prepared answers."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pytest
from tests.passages import DANUBE, EINSTEIN, PASSAGES, ULM, OpenCorpus

from overstory.errors import LlmUnreachable
from overstory.graph import read_corpus, writing
from overstory.graph.ids import entity_id
from overstory.index.ledger import StageRun
from overstory.knowledge import Knowledge
from overstory.llm import Chat
from overstory.model import Completion, JsonSchema, Message, Usage
from overstory.protocols import Silence
from overstory.settings import ExtractionSettings
from overstory.systems.base import BuildContext, SystemRun, SystemView
from overstory.systems.entity_graph import read_entity_graph
from overstory.systems.state import Backlog
from overstory_systems.hirag import HiRag, HiragIndexSettings
from overstory_systems.hirag.build import read_base_layer
from overstory_systems.hirag.knowledge_graph import BaseLayer, LayerEntity
from overstory_systems.hirag.model_extraction import estimate_reading

MODEL = "told"


class ToldChat:
    """Finds given names in a request, all of one type, and relates the first two.

    Attributes:
        fails_after: number of answers; the next request gets none.
        nonsense: requests with this text get no JSON.
    """

    fingerprint = "told:1"
    max_tokens = 200

    def __init__(self, *names: str, fails_after: int | None = None, nonsense: str = "") -> None:
        self.names = names
        self.fails_after = fails_after
        self.nonsense = nonsense
        self.answered = 0

    def complete(
        self,
        messages: Sequence[Message],
        schema: JsonSchema | None = None,
        *,
        max_tokens: int | None = None,  # noqa: ARG002 # as models have it
    ) -> Completion:
        if self.answered == self.fails_after:
            raise LlmUnreachable("gone")
        self.answered += 1
        text = messages[1].text
        there = [name for name in self.names if name in text]
        relations = [{"source": o, "target": t, "description": "both", "strength": 5} for o, t in [there[:2]] if t]
        entities = [{"name": name, "type": "thing", "description": f"{name}, told."} for name in there]
        answer = {"relations": relations} if "relations" in str(schema) else {"entities": entities}
        said = "none" if self.nonsense and self.nonsense in text else json.dumps(answer)
        return Completion(said, MODEL, Usage(10, 5))

    def cancel(self) -> None: ...

    def close(self) -> None: ...


def context_of(knowledge: Knowledge, chat: Chat) -> BuildContext:
    return BuildContext(knowledge.embedder, ExtractionSettings(), lambda _: chat, Silence())


@contextmanager
def running(knowledge: Knowledge, model: ToldChat | None = None) -> Generator[SystemRun[HiragIndexSettings]]:
    """A first build of the index."""
    chat = Chat(model or ToldChat(), at_once=1)
    with writing(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name), "index") as writer:
        yield SystemRun(
            system=HiRag(),
            writer=writer,
            corpus=writer.corpus,
            settings=HiragIndexSettings(),
            before=None,
            scratch=True,
            backlog=Backlog(0, 0, 0),
            context=context_of(knowledge, chat),
            chat=chat if model else None,
            model=MODEL if model else "",
            fingerprint="",
            ledger=StageRun(),
        )


def layer_of(knowledge: Knowledge, model: ToldChat | None = None) -> BaseLayer:
    with running(knowledge, model) as run:
        return read_base_layer(run, {})


def by_key(layer: BaseLayer) -> dict[str, LayerEntity]:
    return {entity.key: entity for entity in layer.entities}


def test_layer_0_by_rules_is_the_graph_of_the_corpus_entities(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([EINSTEIN, ULM, DANUBE])
    knowledge.index()
    layer = layer_of(knowledge)
    graph = read_entity_graph(knowledge.graph, read_corpus(knowledge.graph, knowledge.corpus_name).label)
    assert [(e.ref, e.entity, e.embedded, e.by) for e in layer.entities] == [
        (f"0:{e.key}", e.id, e.embedded, "rules") for e in graph.entities
    ]
    assert [(r.source, r.target) for r in layer.relations] == [
        (f"0:{r.source}", f"0:{r.target}") for r in graph.relations
    ]


def test_what_a_model_read_is_not_asked_for_again(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    names = ("Albert Einstein", "Ulm", "Danube", "Marie Curie", "Warsaw", "Atlantis")
    model = ToldChat(*names, fails_after=3)

    def estimated() -> int:
        context = context_of(knowledge, Chat(model))
        corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
        return estimate_reading(
            SystemView(knowledge.graph, corpus, HiragIndexSettings(), None, context, MODEL)
        ).requests

    assert estimated() == 2 * len(PASSAGES)
    with pytest.raises(LlmUnreachable):
        layer_of(knowledge, model)
    assert estimated() == 2 * (len(PASSAGES) - 1)
    model.fails_after = None
    first = layer_of(knowledge, model)
    # The document at which it failed is asked for from its beginning: this chat has no cache.
    assert model.answered == 3 + 2 * (len(PASSAGES) - 1)
    assert estimated() == 0
    entities = by_key(first)
    assert entities.keys() == {"albert einstein", "ulm", "danube", "marie curie", "warsaw"}
    label = read_corpus(knowledge.graph, knowledge.corpus_name).label
    ulm = entities["ulm"]
    assert (ulm.name, ulm.type, ulm.description, ulm.by) == ("Ulm", "thing", "Ulm, told.", MODEL)
    assert (ulm.entity, entities["danube"].layer) == (entity_id(label, "ulm"), 0)
    assert len(entities["ulm"].chunks) == 3
    weights = {(each.source, each.target): each.weight for each in first.relations}
    assert weights == {
        ("0:albert einstein", "0:ulm"): 1.0,
        ("0:danube", "0:ulm"): 0.5,
        ("0:marie curie", "0:warsaw"): 0.5,
    }

    before = model.answered
    assert layer_of(knowledge, model) == first
    assert model.answered == before
    knowledge.ingest_documents([replace(DANUBE, text="The Danube flows through Ulm and Vienna, and Vienna is large.")])
    knowledge.index()
    model.nonsense = "Vienna is large"
    changed = layer_of(knowledge, model)
    assert model.answered == before + 2  # the first answer, and what came of the request to correct it
    assert changed.counts["passages_by_rules"] == 1
    assert by_key(changed)["danube"].by == "rules"
    assert by_key(changed)["ulm"].by == MODEL
    assert any("1 passage was read by rules" in note for note in changed.notes)
