"""The names of a corpus that a question contains, looked up in the graph: its dictionary is not held in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from overstory.graph import Corpus, Transaction
from overstory.graph.ids import entity_id
from overstory.index.name_edits import edited_names
from overstory.retrieve.question import Question
from overstory.text.names.dictionary import Match, NameDictionary
from overstory.text.names.edits import NO_EDITS, EditedNames
from overstory.text.names.subjects import OWN
from overstory.text.names.tokens import Tokens
from overstory.text.questions.names import possible_terms, question_names

_MOST_KEPT_EDIT_LOGS = 8
"""Logs that are kept, some 1 KB an edit."""

_State = tuple[str, object, int]
_lock = threading.Lock()
_kept: OrderedDict[_State, EditedNames] = OrderedDict()


def cached_edits(tx: Transaction, corpus: Corpus) -> EditedNames:
    """What the log of a corpus makes of its names; read again when the corpus has changed."""
    if not corpus.edits_names:
        return NO_EDITS
    state = (corpus.label, corpus.created, corpus.version)
    with _lock:
        if state in _kept:
            _kept.move_to_end(state)
            return _kept[state]
    edits = edited_names(tx, corpus)
    with _lock:
        _kept[state] = edits
        while len(_kept) > _MOST_KEPT_EDIT_LOGS:
            _kept.popitem(last=False)
    return edits


_MOST_WORDS_SEARCHED_FOR_NAMES = 300
"""Words of a question that are searched for names."""

_LONGEST_ASKED_NAME_WORDS = 16
"""Longest name looked up, in words; titles may be longer."""

_MOST_PASSAGES_LOOKED_AT = 5_000
"""Passages of one name that are looked at: a name may stand in a fifth of all."""
_MOST_DOCUMENTS_LOOKED_AT = 1_000
"""Documents in which a name of more passages is looked for."""


@dataclass(frozen=True, slots=True)
class QuestionEntity:
    """An entity of the corpus that a question names.

    Attributes:
        df: chunks in which the name dictionary finds it; 0 for a name that the dictionary lacks.
        subject: whether a chunk is about it.
        term: whether a chunk defines it, or has it as heading.
    """

    id: str
    key: str
    name: str
    df: int
    subject: bool
    term: bool = False


@dataclass(frozen=True, slots=True)
class QuestionEntities:
    """The entities of the corpus that a question names.

    Attributes:
        entities: each once, in the order of their names in the question.
        matches: where their names stand in the question; they may overlap.
        outdated: whether the corpus has changed since its names were found.
    """

    entities: tuple[QuestionEntity, ...]
    matches: tuple[Match, ...]
    outdated: bool


def question_entities(
    tx: Transaction,
    corpus: Corpus,
    question: Question,
    *,
    in_dictionary: bool = False,
    of_documents: Iterable[str] | None = None,
) -> QuestionEntities:
    """Look up the entities that a question names.

    Args:
        in_dictionary: only those of the name dictionary, which are looked for in all texts; otherwise also those that
            just a parser or OpenIE found.
        of_documents: ids of the documents of which some passage must mention a name for it to be known; of all if left
            out.
    """
    known = StoredEntities(tx, corpus, in_dictionary=in_dictionary, of_documents=of_documents)
    entities, matches = entities_in(question, cached_edits(tx, corpus).resolve, known)
    return QuestionEntities(entities, matches, outdated=known.outdated)


class StoredEntities:
    """Looks up entities of a corpus, as `entities_in` asks for them; the arguments are those of `question_entities`.

    Attributes:
        outdated: whether the corpus has changed since its names were found, as of the last look-up.
    """

    def __init__(
        self, tx: Transaction, corpus: Corpus, *, in_dictionary: bool, of_documents: Iterable[str] | None = None
    ) -> None:
        self._tx = tx
        self._corpus = corpus
        self._in_dictionary = in_dictionary
        self._documents = None if of_documents is None else sorted(of_documents)
        self.outdated = not corpus.named_by

    def __call__(self, keys: Sequence[str], terms: Sequence[str]) -> list[QuestionEntity]:
        """As `LookUp`."""
        label = self._corpus.label
        (row,) = self._tx.run(
            "retrieve/question_entities",
            label,
            ids=[entity_id(label, key) for key in keys],
            terms=[entity_id(label, key) for key in terms],
            dictionary=self._in_dictionary,
            looked_at=_MOST_PASSAGES_LOOKED_AT,
        )
        self.outdated = row["changed"] > 0 or not self._corpus.named_by
        found = [QuestionEntity(*each) for each in row["entities"]]
        if self._documents is None or not found:
            return found
        ids = [each.id for each in found]
        (mentioned,) = self._tx.run(
            "retrieve/mentioned_among",
            label,
            ids=ids,
            documents=self._documents,
            looked_at=_MOST_PASSAGES_LOOKED_AT,
            documents_looked_at=_MOST_DOCUMENTS_LOOKED_AT,
            own=OWN,
        )
        return [each for each in found if each.id in mentioned["ids"]]


LookUp = Callable[[Sequence[str], Sequence[str]], Iterable[QuestionEntity]]
"""Takes keys of names, and others of which only those that a chunk defines or has as heading are wanted; gives the
entities that are there, each once."""


def entities_in(
    question: Question, resolve: Callable[[str], str], look_up: LookUp
) -> tuple[tuple[QuestionEntity, ...], tuple[Match, ...]]:
    """The entities that a question names, and where their names stand, as of `QuestionEntities`.

    Args:
        resolve: what edits make of a key, as `EditedNames.resolve` says it.
    """
    names = {key: name for key in possible_names(question.tokens) if (name := resolve(key))}
    asked = {
        key: name for key in possible_terms(question.tokens, _MOST_WORDS_SEARCHED_FOR_NAMES) if (name := resolve(key))
    }
    wanted = list(dict.fromkeys((*names.values(), *names)))
    terms = list(dict.fromkeys((*asked.values(), *asked)))
    known = {entity.key: entity for entity in look_up(wanted, terms)}
    # An edit that no index run has applied yet leads to a name that may not be there yet.
    both = {key: name if name in known else key for key, name in (asked | names).items()}
    named = {key: known[name] for key, name in both.items() if name in known}
    terms_known = {key for key, entity in named.items() if entity.term}
    found = question_names(question.tokens, NameDictionary(named), terms_known)
    matches = tuple(match._replace(key=named[match.key].key) for match in found)
    return tuple(known[key] for key in dict.fromkeys(match.key for match in matches)), matches


def possible_names(tokens: Tokens) -> Iterator[str]:
    """The keys of all phrases of a question that could be names: by their shape, or one word must be capitalised."""
    yield from (shape.key for shape in tokens.shapes[:_MOST_WORDS_SEARCHED_FOR_NAMES])
    for first in range(min(_MOST_WORDS_SEARCHED_FOR_NAMES, len(tokens.forms))):
        for stop in range(first + 1, min(first + _LONGEST_ASKED_NAME_WORDS, len(tokens.forms)) + 1):
            if any(tokens.capital[first:stop]):
                yield tokens.key(first, stop)
                if stop - 1 in tokens.bare:
                    yield " ".join([*tokens.forms[first : stop - 1], tokens.bare[stop - 1][0]])
