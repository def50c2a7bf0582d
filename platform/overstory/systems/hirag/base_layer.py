"""Layer 0 of the knowledge graph: entities, relations between them, and their descriptions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np

from overstory.display import counted
from overstory.graph import GraphClient, batches
from overstory.llm import Chat
from overstory.model.boilerplate import without_boilerplate
from overstory.systems.base import SystemRun
from overstory.systems.hirag.descriptions import (
    VERSION,
    Chosen,
    Said,
    choose,
    cleaned,
    describe,
    relation_text,
)
from overstory.systems.hirag.incidence import MOST_SENTENCES, NOWHERE, Flags, Incidence, Ints, read_incidence
from overstory.systems.hirag.index_settings import HiragIndexSettings
from overstory.systems.hirag.knowledge_graph import BaseLayer, LayerEntity, Relation, ref_of
from overstory.systems.hirag.names import RULES
from overstory.systems.hirag.relations import MOST_NAMES, Related, left_out_note, names_of_sentences, related

TEXTS_A_PAGE = 500

Place = tuple[int, int]
"""Where a text stands: chunk · MOST_SENTENCES + sentence, and `NOWHERE`; for an OpenIE triple chunk · MOST_SENTENCES,
and its position."""


def read_base_layer(run: SystemRun[HiragIndexSettings], known: Mapping[str, LayerEntity]) -> BaseLayer:
    """Layer 0 of a corpus, the same for the same content in whatever order it was stored.

    Args:
        known: the entities of layer 0 of the build before, by ref: a description whose `source` is the same is kept.

    Raises:
        LlmError, BudgetExhausted, LeaseLost: what a language model read before is stored, and is not asked for again.
        DatabaseError: as `GraphClient.stream`.
    """
    if run.chat is None:
        return layer_by_rules(run.graph, run.corpus.label, known)
    return _layer_by_model(run, run.chat, known)


def _layer_by_model(run: SystemRun[HiragIndexSettings], chat: Chat, known: Mapping[str, LayerEntity]) -> BaseLayer:
    from overstory.systems.hirag import model_layer, model_reading  # pydantic, which only a model needs

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
    layer = model_layer.with_rules(layer, layer_by_rules(graph, label, known, only=readings.by_rules))
    many = len(readings.by_rules)
    note = (
        f"{counted(many, 'passage was', 'passages were')} read by rules, too: answers of {run.model} could not be used"
    )
    return replace(layer, counts={**layer.counts, "passages_by_rules": many}, notes=(*layer.notes, note))


def layer_by_rules(
    graph: GraphClient, label: str, known: Mapping[str, LayerEntity], *, only: Collection[str] | None = None
) -> BaseLayer:
    """Layer 0 from what the stages of the index found; see `read_base_layer`.

    Args:
        only: ids of the passages to read; None for all.
    """
    incidence = read_incidence(graph, label, only=only)
    sentences = names_of_sentences(incidence)
    pairs = related(incidence, sentences)
    chosen = choose(incidence, sentences)
    triples = _triples(graph, label, incidence, chosen, pairs)
    sources = [_source(incidence, chosen, triples, entity) for entity in range(len(incidence.names))]
    before = [known.get(ref_of(0, name.key)) for name in incidence.names]
    same = np.array(
        [old is not None and old.source == new for old, new in zip(before, sources, strict=True)], dtype=np.bool_
    )
    texts = _sentences(graph, label, incidence, _wanted(chosen, same, pairs)) | triples
    entities = []
    for entity, (old, source) in enumerate(zip(before, sources, strict=True)):
        if old is not None and same[entity]:
            name = incidence.names[entity]
            entities.append(replace(old, name=name.name, type=name.type, entity=name.id))
        else:
            entities.append(_described(incidence, chosen, texts, entity, source))
    counts = {
        "left_out": _names(graph, label) - len(entities) if only is None else 0,
        "kept_descriptions": int(same.sum()),
        "relations_left_out": pairs.dropped,
        "crowded_sentences": pairs.crowded,
    }
    return BaseLayer(entities, _relations(incidence, pairs, texts), counts, tuple(_notes(counts)))


def _names(graph: GraphClient, label: str) -> int:
    (row,) = graph.run("systems/hirag/count_names", label, read=True)
    return int(row["names"])


def _source(incidence: Incidence, chosen: Chosen, triples: Mapping[Place, str], entity: int) -> str:
    """A digest of the name, and of which sentences may describe it. The id of a passage follows from its text; the text
    of a triple changes with the names in it."""
    passages = incidence.passages
    digest = hashlib.sha256(f"{RULES} {VERSION} {incidence.names[entity].name}".encode())
    for sentence, position in chosen.of(entity):
        chunk = sentence // MOST_SENTENCES
        span = passages.span(chunk, sentence % MOST_SENTENCES)
        text = triples.get((sentence, position), "")
        digest.update(f" {passages.ids[chunk]} {span} {passages.boilerplate.get(chunk, '')} {text}".encode())
    return digest.hexdigest()[:32]


def _wanted(chosen: Chosen, same: Flags, pairs: Related) -> Ints:
    """The sentences whose text is needed, in order: of descriptions that are not kept, and of relations."""
    anew = np.repeat(~same, np.diff(chosen.first)) & (chosen.position == NOWHERE)
    return np.unique(np.concatenate([chosen.sentence[anew], pairs.sentence[pairs.position == NOWHERE]]))


def _sentences(graph: GraphClient, label: str, incidence: Incidence, wanted: Ints) -> dict[Place, str]:
    """The texts of sentences, cleaned. Each is one string, whatever shares it."""
    passages, found = incidence.passages, dict[Place, str]()
    for some in batches(_by_chunk(wanted // MOST_SENTENCES, wanted % MOST_SENTENCES), TEXTS_A_PAGE):
        numbers = {passages.ids[chunk]: (chunk, which) for chunk, which in some}
        for row in graph.run("systems/hirag/texts", label, read=True, ids=list(numbers)):
            chunk, which = numbers[row["id"]]
            text = without_boilerplate(row["text"], row["boilerplate"])
            for sentence in which:
                start, end = passages.span(chunk, sentence)
                said = text[start:] if end < 0 else text[start:end]
                found[chunk * MOST_SENTENCES + sentence, NOWHERE] = cleaned(said)
    return found


def _triples(graph: GraphClient, label: str, incidence: Incidence, chosen: Chosen, pairs: Related) -> dict[Place, str]:
    """The texts of OpenIE triples that descriptions and relations may be made of."""
    passages, found = incidence.passages, dict[Place, str]()
    of_entities, of_pairs = chosen.position != NOWHERE, pairs.position != NOWHERE
    sentence = np.concatenate([chosen.sentence[of_entities], pairs.sentence[of_pairs]])
    position = np.concatenate([chosen.position[of_entities], pairs.position[of_pairs]])
    chunk, which = np.unique(np.stack([sentence // MOST_SENTENCES, position]), axis=1)
    for some in batches(_by_chunk(chunk, which), TEXTS_A_PAGE):
        numbers = {passages.ids[chunk]: chunk for chunk, _ in some}
        rows = [{"chunk": passages.ids[chunk], "positions": positions} for chunk, positions in some]
        for row in graph.run("systems/hirag/fact_texts", label, read=True, rows=rows):
            found[numbers[row["chunk"]] * MOST_SENTENCES, row["position"]] = cleaned(row["text"])
    return found


def _by_chunk(chunk: Ints, which: Ints) -> Iterator[tuple[int, list[int]]]:
    """The chunks of rows in order of chunk, and what stands in each."""
    begin = np.flatnonzero(np.concatenate([[True], chunk[1:] != chunk[:-1]])) if len(chunk) else chunk
    for one, end in zip(begin.tolist(), [*begin[1:].tolist(), len(chunk)], strict=False):
        yield int(chunk[one]), which[one:end].tolist()


def _described(
    incidence: Incidence, chosen: Chosen, texts: Mapping[Place, str], entity: int, source: str
) -> LayerEntity:
    name = incidence.names[entity]
    said = (
        Said(place[0] // MOST_SENTENCES, texts.get(place, ""), triple=place[1] != NOWHERE)
        for place in chosen.of(entity)
    )
    description, chunks = describe(name.name, name.key, said)
    ids = tuple(incidence.passages.ids[chunk] for chunk in chunks)
    return LayerEntity(0, name.key, name.name, name.type, description, ids, name.id, RULES, source)


def _relations(incidence: Incidence, pairs: Related, texts: Mapping[Place, str]) -> list[Relation]:
    names, ids = incidence.names, incidence.passages.ids
    refs = [ref_of(0, name.key) for name in names]
    relations: list[Relation] = []
    columns = (pairs.source, pairs.target, pairs.weight, pairs.sentence, pairs.position, pairs.implied)
    rows = zip(*(column.tolist() for column in columns), pairs.chunks, strict=True)
    for source, target, weight, sentence, position, implied, chunks in rows:
        said = texts.get((sentence, position), "")
        said = relation_text(said, names[source].name, names[target].name, implied=implied)
        relations.append(Relation(refs[source], refs[target], weight, said, tuple(ids[chunk] for chunk in chunks)))
    return relations


def _notes(counts: Mapping[str, int]) -> Iterator[str]:
    if counts["relations_left_out"]:
        yield left_out_note(counts["relations_left_out"])
    if counts["crowded_sentences"]:
        yield f"{counted(counts['crowded_sentences'], 'sentence')} with more than {MOST_NAMES} names made no relations"
