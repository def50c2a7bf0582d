"""Layer 0 of the knowledge graph: entities, relations between them, and their descriptions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from overstory.graph import GraphClient, batches
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
from overstory.systems.hirag.relations import MOST_NAMES, MOST_PARTNERS, Related, names_of_sentences, related

TEXTS_A_PAGE = 500


def read_base_layer(run: SystemRun[HiragIndexSettings], known: Mapping[str, LayerEntity]) -> BaseLayer:
    """Layer 0 of a corpus, the same for the same content in whatever order it was stored.

    Args:
        known: the entities of layer 0 of the build before, by ref: a description whose `source` is the same is kept.

    Raises:
        DatabaseError: as `GraphClient.stream`.
    """
    return layer_by_rules(run.graph, run.corpus.label, known)


def layer_by_rules(graph: GraphClient, label: str, known: Mapping[str, LayerEntity]) -> BaseLayer:
    """Layer 0 from what the stages of the index found; see `read_base_layer`."""
    incidence = read_incidence(graph, label)
    (names,) = graph.run("systems/hirag/count_names", label, read=True)
    sentences = names_of_sentences(incidence)
    pairs = related(incidence, sentences)
    chosen = choose(incidence, sentences)
    sources = [_source(incidence, chosen, entity) for entity in range(len(incidence.names))]
    before = [known.get(ref_of(0, name.key)) for name in incidence.names]
    same = np.array(
        [old is not None and old.source == new for old, new in zip(before, sources, strict=True)], dtype=np.bool_
    )
    texts = _Texts(graph, label, incidence, _wanted(chosen, same, pairs))
    entities = []
    for entity, (old, source) in enumerate(zip(before, sources, strict=True)):
        if old is not None and same[entity]:
            name = incidence.names[entity]
            entities.append(replace(old, name=name.name, type=name.type, entity=name.id))
        else:
            entities.append(_described(incidence, chosen, texts, entity, source))
    counts = {
        "left_out": names["names"] - len(entities),
        "kept_descriptions": int(same.sum()),
        "relations_left_out": pairs.dropped,
        "crowded_sentences": pairs.crowded,
    }
    return BaseLayer(entities, _relations(incidence, pairs, texts), counts, tuple(_notes(counts)))


def _source(incidence: Incidence, chosen: Chosen, entity: int) -> str:
    """A digest of the name, and of which sentences may describe it. The id of a passage follows from its text."""
    passages = incidence.passages
    digest = hashlib.sha256(f"{RULES} {VERSION} {incidence.names[entity].name}".encode())
    for sentence, position in chosen.of(entity):
        chunk = sentence // MOST_SENTENCES
        span = passages.span(chunk, sentence % MOST_SENTENCES)
        digest.update(f" {passages.ids[chunk]} {span} {position} {passages.boilerplate.get(chunk, '')}".encode())
    return digest.hexdigest()[:32]


def _wanted(chosen: Chosen, same: Flags, pairs: Related) -> tuple[Ints, Ints]:
    """Sentences whose text is needed, and the triples: shape (2, m), chunk · MOST_SENTENCES and position."""
    anew = np.repeat(~same, np.diff(chosen.first))
    sentence, position = chosen.sentence[anew], chosen.position[anew]
    plain = np.concatenate([sentence[position == NOWHERE], pairs.sentence[pairs.sentence != NOWHERE]])
    by_triple = pairs.position != NOWHERE
    first = np.array([chunks[0] for chunks in pairs.chunks], dtype=np.int64) * MOST_SENTENCES
    triples = np.stack(
        [
            np.concatenate([sentence[position != NOWHERE], first[by_triple]]) // MOST_SENTENCES,
            np.concatenate([position[position != NOWHERE], pairs.position[by_triple]]),
        ]
    )
    return np.unique(plain), np.unique(triples, axis=1)


class _Texts:
    """The texts of sentences and triples, cleaned. Each is one string, whatever shares it."""

    def __init__(self, graph: GraphClient, label: str, incidence: Incidence, wanted: tuple[Ints, Ints]) -> None:
        self._sentences: dict[int, str] = {}
        self._triples: dict[tuple[int, int], str] = {}
        passages = incidence.passages
        sentences, triples = wanted
        for some in batches(_by_chunk(sentences // MOST_SENTENCES, sentences % MOST_SENTENCES), TEXTS_A_PAGE):
            numbers = {passages.ids[chunk]: (chunk, which) for chunk, which in some}
            for row in graph.run("systems/hirag/texts", label, read=True, ids=list(numbers)):
                chunk, which = numbers[row["id"]]
                text = without_boilerplate(row["text"], row["boilerplate"])
                for sentence in which:
                    start, end = passages.span(chunk, sentence)
                    said = text[start:] if end < 0 else text[start:end]
                    self._sentences[chunk * MOST_SENTENCES + sentence] = cleaned(said)
        for some in batches(_by_chunk(*triples), TEXTS_A_PAGE):
            places = {passages.ids[chunk]: chunk for chunk, _ in some}
            rows = [{"chunk": passages.ids[chunk], "positions": which} for chunk, which in some]
            for row in graph.run("systems/hirag/fact_texts", label, read=True, rows=rows):
                self._triples[places[row["chunk"]], row["position"]] = cleaned(row["text"])

    def of(self, sentence: int, position: int) -> str:
        """The text of a sentence, or of a triple where there is a position; "" where there is none any more."""
        if position == NOWHERE:
            return self._sentences.get(sentence, "")
        return self._triples.get((sentence // MOST_SENTENCES, position), "")


def _by_chunk(chunk: Ints, which: Ints) -> Iterator[tuple[int, list[int]]]:
    """The chunks of rows in order of chunk, and what stands in each."""
    begin = np.flatnonzero(np.concatenate([[True], chunk[1:] != chunk[:-1]])) if len(chunk) else chunk
    for one, end in zip(begin.tolist(), [*begin[1:].tolist(), len(chunk)], strict=False):
        yield int(chunk[one]), which[one:end].tolist()


def _described(incidence: Incidence, chosen: Chosen, texts: _Texts, entity: int, source: str) -> LayerEntity:
    name = incidence.names[entity]
    said = (
        Said(sentence // MOST_SENTENCES, texts.of(sentence, position), triple=position != NOWHERE)
        for sentence, position in chosen.of(entity)
    )
    description, chunks = describe(name.name, name.key, said)
    ids = tuple(incidence.passages.ids[chunk] for chunk in chunks)
    return LayerEntity(0, name.key, name.name, name.type, description, ids, name.id, RULES, source)


def _relations(incidence: Incidence, pairs: Related, texts: _Texts) -> list[Relation]:
    names, ids = incidence.names, list(incidence.passages.ids)
    refs = [ref_of(0, name.key) for name in names]
    relations: list[Relation] = []
    columns = (pairs.source, pairs.target, pairs.weight, pairs.sentence, pairs.position, pairs.implied)
    rows = zip(*(column.tolist() for column in columns), pairs.chunks, strict=True)
    for source, target, weight, sentence, position, implied, chunks in rows:
        text = texts.of(sentence if position == NOWHERE else chunks[0] * MOST_SENTENCES, position)
        said = relation_text(text, names[source].name, names[target].name, implied=implied)
        relations.append(Relation(refs[source], refs[target], weight, said, tuple(ids[chunk] for chunk in chunks)))
    return relations


def _notes(counts: Mapping[str, int]) -> Iterator[str]:
    if counts["relations_left_out"]:
        yield (
            f"{counts['relations_left_out']:,} relations were left out: they are not among the {MOST_PARTNERS} "
            "strongest of either of their entities"
        )
    if counts["crowded_sentences"]:
        yield f"{counts['crowded_sentences']:,} sentences with more than {MOST_NAMES} names made no relations"
