"""Layer 0 of the knowledge graph: entities, relations between them, and their descriptions."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace

from overstory.display import counted
from overstory.graph import GraphClient
from overstory.llm import Chat
from overstory.systems.base import SystemRun
from overstory.systems.entity_graph import EntityRelation, read_entity_graph
from overstory_systems.hirag.index_settings import HiragIndexSettings
from overstory_systems.hirag.knowledge_graph import BaseLayer, LayerEntity, ref_of


def read_base_layer(run: SystemRun[HiragIndexSettings], known: Mapping[str, LayerEntity]) -> BaseLayer:
    """Layer 0 of a corpus, the same for the same content in whatever order it was stored.

    Args:
        known: stored entities of layer 0, by ref: a description that a language model wrote is kept while its `source`
            is the same.
    """
    if run.chat is None:
        return _layer_by_rules(run.graph, run.corpus.label)
    return _layer_by_model(run, run.chat, known)


def _layer_by_model(run: SystemRun[HiragIndexSettings], chat: Chat, known: Mapping[str, LayerEntity]) -> BaseLayer:
    from overstory_systems.hirag import model_layer, model_reading  # pydantic, which only a model needs

    model_reading.read_documents(run, chat)
    graph, label = run.graph, run.corpus.label
    readings = model_layer.Readings()
    by = model_reading.reader_fingerprint(chat, run.settings)
    for row in model_layer.stored_readings(graph, label, by):
        readings.add(row["id"], json.loads(row["found"]), rules=row["rules"])
    ids = model_layer.corpus_entities(graph, label, sorted(readings.entities))
    layer = model_layer.merged_layer(readings, chat, run.model, known, ids)
    if not readings.by_rules:
        return layer
    layer = model_layer.with_rules(layer, _layer_by_rules(graph, label, only=readings.by_rules))
    many = len(readings.by_rules)
    note = (
        f"{counted(many, 'passage was', 'passages were')} read by rules, too: answers of {run.model} could not be used"
    )
    return replace(layer, counts={**layer.counts, "passages_by_rules": many}, notes=(*layer.notes, note))


def _layer_by_rules(graph: GraphClient, label: str, *, only: Collection[str] | None = None) -> BaseLayer:
    """Layer 0 from what the stages of the index found; see `read_base_layer`.

    Args:
        only: ids of the passages to read; None for all.
    """
    read = read_entity_graph(graph, label, only=only)
    refs = {entity.key: ref_of(0, entity.key) for entity in read.entities}
    return BaseLayer(
        [
            LayerEntity(0, e.key, e.name, e.type, e.description, e.chunks, entity=e.id, source=e.source)
            for e in read.entities
        ],
        [EntityRelation(refs[r.source], refs[r.target], r.weight, r.description, r.chunks) for r in read.relations],
        read.counts,
        read.notes,
    )
