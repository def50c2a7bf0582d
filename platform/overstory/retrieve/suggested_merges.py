"""Suggestions of names to merge: pairs that may be one by how they are written, and what passages say of them.

Names are read once and put into blocks in a temporary file, so that memory does not grow with them; only names that
share a block are compared, and of blocks that are crowded none are. Of the pairs, those in the most passages are looked
up.
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
"""Names that share a block; of more, none are compared with each other."""
_MOST_PAIRS_LOOKED_UP = 2_000
"""Pairs of which passages are read: those whose rarer name is in the most passages."""
_LOOKED_UP_PAIRS_A_STATEMENT = 100
_MOST_EVIDENCE_PASSAGES = 60
"""Passages of a name that are looked at for what it is mentioned with."""
_COMMON_NAME_SHARE = 0.05
_LEAST_COMMON_PASSAGES = 10
"""A name in more than a twentieth of the passages, and in more than 10, says nothing of those next to it."""
_MOST_COMPARED_ALIASES = 8
_LEAST_PART_SHARE = 0.5
"""Of the passages that mention a part of a name, how many have to mention the whole."""
_MOST_RIVAL_SHARE = 0.5
"""A part is of one name alone if no other whole is with it in more than half as many passages."""
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
"""How sure two names are one by the form alone, where passages say all that they can."""
_DEFINED_EVIDENCE = 0.99
"""An abbreviation that a passage has in parentheses after the name, or the name after it."""
_ALONE: frozenset[Form] = frozenset({"joined", "umlaut", "plural", "legal"})
"""Forms that need no passages to speak for them."""

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
    """A name of a suggestion: as it is written most, its type ("" where it has none), and how many passages mention
    it."""

    name: str
    type: str
    passages: int


@dataclass(frozen=True, slots=True)
class NamePassage(PassagePlace):
    """A passage that mentions a name of a suggestion, or both: its ids, its origin, and a quote around the name."""

    quote: str


@dataclass(frozen=True, slots=True)
class SuggestedMerge:
    """Two names that may be one.

    Attributes:
        name, into: the first would become another spelling of the second.
        reason: "spelling", "abbreviation", "initials" or "part".
        form: what exactly: "joined", "umlaut", "plural", "swapped", "letter"; "acronym"; "initial", "left out"; "last
            name", "legal".
        evidence: 0 to 1, by the form and by what passages say.
        together: of the passages with the rarer name that were looked at, how many mention both.
        shared: how many other names are mentioned with either, in different passages.
        defined: whether a passage has the one in parentheses after the other.
        quotes: of a passage that mentions both, or of one for each.
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
    """Suggestions, those with the most evidence first.

    Attributes:
        found: how many there are; `suggestions` are the first of them.
        not_looked_up: pairs of which no passages were read, because others are in more.
        crowded_blocks: how many times too many names were alike to be compared with each other.
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
    """The pairs of names with the most evidence that they are one, without those that were merged or dismissed.

    Reads every name once.
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
    """Names in blocks, and the pairs of those in one block that may be one."""

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
        """Compares the names of each block, and returns how many blocks are too crowded for that."""
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
        """The pairs in the most passages, and how many others there are."""
        rows = self._table.execute(_BEST, (most,)).fetchall()
        (total,) = self._table.execute("SELECT count(*) FROM pairs").fetchone()
        return [SameName(_name(row[2:7]), _name(row[8:13]), row[0]) for row in rows], total - len(rows)


def _name(row: Sequence[str | int]) -> WrittenName:
    key, name, type_, passages, aliases = row
    return WrittenName(str(key), str(name), str(type_), int(passages), tuple(json.loads(str(aliases))))


def _is_open(edits: EditedNames, first: str, second: str) -> bool:
    """Whether two names are neither hidden nor merged, now or by the next `index`."""
    return bool(edits.resolve(first) and edits.resolve(second)) and edits.target(first) != edits.target(second)


def _weigh(graph: GraphClient, corpus: Corpus, pairs: Sequence[SameName]) -> Iterator[_Weighed]:
    """The pairs for which passages speak."""
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
    """0 where nothing in the passages speaks for a pair that needs it."""
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
    """Without abbreviations and parts that are those of several names: "Smith" where John Smith and Ann Smith are met
    in its passages. Where passages define an abbreviation, it stands for what they say."""
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
    """The pairs of which a passage has the one in parentheses after the other, with its id."""
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
    """A pattern of a key with whatever stands between its words, and an apostrophe before an s."""
    return r"\W+".join(re.sub("s$", "['’]?s", re.escape(word)) for word in key.split())


def _quotes(graph: GraphClient, corpus: Corpus, weighed: _Weighed) -> tuple[NamePassage, ...]:
    """A passage that mentions both names, or one for each."""
    pair = weighed.pair
    asked: list[tuple[WrittenName, Sequence[str]]] = [(pair.name, ()), (pair.into, ())]
    if weighed.together:
        asked = [(pair.into, [weighed.defined_in]) if weighed.defined_in else (pair.name, weighed.together)]
    rows = _passages(graph, corpus, [_row(corpus, *each) for each in asked], _MOST_QUOTED_PASSAGES_READ)
    return tuple(_quote(row["passages"], asked[row["row"]][0]) for row in rows if row["passages"])[:_QUOTED_PASSAGES]


def _quote(passages: Sequence[Row], name: WrittenName) -> NamePassage:
    """The first passage whose text has the name; one that only a title gives it is the last choice."""
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
    """The name as it is written; its key where the spelling that it was given by hand has another."""
    return SuggestedName(name.name if entity_key(name.name) == name.key else name.key, name.type, name.passages)
