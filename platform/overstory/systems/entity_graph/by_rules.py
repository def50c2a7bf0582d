"""Builds the entity graph from the results of the index stages: mentions, subjects of passages, and facts."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from overstory.display import counted
from overstory.graph import GraphClient, batches
from overstory.model.passage_text import without_boilerplate
from overstory.systems.entity_graph.counts import count_names
from overstory.systems.entity_graph.descriptions import (
    DESCRIPTIONS_VERSION,
    Chosen,
    DescribingText,
    choose,
    cleaned,
    describe,
    relation_text,
)
from overstory.systems.entity_graph.incidence import (
    MOST_SENTENCES_OF_A_CHUNK,
    NO_PLACE,
    EntityName,
    Incidence,
    Ints,
    incidence_of,
    read_incidence,
    read_passages,
)
from overstory.systems.entity_graph.relations import (
    MOST_NAMES_OF_A_SENTENCE,
    Related,
    left_out_note,
    names_of_sentences,
    related,
)

_SENTENCE_TEXTS_A_PAGE = 500
_ENTITY_NAMES_A_STATEMENT = 1_000
MOST_PASSAGES_READ_OF_AN_ENTITY = 64  # maximum number of passages that `read_near_entities` reads for an entity

Place = tuple[int, int]
"""The place of a text: the number of its sentence in the corpus, and the position of an OpenIE triple or `NO_PLACE`."""


@dataclass(frozen=True, slots=True)
class DescribedEntity:
    """An entity in the corpus, with its description.

    Attributes:
        id: Id of the entity's node.
        key: The name without case, accents and punctuation, such as "us" for "U.S." (see `text.names.keys.entity_key`).
        type: Type of the entity, such as "PERSON"; "" if unknown.
        description: Description, without the name in front; "" if no sentence describes the entity.
        chunks: Ids of the passages from which the description was made, most important first.
        source: Digest of the texts from which the description was made. Equal digests imply equal descriptions.
    """

    id: str
    key: str
    name: str
    type: str
    description: str
    chunks: tuple[str, ...]
    source: str

    @property
    def embedded(self) -> str:
        return embedded_text(self.name, self.description)


def embedded_text(name: str, description: str) -> str:
    """Return the text whose embedding represents an entity: "name: description".

    Systems that represent an entity by the same text share its vector.
    """
    return f"{name}: {description}" if description else name


@dataclass(frozen=True, slots=True)
class EntityRelation:
    """An undirected relation between two entities.

    Attributes:
        source, target: Keys of the two entities, with source < target. In a layered graph, these are references to
            nodes.
        weight: Strength of the relation; greater than 0.
        description: Sentence or phrase that states the relation; "" if there is none.
        chunks: Ids of the passages that state the relation. The passage that contains the description comes first.
    """

    source: str
    target: str
    weight: float
    description: str
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntityGraph:
    """Entities, the relations between them, and counts of what was left out.

    Attributes:
        entities: Entities, sorted by key.
        relations: Relations, sorted by source and target.
        counts: Three counts:
            "left_out": number of names that are not entities, because only one passage and no fact contains them;
            "relations_left_out": number of relations that are too weak;
            "crowded_sentences": number of sentences with too many names to relate the names to each other.
    """

    entities: Sequence[DescribedEntity]
    relations: Sequence[EntityRelation]
    counts: Mapping[str, int]
    notes: tuple[str, ...]


def read_entity_graph(graph: GraphClient, label: str, *, only: Collection[str] | None = None) -> EntityGraph:
    """Return the entity graph of a corpus. It does not depend on the order in which documents were added.

    Args:
        only: Ids of the passages to read; None to read all passages.
    """
    incidence = read_incidence(graph, label, only=only)
    found = _graph_of(graph, label, incidence)
    left_out = count_names(graph, label) - len(found.entities) if only is None else 0
    counts = {"left_out": left_out, **found.counts}
    return replace(found, counts=counts, notes=tuple(_notes(counts)))


@dataclass(frozen=True, slots=True)
class NearEntities:
    """Some entities with their neighbourhood in the entity graph.

    Attributes:
        graph: Entity graph of the passages that were read. It also contains the other entities that these passages
            mention. About these, other passages may state more.
        whole: Ids of the entities for which all passages were read. They have the same descriptions and relations as in
            the graph of the whole corpus.
    """

    graph: EntityGraph
    whole: frozenset[str]


def read_near_entities(graph: GraphClient, label: str, ids: Collection[str]) -> NearEntities:
    """Return entities with their neighbourhood in the entity graph.

    Only passages that mention the entities are read, at most `MOST_PASSAGES_READ_OF_AN_ENTITY` for each of them. The
    result may contain relations between two frequent names that the graph of the whole corpus leaves out as too weak.

    Args:
        ids: Node ids of the entities.
    """
    passages: set[str] = set()
    whole: set[str] = set()
    for some in batches(sorted(ids), _ENTITY_NAMES_A_STATEMENT):
        for row in graph.run(
            "systems/entity_graph/passages_of", label, read=True, ids=some, most=MOST_PASSAGES_READ_OF_AN_ENTITY
        ):
            passages.update(row["chunks"])
            whole.update([row["id"]] if row["whole"] else [])
    rows = list(read_passages(graph, label, passages))
    mentioned = set[str]()
    for row in rows:
        mentioned.update(each[0] for each in (*row["mentions"], *row["about"]))
        mentioned.update(end for each in row["statements"] for end in each[:2] if end is not None)
    names = [
        EntityName(row["id"], row["key"], row["name"], row["type"], 0 if row["id"] in whole else row["df"])
        for some in batches(sorted(mentioned), _ENTITY_NAMES_A_STATEMENT)
        for row in graph.run("systems/entity_graph/entities_of", label, read=True, ids=some)
    ]
    names.sort(key=lambda name: name.key)
    return NearEntities(_graph_of(graph, label, incidence_of(names, rows)), frozenset(whole))


def _graph_of(graph: GraphClient, label: str, incidence: Incidence) -> EntityGraph:
    sentences = names_of_sentences(incidence)
    pairs = related(incidence, sentences)
    chosen = choose(incidence, sentences)
    triples = _triples(graph, label, incidence, chosen, pairs)
    texts = _sentences(graph, label, incidence, _wanted(chosen, pairs)) | triples
    entities = [
        _entity(name, *_described(incidence, chosen, texts, at), _source(incidence, chosen, triples, at))
        for at, name in enumerate(incidence.names)
    ]
    counts = {
        "relations_left_out": pairs.dropped,
        "crowded_sentences": pairs.crowded,
    }
    return EntityGraph(entities, _relations(incidence, pairs, texts), counts, ())


def _source(incidence: Incidence, chosen: Chosen, triples: Mapping[Place, str], entity: int) -> str:
    """Return a digest of an entity's name and of all texts that may be used to describe the entity."""
    passages = incidence.passages
    digest = hashlib.sha256(f"rules {DESCRIPTIONS_VERSION} {incidence.names[entity].name}".encode())
    for sentence, position in chosen.of(entity):
        chunk = sentence // MOST_SENTENCES_OF_A_CHUNK
        span = passages.span(chunk, sentence % MOST_SENTENCES_OF_A_CHUNK)
        text = triples.get((sentence, position), "")
        digest.update(f" {passages.ids[chunk]} {span} {passages.boilerplate.get(chunk, '')} {text}".encode())
    return digest.hexdigest()[:32]


def _wanted(chosen: Chosen, pairs: Related) -> Ints:
    described, stated = chosen.sentence[chosen.position == NO_PLACE], pairs.sentence[pairs.position == NO_PLACE]
    return np.unique(np.concatenate([described, stated]))


def _sentences(graph: GraphClient, label: str, incidence: Incidence, wanted: Ints) -> dict[Place, str]:
    passages, found = incidence.passages, dict[Place, str]()
    for some in batches(
        _by_chunk(wanted // MOST_SENTENCES_OF_A_CHUNK, wanted % MOST_SENTENCES_OF_A_CHUNK), _SENTENCE_TEXTS_A_PAGE
    ):
        numbers = {passages.ids[chunk]: (chunk, which) for chunk, which in some}
        for row in graph.run("systems/entity_graph/texts", label, read=True, ids=list(numbers)):
            chunk, which = numbers[row["id"]]
            text = without_boilerplate(row["text"], row["boilerplate"])
            for sentence in which:
                start, end = passages.span(chunk, sentence)
                sentence_text = text[start:] if end < 0 else text[start:end]
                found[chunk * MOST_SENTENCES_OF_A_CHUNK + sentence, NO_PLACE] = cleaned(sentence_text)
    return found


def _triples(graph: GraphClient, label: str, incidence: Incidence, chosen: Chosen, pairs: Related) -> dict[Place, str]:
    passages, found = incidence.passages, dict[Place, str]()
    of_entities, of_pairs = chosen.position != NO_PLACE, pairs.position != NO_PLACE
    sentence = np.concatenate([chosen.sentence[of_entities], pairs.sentence[of_pairs]])
    position = np.concatenate([chosen.position[of_entities], pairs.position[of_pairs]])
    chunk, which = np.unique(np.stack([sentence // MOST_SENTENCES_OF_A_CHUNK, position]), axis=1)
    for some in batches(_by_chunk(chunk, which), _SENTENCE_TEXTS_A_PAGE):
        numbers = {passages.ids[chunk]: chunk for chunk, _ in some}
        rows = [{"chunk": passages.ids[chunk], "positions": positions} for chunk, positions in some]
        for row in graph.run("systems/entity_graph/fact_texts", label, read=True, rows=rows):
            found[numbers[row["chunk"]] * MOST_SENTENCES_OF_A_CHUNK, row["position"]] = cleaned(row["text"])
    return found


def _by_chunk(chunk: Ints, which: Ints) -> Iterator[tuple[int, list[int]]]:
    """Yield each chunk with the list of its values.

    Args:
        chunk: The chunk of each value, in ascending order.
    """
    begin = np.flatnonzero(np.concatenate([[True], chunk[1:] != chunk[:-1]])) if len(chunk) else chunk
    for one, end in zip(begin.tolist(), [*begin[1:].tolist(), len(chunk)], strict=False):
        yield int(chunk[one]), which[one:end].tolist()


def _described(
    incidence: Incidence, chosen: Chosen, texts: Mapping[Place, str], entity: int
) -> tuple[str, tuple[str, ...]]:
    name = incidence.names[entity]
    sentences = (
        DescribingText(place[0] // MOST_SENTENCES_OF_A_CHUNK, texts.get(place, ""), triple=place[1] != NO_PLACE)
        for place in chosen.of(entity)
    )
    description, chunks = describe(name.name, name.key, sentences)
    return description, tuple(incidence.passages.ids[chunk] for chunk in chunks)


def _entity(name: EntityName, description: str, chunks: tuple[str, ...], source: str) -> DescribedEntity:
    return DescribedEntity(name.id, name.key, name.name, name.type, description, chunks, source)


def _relations(incidence: Incidence, pairs: Related, texts: Mapping[Place, str]) -> list[EntityRelation]:
    names, ids = incidence.names, incidence.passages.ids
    relations: list[EntityRelation] = []
    columns = (pairs.source, pairs.target, pairs.weight, pairs.sentence, pairs.position, pairs.implied)
    rows = zip(*(column.tolist() for column in columns), pairs.chunks, strict=True)
    for source, target, weight, sentence, position, implied, chunks in rows:
        one, other = names[source], names[target]
        description = relation_text(texts.get((sentence, position), ""), one.name, other.name, implied=implied)
        relations.append(EntityRelation(one.key, other.key, weight, description, tuple(ids[chunk] for chunk in chunks)))
    return relations


def _notes(counts: Mapping[str, int]) -> Iterator[str]:
    if counts["relations_left_out"]:
        yield left_out_note(counts["relations_left_out"])
    if counts["crowded_sentences"]:
        crowded = counted(counts["crowded_sentences"], "sentence")
        yield f"no relations were made from {crowded} with more than {MOST_NAMES_OF_A_SENTENCE} names"
