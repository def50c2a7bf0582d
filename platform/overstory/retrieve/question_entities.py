"""Finds the entities that a question names, by looking them up in the graph. No name dictionary is kept in memory."""

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
"""Maximum number of corpora whose edits are cached, at about 1 KB per edit."""

_State = tuple[str, object, int]
_lock = threading.Lock()
_kept: OrderedDict[_State, EditedNames] = OrderedDict()


def cached_edits(tx: Transaction, corpus: Corpus) -> EditedNames:
    """Return the manual edits of a corpus' names, from a cache that is refreshed when the corpus changes."""
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


def short_names(tx: Transaction, corpus: Corpus, keys: Iterable[str]) -> dict[str, str]:
    """Return the names among `keys` that documents use for exactly one entity, each with the key of that entity.

    An example is a last name in documents with one person of that name. Names that are entities are left out.
    """
    rows = [{"key": key, "id": entity_id(corpus.label, key)} for key in dict.fromkeys(keys)]
    return {row["key"]: row["name"] for row in tx.run("retrieve/short_names", corpus.label, rows=rows)}


_MOST_WORDS_SEARCHED_FOR_NAMES = 300
"""Only this many words at the beginning of a question are searched for names."""

_LONGEST_ASKED_NAME_WORDS = 16
"""Names with more words are not looked up, although a title may be longer."""

_MOST_PASSAGES_LOOKED_AT = 5_000
"""Maximum number of passages to read per name. A frequent name may occur in a fifth of all passages."""
_MOST_DOCUMENTS_LOOKED_AT = 1_000
"""Maximum number of documents to search for a name that more than `_MOST_PASSAGES_LOOKED_AT` passages mention."""


@dataclass(frozen=True, slots=True)
class QuestionEntity:
    """An entity of the corpus that a question names.

    Attributes:
        df: number of chunks that mention the entity; 0 if it is not in the name dictionary.
        subject: True if a chunk is about the entity.
        term: True if a chunk defines the entity, or if its name is the heading of a chunk.
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
        entities: the distinct entities, in the order in which the question names them.
        matches: the positions of the names in the question. They may overlap.
        outdated: True if the corpus has changed since its entities were last indexed.
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
        in_dictionary: return only entities in the name dictionary, which is searched for in all texts. Entities that
            only a parser or OpenIE found are then left out.
        of_documents: return only entities that a passage of these documents mentions; None for all documents.
    """
    known = StoredEntities(tx, corpus, in_dictionary=in_dictionary, of_documents=of_documents)
    edits = cached_edits(tx, corpus)
    short = short_names(tx, corpus, possible_names(question.tokens)) if of_documents is None else {}
    entities, matches = entities_in(question, lambda key: edits.resolve(short.get(key, key)), known)
    return QuestionEntities(entities, matches, outdated=known.outdated)


class StoredEntities:
    """Looks up entities of a corpus for `entities_in`. For the arguments, see `question_entities`.

    Attributes:
        outdated: True if, at the last call, the corpus had changed since its entities were indexed.
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
"""A function that looks up the keys of names and the keys of terms, and returns the distinct entities that exist.

The entity of a term is returned only if a chunk defines the term or if the term is the heading of a chunk."""


def entities_in(
    question: Question, resolve: Callable[[str], str], look_up: LookUp
) -> tuple[tuple[QuestionEntity, ...], tuple[Match, ...]]:
    """Return the entities that a question names, and the positions of their names, as in `QuestionEntities`.

    Args:
        resolve: applies the manual edits to a key, as `EditedNames.resolve` does.
    """
    names = {key: name for key in possible_names(question.tokens) if (name := resolve(key))}
    asked = {
        key: name for key in possible_terms(question.tokens, _MOST_WORDS_SEARCHED_FOR_NAMES) if (name := resolve(key))
    }
    wanted = list(dict.fromkeys((*names.values(), *names)))
    terms = list(dict.fromkeys((*asked.values(), *asked)))
    known = {entity.key: entity for entity in look_up(wanted, terms)}
    # Before the next index run applies an edit, its target may not exist. The original key is then used.
    both = {key: name if name in known else key for key, name in (asked | names).items()}
    named = {key: known[name] for key, name in both.items() if name in known}
    terms_known = {key for key, entity in named.items() if entity.term}
    found = question_names(question.tokens, NameDictionary(named), terms_known)
    matches = tuple(match._replace(key=named[match.key].key) for match in found)
    return tuple(known[key] for key in dict.fromkeys(match.key for match in matches)), matches


def possible_names(tokens: Tokens) -> Iterator[str]:
    """Yield the keys of phrases that may be names.

    A phrase may be a name if it has the shape of a name, or if one of its words is capitalised.
    """
    yield from (shape.key for shape in tokens.shapes[:_MOST_WORDS_SEARCHED_FOR_NAMES])
    for first in range(min(_MOST_WORDS_SEARCHED_FOR_NAMES, len(tokens.forms))):
        for stop in range(first + 1, min(first + _LONGEST_ASKED_NAME_WORDS, len(tokens.forms)) + 1):
            if any(tokens.capital[first:stop]):
                yield tokens.key(first, stop)
                if stop - 1 in tokens.bare:
                    yield " ".join([*tokens.forms[first : stop - 1], tokens.bare[stop - 1][0]])
