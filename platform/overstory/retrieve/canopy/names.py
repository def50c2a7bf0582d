"""The names of a question as canopy uses them: known ones, phrases that may be names, and the rest of the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from overstory.graph import Corpus
from overstory.retrieve.canopy.scoring import MOST_CHUNKS_OF_A_RARE_NAME, RARE_SEED, Seed
from overstory.retrieve.question import Question
from overstory.retrieve.question_entities import QuestionEntities, QuestionEntity
from overstory.text.names.dictionary import Match, NameDictionary
from overstory.text.names.tokens import idf_weight, tokenise
from overstory.text.questions.kinds import Form, form_of
from overstory.text.questions.names import longest_first, may_be_name, unknown_names, without_names

_MOST_PHRASES_OF_A_QUESTION = 30  # phrases of a question that are looked up


@dataclass(frozen=True, slots=True)
class QuestionNames:
    """The names in a question.

    Attributes:
        known: those of the name dictionary.
        phrases: what else looks like a name, by its place, the longest first, with its key.
        rest: the question without its known names; the question where nothing else is left.
        words: all words of the question, as keys have them.
        capital: whether a word within the question, not its first, begins with a capital letter.
        outdated: whether the corpus has changed since its names were found.
    """

    question: str
    known: tuple[QuestionEntity, ...]
    phrases: tuple[Match, ...]
    rest: str
    words: frozenset[str]
    form: Form
    capital: bool
    outdated: bool

    def of_state(self, *, outdated: bool) -> QuestionNames:
        """The same names, of a corpus that has changed since its names were found, or has not."""
        return replace(self, outdated=outdated)

    def quoted(self) -> dict[str, str]:
        """The phrases as Lucene takes them, by key."""
        return {phrase.key: _quoted(self.question[phrase.start : phrase.end]) for phrase in self.phrases}


def names_in(question: Question, found: QuestionEntities) -> QuestionNames:
    """The names of a question, from those of the dictionary that it has."""
    tokens = question.tokens
    shaped = {shape.key for shape in tokens.shapes}
    rest = without_names(question.text, found.matches)
    possible = unknown_names(tokens, found.matches)
    phrases = [phrase for phrase in possible if may_be_name(question.text[phrase.start : phrase.end])]
    return QuestionNames(
        question=question.text,
        known=found.entities,
        phrases=tuple(phrases[:_MOST_PHRASES_OF_A_QUESTION]),
        rest=rest if any(character.isalnum() for character in rest) else question.text,
        words=frozenset(tokens.forms) | {form for form, _ in tokens.bare.values()} | shaped,
        form=form_of(question.text),
        capital=any(question.text[start].isupper() for start in tokens.starts[1:]),
        outdated=found.outdated,
    )


def named_chunks(corpus: Corpus) -> int:
    """The chunks among which names were counted; 0, where IDF weights are 0, before the first time."""
    return max(0, corpus.named_chunks)


def rare_phrases(names: QuestionNames, found: Mapping[str, Mapping[str, str]], chunks: int) -> dict[str, Seed]:
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
        seed = Seed(names.question[phrase.start : phrase.end], RARE_SEED * idf_weight(chunks, len(ids)))
        for chunk in ids if len(ids) <= MOST_CHUNKS_OF_A_RARE_NAME else ():
            if chunk not in seeds or seeds[chunk].weight < seed.weight:
                seeds[chunk] = seed
    return seeds


def _quoted(phrase: str) -> str:
    """A phrase query of Lucene: between quotes only these two characters mean something."""
    return '"' + phrase.replace("\\", " ").replace('"', " ") + '"'
