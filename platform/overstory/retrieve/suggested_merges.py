"""Merge suggestions, which are pairs of entities with similar names that may be the same entity.

All names are read once and divided into blocks of similar names, in a temporary file. Memory use therefore does not
grow with the corpus. Names are compared only within a block, and blocks with too many names are skipped. Finally, the
passages of the most frequent pairs are read, to weigh the evidence for each suggestion.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from overstory.display import around
from overstory.graph import Corpus, GraphClient, batches
from overstory.graph.client import Row
from overstory.graph.ids import entity_id
from overstory.index.name_edits import dismissed_merges, edited_names
from overstory.model.origin import PassagePlace
from overstory.model.passage_text import without_boilerplate
from overstory.spool import Spool
from overstory.text.names.edits import EditedNames
from overstory.text.names.keys import entity_key
from overstory.text.names.same_names import REASONS, Form, MergeReason, SameName, WrittenName, blocks_of, same_name

_MOST_NAMES_A_BLOCK = 60
"""Blocks with more than this many names are skipped."""
_MOST_PAIRS_LOOKED_UP = 2_000
"""Maximum number of pairs whose passages are read. Pairs whose rarer name occurs in the most passages come first."""
_LOOKED_UP_PAIRS_A_STATEMENT = 100
_MOST_EVIDENCE_PASSAGES = 60
"""Maximum number of passages per name that are searched for other names."""
_COMMON_NAME_SHARE = 0.05
_LEAST_COMMON_PASSAGES = 10
"""A name does not count as evidence for other names if it is in more than 5 % of all passages, and in more than 10."""
_MOST_COMPARED_ALIASES = 8
_LEAST_PART_SHARE = 0.5
"""Minimum fraction of the passages with a part of a name ("Holt") that must also mention the full name ("Cid Holt")."""
_MOST_RIVAL_SHARE = 0.5
"""A part ("Holt") is suggested for a full name only if every other full name occurs together with the part in at most
half as many passages."""
_QUOTED_PASSAGES = 2
_MOST_QUOTED_PASSAGES_READ = 8

FORM_EVIDENCE: dict[Form, float] = {
    "joined": 0.9,
    "umlaut": 0.95,
    "plural": 0.7,
    "swapped": 0.75,
    "letter": 0.7,
    "acronym": 0.6,
    "initial": 0.8,
    "left out": 0.6,
    "last name": 0.9,
    "legal": 0.9,
}
"""Maximum evidence for a pair, by how its names differ. The more passages support the pair, the closer its evidence is
to this value."""
_DEFINED_EVIDENCE = 0.99
"""Evidence for a pair if a passage defines the abbreviation, as in "World Health Organization (WHO)"."""
_ALONE: frozenset[Form] = frozenset({"joined", "umlaut", "plural", "legal"})
"""Differences for which a merge is suggested even if no passage supports it."""

_TABLES = (
    "names (id INTEGER PRIMARY KEY, key TEXT, name TEXT, type TEXT, passages INTEGER, aliases TEXT)",
    "blocks (block TEXT, name INTEGER)",
    "pairs (name INTEGER, other INTEGER, form TEXT, passages INTEGER, PRIMARY KEY (name, other)) WITHOUT ROWID",
)
_SHARED = """
    SELECT block, names.* FROM blocks JOIN names ON names.id = blocks.name
    WHERE block IN (SELECT block FROM blocks GROUP BY block HAVING count(*) BETWEEN 2 AND ?) ORDER BY block
"""
_CROWDED = "SELECT count(*) FROM (SELECT 1 FROM blocks GROUP BY block HAVING count(*) > ?)"
_BEST = """
    SELECT form, a.*, b.* FROM pairs JOIN names a ON a.id = pairs.name JOIN names b ON b.id = pairs.other
    ORDER BY pairs.passages DESC, a.key, b.key LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class SuggestedName:
    """One of the two entities of a suggestion.

    Attributes:
        name: its most frequent spelling.
        type: its type; "" if it has no type.
        passages: number of passages that mention it.
    """

    name: str
    type: str
    passages: int


@dataclass(frozen=True, slots=True)
class NamePassage(PassagePlace):
    """A passage that mentions one or both names of a suggestion.

    Attributes:
        quote: the text around the name.
    """

    quote: str


@dataclass(frozen=True, slots=True)
class SuggestedMerge:
    """Two entities that may be the same.

    Attributes:
        name: the entity that would be merged. Its name would become another spelling of `into`.
        into: the entity that would be kept.
        reason: "spelling", "abbreviation", "initials" or "part".
        form: how the names differ. The possible values depend on the reason:
            - spelling: "joined", "umlaut", "plural", "swapped" or "letter".
            - abbreviation: "acronym".
            - initials: "initial" or "left out".
            - part: "last name" or "legal".
        evidence: strength of the suggestion, from 0 to 1. It depends on `form` and on the passages.
        together: number of passages that mention both names, among the passages read for the rarer name.
        shared: number of other names that occur with each of the two names, in different passages.
        defined: True if a passage contains one of the names in parentheses after the other.
        quotes: a quote from a passage that mentions both names, or one quote for each name.
    """

    name: SuggestedName
    into: SuggestedName
    reason: MergeReason
    form: Form
    evidence: float
    together: int
    shared: int
    defined: bool
    quotes: tuple[NamePassage, ...] = ()


@dataclass(frozen=True, slots=True)
class SuggestedMerges:
    """Merge suggestions.

    Attributes:
        suggestions: the suggestions with the most evidence, sorted by evidence.
        found: total number of suggestions.
        not_looked_up: number of less frequent pairs whose passages were not read. They are not suggested.
        crowded_blocks: number of blocks that were skipped because they contain too many similar names.
    """

    suggestions: tuple[SuggestedMerge, ...]
    found: int
    not_looked_up: int
    crowded_blocks: int


@dataclass(frozen=True, slots=True)
class _Weighed:
    pair: SameName
    evidence: float
    together: tuple[str, ...]
    read: int
    shared: int
    defined_in: str = ""


def suggested_merges(
    graph: GraphClient, corpus: Corpus, *, limit: int, reason: MergeReason | None = None
) -> SuggestedMerges:
    """Return the pairs of entities that are most likely the same.

    Pairs that were already merged or dismissed are left out. Every name of the corpus is read once.

    Args:
        reason: return only suggestions with this reason; None for all reasons.
    """
    edits = edited_names(graph, corpus)
    dismissed = dismissed_merges(graph, corpus)

    def is_open(pair: SameName) -> bool:
        keys = pair.name.key, pair.into.key
        if reason is not None and REASONS[pair.form] != reason:
            return False
        return (min(keys), max(keys)) not in dismissed and _is_open(edits, *keys)

    with _Pairs() as pairs:
        rows = graph.stream("retrieve/compared_names", corpus.label, aliases=_MOST_COMPARED_ALIASES)
        pairs.read(WrittenName(r["key"], r["name"], r["type"], r["passages"], tuple(r["aliases"])) for r in rows)
        crowded = pairs.compare(is_open)
        best, others = pairs.best(_MOST_PAIRS_LOOKED_UP)
    looked_up = (_weigh(graph, corpus, some) for some in batches(best, _LOOKED_UP_PAIRS_A_STATEMENT))
    weighed = list(_of_one_name(itertools.chain.from_iterable(looked_up)))
    weighed.sort(key=lambda each: (-each.evidence, -each.pair.name.passages, each.pair.name.key, each.pair.into.key))
    shown = [_suggestion(each, _quotes(graph, corpus, each)) for each in weighed[:limit]]
    return SuggestedMerges(tuple(shown), len(weighed), others, crowded)


class _Pairs(Spool):
    def __init__(self) -> None:
        super().__init__(*_TABLES)

    def read(self, names: Iterable[WrittenName]) -> None:
        for number, name in enumerate(names):
            blocks = set(blocks_of(name))
            if blocks:
                self._table.execute(
                    "INSERT INTO names VALUES (?, ?, ?, ?, ?, ?)", (number, *name[:-1], json.dumps(name.aliases))
                )
                self._table.executemany("INSERT INTO blocks VALUES (?, ?)", [(block, number) for block in blocks])
        self._table.execute("CREATE INDEX of_block ON blocks (block)")

    def compare(self, is_open: Callable[[SameName], bool]) -> int:
        """Compare names within each block. Return the number of blocks skipped because they contain too many names."""
        rows = self._table.execute(_SHARED, (_MOST_NAMES_A_BLOCK,))
        for _, block in itertools.groupby(rows, key=lambda row: row[0]):
            names = {row[1]: _name(row[2:]) for row in block}
            ids = {name.key: number for number, name in names.items()}
            for one, other in itertools.combinations(names.values(), 2):
                pair = same_name(one, other)
                if pair is not None and is_open(pair):
                    values = ids[pair.name.key], ids[pair.into.key], pair.form, min(one.passages, other.passages)
                    self._table.execute("INSERT OR IGNORE INTO pairs VALUES (?, ?, ?, ?)", values)
        (crowded,) = self._table.execute(_CROWDED, (_MOST_NAMES_A_BLOCK,)).fetchone()
        return int(crowded)

    def best(self, most: int) -> tuple[list[SameName], int]:
        """Return the `most` most frequent pairs, and the number of remaining pairs."""
        rows = self._table.execute(_BEST, (most,)).fetchall()
        (total,) = self._table.execute("SELECT count(*) FROM pairs").fetchone()
        return [SameName(_name(row[2:7]), _name(row[8:13]), row[0]) for row in rows], total - len(rows)


def _name(row: Sequence[str | int]) -> WrittenName:
    key, name, type_, passages, aliases = row
    return WrittenName(str(key), str(name), str(type_), int(passages), tuple(json.loads(str(aliases))))


def _is_open(edits: EditedNames, first: str, second: str) -> bool:
    """Return True if two names are neither hidden nor merged, not even by edits that have not been applied yet."""
    return bool(edits.resolve(first) and edits.resolve(second)) and edits.target(first) != edits.target(second)


def _weigh(graph: GraphClient, corpus: Corpus, pairs: Sequence[SameName]) -> Iterator[_Weighed]:
    rarer = [sorted((pair.name, pair.into), key=lambda name: name.passages) for pair in pairs]
    rows = graph.run(
        "retrieve/merge_evidence",
        corpus.label,
        read=True,
        asked={"pairs": [[entity_id(corpus.label, name.key) for name in pair] for pair in rarer]},
        most=_MOST_EVIDENCE_PASSAGES,
        least=_LEAST_COMMON_PASSAGES,
        share=_COMMON_NAME_SHARE,
    )
    found = [_Weighed(pairs[row["pair"]], 0.0, tuple(row["together"]), row["read"], len(row["others"])) for row in rows]
    defined = _defined(graph, corpus, [each for each in found if each.pair.form == "acronym" and each.together])
    for each in found:
        evidence = _DEFINED_EVIDENCE if each.pair in defined else _evidence(each)
        if evidence:
            yield replace(each, evidence=round(evidence, 3), defined_in=defined.get(each.pair, ""))


def _evidence(weighed: _Weighed) -> float:
    form, together, shared = weighed.pair.form, len(weighed.together), weighed.shared
    base = FORM_EVIDENCE[form]
    if form == "last name":
        part, whole = weighed.pair.name.passages, weighed.pair.into.passages
        share = together / max(1, weighed.read if part <= whole else part)
        return base * share * together / (together + 1) if share >= _LEAST_PART_SHARE else 0.0
    if form == "acronym":
        return base * together / (together + 1)
    weight = shared + (together if form in ("initial", "left out") else 0)
    return base * (weight + 1) / (weight + 2) if form in _ALONE else base * weight / (weight + 1)


def _of_one_name(weighed: Iterable[_Weighed]) -> Iterator[_Weighed]:
    """Yield the pairs except those whose abbreviation or part of a name may belong to several full names.

    For example, "Smith" may stand for both John Smith and Ann Smith.
    """
    wholes: dict[tuple[str, Form], list[_Weighed]] = {}
    for each in weighed:
        if each.pair.form in ("acronym", "last name"):
            wholes.setdefault((each.pair.name.key, each.pair.form), []).append(each)
        else:
            yield each
    for found in wholes.values():
        best, *rivals = sorted(found, key=lambda each: (not each.defined_in, -len(each.together)))
        rival = next((len(each.together) for each in rivals if bool(each.defined_in) == bool(best.defined_in)), 0)
        if rival <= _MOST_RIVAL_SHARE * len(best.together):
            yield best


def _defined(graph: GraphClient, corpus: Corpus, weighed: Sequence[_Weighed]) -> dict[SameName, str]:
    """Return a map from each pair that a passage defines to the id of that passage.

    A passage defines a pair if it contains one of the names in parentheses after the other.
    """
    found: dict[SameName, str] = {}
    for some in batches(weighed, _LOOKED_UP_PAIRS_A_STATEMENT):
        rows = [_row(corpus, each.pair.into, each.together) for each in some]
        for row in _passages(graph, corpus, rows, _MOST_QUOTED_PASSAGES_READ):
            pair = some[row["row"]].pair
            short, full = (_as_written(name.key) for name in (pair.name, pair.into))
            either = re.compile(
                rf"\b{full}\W{{0,3}}\([^()]{{0,20}}\b{short}\b|\b{short}\W{{0,2}}\([^()]{{0,20}}\b{full}", re.IGNORECASE
            )
            defining = next((each["chunk"] for each in row["passages"] if either.search(each["text"])), "")
            if defining:
                found[pair] = defining
    return found


def _as_written(key: str) -> str:
    """Return a regular expression that matches the spellings of a key.

    It allows any punctuation and spaces between words, and an apostrophe before a final "s".
    """
    return r"\W+".join(re.sub("s$", "['’]?s", re.escape(word)) for word in key.split())


def _quotes(graph: GraphClient, corpus: Corpus, weighed: _Weighed) -> tuple[NamePassage, ...]:
    pair = weighed.pair
    asked: list[tuple[WrittenName, Sequence[str]]] = [(pair.name, ()), (pair.into, ())]
    if weighed.together:
        asked = [(pair.into, [weighed.defined_in]) if weighed.defined_in else (pair.name, weighed.together)]
    rows = _passages(graph, corpus, [_row(corpus, *each) for each in asked], _MOST_QUOTED_PASSAGES_READ)
    return tuple(_quote(row["passages"], asked[row["row"]][0]) for row in rows if row["passages"])[:_QUOTED_PASSAGES]


def _quote(passages: Sequence[Row], name: WrittenName) -> NamePassage:
    """Quote the first passage whose text contains the name, or else the first passage."""
    chosen = next((each for each in passages if each["surfaces"]), passages[0])
    text = without_boilerplate(chosen["text"], chosen["boilerplate"] or ())
    surface = next(iter(chosen["surfaces"] or ()), name.name)
    return NamePassage(
        chunk_id=chosen["chunk"],
        document_id=chosen["document"],
        source=chosen["source"],
        source_key=chosen["source_key"],
        title=chosen["title"],
        quote=around(text, surface),
    )


def _row(corpus: Corpus, name: WrittenName, chunks: Sequence[str]) -> Row:
    return {"entity": entity_id(corpus.label, name.key), "chunks": list(chunks[:_MOST_QUOTED_PASSAGES_READ])}


def _passages(graph: GraphClient, corpus: Corpus, rows: Sequence[Row], most: int) -> list[Row]:
    return graph.run("retrieve/merge_passages", corpus.label, read=True, asked={"rows": list(rows)}, most=most)


def _suggestion(weighed: _Weighed, quotes: tuple[NamePassage, ...]) -> SuggestedMerge:
    pair = weighed.pair
    return SuggestedMerge(
        name=_shown(pair.name),
        into=_shown(pair.into),
        reason=REASONS[pair.form],
        form=pair.form,
        evidence=weighed.evidence,
        together=len(weighed.together),
        shared=weighed.shared,
        defined=bool(weighed.defined_in),
        quotes=quotes,
    )


def _shown(name: WrittenName) -> SuggestedName:
    """Return the entity with its spelling, or with its key if a manual spelling does not match the key."""
    return SuggestedName(name.name if entity_key(name.name) == name.key else name.key, name.type, name.passages)
