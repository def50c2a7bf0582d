"""The names that some documents mention, as these write them, and in how many of their passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from overstory.graph import Corpus, Transaction, batches
from overstory.index.name_edits import ListedName, edited_names
from overstory.index.stages.entities import KINDS, MOST_ALIASES_OF_AN_ENTITY, most_frequent

_NAMED_DOCUMENTS_A_STATEMENT = 2_000


@dataclass(slots=True)
class _NameCounts:
    """In how many passages a name stands: those of parsers, and those of the dictionary."""

    key: str
    type: str
    parsed: int = 0
    listed: int = 0
    written: dict[bool, Counter[str]] = field(default_factory=lambda: {True: Counter[str](), False: Counter[str]()})

    @property
    def surfaces(self) -> list[str]:
        """Its spellings, the most frequent first: those that parsers saw, or else those of the dictionary and
        of titles."""
        return most_frequent(list((self.written[True] or self.written[False]).items()))

    @property
    def passages(self) -> int:
        return max(self.parsed, self.listed)


def most_mentioned_in(
    tx: Transaction,
    corpus: Corpus,
    documents: Iterable[str],
    *,
    limit: int,
    type_: str = "",
    prefix: str = "",
    words: Collection[str] = (),
    by_kind: bool = False,
) -> list[ListedName]:
    """The names that most passages of some documents mention, as `most_mentioned` has those of all.

    Spellings and passages are those of these documents, types those of the whole corpus. Looks twice at every mention
    of these documents.

    Args:
        documents: ids.
        words: as keys have them; names have a word that begins with each.
        by_kind: as `Knowledge.names` takes it, but that a name need not be in a fact.
    """
    edits = edited_names(tx, corpus)
    others = sorted({name for key, name in edits.resolved.items() if name and key.startswith(prefix)}) if prefix else []
    pages = list(batches(sorted(documents), _NAMED_DOCUMENTS_A_STATEMENT))
    found: dict[str, _NameCounts] = {}
    for page in pages:
        (row,) = tx.run(
            "corpus/names_of_documents",
            corpus.label,
            documents=page,
            type=type_,
            prefix=prefix,
            others=others,
            kinds=list(KINDS),
        )
        for id_, key, of_type, parsed, listed in row["names"]:
            counted = found.setdefault(id_, _NameCounts(key, of_type))
            counted.parsed += parsed
            counted.listed += listed
    wanted = ((id_, each) for id_, each in found.items() if each.passages and _has_words(each.key, words))
    kinds = {id_: _kind(each) if by_kind else 0 for id_, each in found.items()}
    named = sorted(wanted, key=lambda each: (kinds[each[0]], _most_first(each)))[:limit]
    shown = dict(named)
    for page in pages if shown else ():
        for row in tx.run("corpus/names_as_written", corpus.label, documents=page, ids=list(shown), kinds=list(KINDS)):
            for surface, times, parsed in row["surfaces"]:
                shown[row["id"]].written[parsed][surface] += times
    names: list[ListedName] = []
    for each in shown.values():
        surfaces = edits.name_first(each.key, each.surfaces)
        name, aliases = (surfaces[0], surfaces[1 : 1 + MOST_ALIASES_OF_AN_ENTITY]) if surfaces else (each.key, [])
        names.append(ListedName(each.key, name, each.type, tuple(aliases), each.passages))
    of_key = {each.key: kinds[id_] for id_, each in shown.items()}
    return sorted(names, key=lambda name: (of_key[name.key], -name.passages, name.name, name.key))


def _has_words(key: str, words: Collection[str]) -> bool:
    return all(f" {word}" in f" {key}" for word in words)


def _kind(name: _NameCounts) -> int:
    """The place of its kind: those that parsers know, others, numbers."""
    return 0 if name.type else 2 if name.key[:1].isdigit() else 1


def _most_first(named: tuple[str, _NameCounts]) -> tuple[int, str]:
    return -named[1].passages, named[1].key
