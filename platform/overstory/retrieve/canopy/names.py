"""The names of a question, found in the graph: the dictionary is not held in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from overstory.graph import Corpus, Transaction
from overstory.graph.ids import entity_id
from overstory.index.stages.entities import specificity
from overstory.retrieve.canopy.scoring import RARE, RARE_SEED, Seed
from overstory.text.names.dictionary import Match, NameDictionary
from overstory.text.names.tokens import Tokens, tokenise
from overstory.text.questions.names import longest_first, question_names, unknown_names, without_names

MOST_WORDS = 300
"""Words of a question in which names are looked for."""

LONGEST_NAME = 16
"""Words of a name that is looked for; titles may be longer."""

MOST_PHRASES = 30


@dataclass(frozen=True, slots=True)
class AskedName:
    """A name of the question as the graph knows it.

    Attributes:
        tells: how much, from 1 (nothing mentions it) down to 0.
        subject: whether a chunk is about it.
    """

    id: str
    key: str
    name: str
    df: int
    tells: float
    subject: bool


@dataclass(frozen=True, slots=True)
class AskedNames:
    """The names in a question.

    Attributes:
        known: those of the dictionary.
        phrases: what else looks like a name, by its place, the longest first, with its key.
        rest: the question without its known names; the question where nothing else is left.
        words: all words of the question, as keys have them.
        outdated: whether the corpus has changed since its names were found.
    """

    question: str
    known: tuple[AskedName, ...]
    phrases: tuple[Match, ...]
    rest: str
    words: frozenset[str]
    outdated: bool

    def quoted(self) -> dict[str, str]:
        """The phrases as Lucene takes them, by key."""
        return {phrase.key: _quoted(self.question[phrase.start : phrase.end]) for phrase in self.phrases}


def asked_names(tx: Transaction, corpus: Corpus, question: str) -> AskedNames:
    tokens = tokenise(question)
    ids = [entity_id(corpus.label, key) for key in dict.fromkeys(possible_names(tokens))]
    (row,) = tx.run("retrieve/canopy_names", corpus.label, ids=ids)
    known = {
        key: AskedName(id_, key, name, df, specificity(named_chunks(corpus), df), subject)
        for id_, key, name, df, subject in row["names"]
    }
    found = question_names(question, NameDictionary(known))
    rest = without_names(question, found)
    return AskedNames(
        question=question,
        known=tuple(known[key] for key in dict.fromkeys(match.key for match in found)),
        phrases=tuple(unknown_names(question, found)[:MOST_PHRASES]),
        rest=rest if any(character.isalnum() for character in rest) else question,
        words=frozenset(tokens.forms) | {form for form, _ in tokens.bare.values()},
        outdated=row["changed"] > 0 or not corpus.named_by,
    )


def named_chunks(corpus: Corpus) -> int:
    """The chunks among which names were counted; 0, where names tell nothing, before the first time."""
    return max(0, corpus.named_chunks)


def possible_names(tokens: Tokens) -> Iterator[str]:
    """The keys of all phrases of a question that could be names: one of the words must be capitalised."""
    for first in range(min(MOST_WORDS, len(tokens.forms))):
        for stop in range(first + 1, min(first + LONGEST_NAME, len(tokens.forms)) + 1):
            if any(tokens.capital[first:stop]):
                yield tokens.key(first, stop)
                if stop - 1 in tokens.bare:
                    yield " ".join([*tokens.forms[first : stop - 1], tokens.bare[stop - 1][0]])


def rare_phrases(names: AskedNames, found: Mapping[str, Mapping[str, str]], chunks: int) -> dict[str, Seed]:
    """Seeds of chunks that have a phrase of the question which looks like a name, and which few have.

    Args:
        found: phrases as `quoted` gives them -> chunks that may have them -> title, heading and text.
        chunks: how many the corpus has.
    """
    tokens = {chunk: tokenise(text) for texts in found.values() for chunk, text in texts.items()}
    having: dict[str, list[str]] = {}
    for key, quoted in names.quoted().items():
        name = NameDictionary([key])
        having[key] = [chunk for chunk in found.get(quoted, ()) if name.anywhere(tokens[chunk])]
    seeds: dict[str, Seed] = {}
    for phrase in longest_first(names.phrases, {key for key, ids in having.items() if ids}):
        ids = having[phrase.key]
        seed = Seed(names.question[phrase.start : phrase.end], RARE_SEED * specificity(chunks, len(ids)))
        for chunk in ids if len(ids) <= RARE else ():
            if chunk not in seeds or seeds[chunk].weight < seed.weight:
                seeds[chunk] = seed
    return seeds


def _quoted(phrase: str) -> str:
    """A phrase query of Lucene: between quotes only these two characters mean something."""
    return '"' + phrase.replace("\\", " ").replace('"', " ") + '"'
