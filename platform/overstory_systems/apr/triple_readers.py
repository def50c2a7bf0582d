"""The triples of passages: facts that the corpus has of them, by rules or loaded; a language model can read instead."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, Protocol

from overstory.graph import GraphClient
from overstory.graph.client import Row
from overstory.graph.ids import entity_id
from overstory.index.stages.extract import BY as LOADED
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import entity_key, key_words
from overstory.text.names.stop_names import names_nothing, without_number
from overstory.text.questions.asked_for import is_person
from overstory_systems.apr.codebook import Triple
from overstory_systems.apr.settings import TripleSource

# Pronouns for what they stand for, by simple rules: a statement is read far from the text that it is from.
#
# A pronoun stands for what the title names where the passage, or the corpus, says that this can be meant: that it is a
# person, where it is "she". In an article on somebody the first pronoun decides: where its statements first say "she",
# all of "she", "her" and "herself" are whom the title names, and "he" is somebody else. A passage that never speaks of
# what its title names, as a scene of an episode, has its pronouns explained by its own statements alone.
#
# "It" and "they" stand for it only until the passage speaks of something else. What somebody does to "himself" is said
# of nobody else, and left out.
#
# Any other pronoun that is a subject stands for the last subject before it that fits. Where none does, or another one
# might be meant, the triple is left out: nothing is better than something false.

_LONGEST_SUBJECT_WORDS = 12
"""Words of a title that may name a subject; longer ones are sentences."""
_PASSAGE_OPENING_WORDS = 25
"""Words with which a passage begins."""
_LEAST_TITLE_WORD_SHARE = 0.5
"""Of the words of a title, those that a text has which speaks of what it names."""

Kind = Literal["person", "thing", "group", ""]
"""What a name or a phrase stands for; "" where that is not known."""

_NO_PERSON = re.compile(
    r"(?:the|an?)\s.*|.*\((?:[^()]*\s)?(?:film|movie|album|song|single|novel|book|play|opera|series|show|game|band|magazine|"
    r"company|software|city|town|village|river|ship)\)",
    re.IGNORECASE,
)
_FORMS = (
    ({"he", "him", "himself"}, {"his"}),
    ({"she", "her", "herself"}, {"her"}),
    ({"it", "itself"}, {"its"}),
    ({"they", "them", "themselves"}, {"their"}),
)
_HE, _SHE, _IT, _THEY = range(len(_FORMS))
_NO_PRONOUN = -1
_ALONE = {form: pronoun for pronoun, (alone, _) in enumerate(_FORMS) for form in alone}
_POSSESSIVE = {form: pronoun for pronoun, (_, possessive) in enumerate(_FORMS) for form in possessive}
_MEANT: Final[Mapping[Kind, frozenset[int]]] = {
    "person": frozenset({_HE, _SHE}),
    "thing": frozenset({_IT}),
    "group": frozenset({_IT, _THEY}),
    "": frozenset({_HE, _SHE, _IT, _THEY}),
}
_REFLEXIVE = frozenset({"himself", "herself", "itself", "themselves", "myself", "ourselves", "yourself", "oneself"})
_PERSONAL = re.compile(r"\b(?:he|him|his|she|her)\b", re.IGNORECASE)
_CHARACTERS = frozenset({"character", "protagonist", "superhero", "villain"})
_OR_COMPANIES = frozenset(
    {"publisher", "producer", "maker", "manufacturer", "developer", "designer", "owner", "builder"}
)
_GROUPS = frozenset({"ORG", "NORP", "GPE"})
_NO_THING = frozenset({"", "DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT"})


def subject_of(title: str) -> str:
    """The name of what a text with this title is about; "" where the title names nothing."""
    name = _without_qualifier(without_number(title.strip())).strip()
    return "" if names_nothing(name) or len(name.split()) > _LONGEST_SUBJECT_WORDS else name


def _without_qualifier(title: str) -> str:
    """Without the parenthesis at its end, which may be open."""
    plain = title.rstrip()
    inside = len(plain) - plain.endswith(")")
    start = plain.find("(", plain.rfind(")", 0, inside) + 1, inside)
    return title if start < 0 else plain[:start]


def resolved(
    triples: Sequence[Triple], title: str, text: str = "", types: Mapping[str, str] = MappingProxyType({})
) -> list[Triple]:
    """The triples of a passage, in order, with what pronouns stand for in their place.

    Args:
        text: of the passage.
        types: what the names of the passage, and that of its title, are ("PERSON", …), by their keys.
    """
    kinds = _Kinds(types)
    subject = subject_of(title)
    triples = [triple for triple in triples if triple.tail.casefold() not in _REFLEXIVE]
    pronoun = _of_title(triples, subject, title, text, kinds) if subject else _NO_PRONOUN
    if pronoun != _NO_PRONOUN:
        triples = list(_with_title(triples, subject, pronoun))
        kinds.pronouns[entity_key(subject)] = pronoun
    return list(_with_subjects(triples, kinds))


def _with_title(triples: Iterable[Triple], subject: str, pronoun: int) -> Iterator[Triple]:
    """With what the title names for a pronoun; for one of things only while nothing else is spoken of."""
    still_about_title = True
    for triple in triples:
        if pronoun in _MEANT["person"] or still_about_title or _mentions(triple.head, subject):
            yield triple._replace(
                head=_without_pronoun(triple.head, subject, pronoun),
                tail=_without_pronoun(triple.tail, subject, pronoun),
            )
            still_about_title = _first_pronoun(triple.head) != _NO_PRONOUN or _mentions(triple.head, subject)
        else:
            yield triple


class _Kinds:
    """What the names and phrases of a passage stand for."""

    def __init__(self, types: Mapping[str, str]) -> None:
        self._types = types
        self.pronouns: dict[str, int] = {}  # by the key of the name that they stand for

    def of(self, text: str) -> Kind:
        """By its type, which that of a name at its end may be ("the physicist Pierre Curie"), or by its noun."""
        words = entity_key(text).split()
        for start in range(len(words)):
            if start and words[start - 1] in FUNCTION_WORDS:
                break
            type_ = self._types.get(" ".join(words[start:]), "")
            if type_ == "PERSON":
                return "person"
            if type_ not in _NO_THING:
                return "group" if type_ in _GROUPS else "thing"
        last = words[-1] if words else ""
        if " and " in text or (last.endswith("s") and not last.endswith("ss") and text.islower()):
            return "group"
        if is_person(last):
            return "person"
        return "thing" if text[-1:].islower() and text.split()[-1].islower() else ""

    def of_longer(self, name: str) -> Kind:
        """ "person" where the passage names one by a longer form of a name: "James Terry Sanford"."""
        return "person" if any(type_ == "PERSON" and _mentions(key, name) for key, type_ in self._types.items()) else ""

    def is_name_of_person(self, text: str) -> bool:
        return not text.islower() and self.of(text) == "person"

    def fits(self, text: str, pronoun: int) -> bool:
        """Whether a pronoun may stand for what a text says; a name of an unknown type may be anybody's."""
        kind = self.of(text)
        if self.pronouns.get(entity_key(text), pronoun) != pronoun or text.casefold() in FUNCTION_WORDS:
            return False
        if not kind:
            return pronoun in _MEANT["person"] and text[:1].isupper() and not _NO_PERSON.fullmatch(text)
        return pronoun in _MEANT[kind]


def _of_title(triples: Sequence[Triple], subject: str, title: str, passage: str, kinds: _Kinds) -> int:
    """The pronoun that stands for what the title names, `_NO_PRONOUN` where none does: the first that can, where the
    passage begins with that (of a heading only before other subjects), or where it is a person and no other subject
    before the pronoun fits."""
    kind = _kind_of_title(triples, subject, kinds)
    if passage and not _PERSONAL.search(passage):  # a place that was taken for somebody
        kind = "" if kind == "person" else kind
    nobody = kind != "person" and _NO_PERSON.fullmatch(title.strip()) is not None
    opens = (
        _mentions(" ".join(_body(passage, title).split()[:_PASSAGE_OPENING_WORDS]) or triples[0].head, subject)
        if triples
        else False
    )
    headed = _mentions(" ".join(passage.split()[:_PASSAGE_OPENING_WORDS]), subject)
    heads: list[str] = []
    for triple in triples:
        for text in (triple.head, triple.tail):
            pronoun = _first_pronoun(text)
            person = pronoun in _MEANT["person"]
            if pronoun == _NO_PRONOUN or (person and nobody) or (kind == "person" and not person):
                continue
            if person and kind != "person" and text != triple.head:  # "a song on her album"
                continue
            if (opens or (headed and not heads)) and (
                kind == "person" or not person or not any(map(kinds.is_name_of_person, heads))
            ):
                return pronoun
            known = kind == "person" or (kind and not (passage and heads))
            if known and pronoun in _MEANT[kind] and not any(kinds.fits(head, pronoun) for head in heads):
                return pronoun
        if not _mentions(triple.head, subject):
            heads.append(triple.head)
    return _NO_PRONOUN


def _body(passage: str, title: str) -> str:
    lines = passage.splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("#") and line.strip() != title.strip())


def _kind_of_title(triples: Iterable[Triple], subject: str, kinds: _Kinds) -> Kind:
    """What the title names by what the first sentence says of it, "Kaintuck Territory be theme park", and by types."""
    nouns = {
        _noun(triple.tail)
        for triple in triples
        if triple.relation == "be" and triple.sentence <= 0 and _mentions(triple.head, subject)
    }
    if any(noun in _CHARACTERS or (is_person(noun) and noun not in _OR_COMPANIES) for noun in nouns):
        return "person"
    kind = kinds.of(subject) or kinds.of_longer(subject)
    return "" if any(noun.islower() for noun in nouns) and kind == "person" else kind


def _noun(phrase: str) -> str:
    """ "park" of "theme park near Benton"."""
    words = list(itertools.takewhile(lambda word: word.lower() not in FUNCTION_WORDS, phrase.split()))
    return words[-1] if words else ""


def _mentions(text: str, name: str) -> bool:
    """Whether a text has most words of a name: "Edmund Irvine Jr. was …" is on Eddie Irvine."""
    words = [word for word in key_words(name) if word not in FUNCTION_WORDS] or key_words(name)
    present = set(key_words(text))
    return sum(word in present for word in words) >= _LEAST_TITLE_WORD_SHARE * len(words)


def _with_subjects(triples: Iterable[Triple], kinds: _Kinds) -> Iterator[Triple]:
    before: list[Triple] = []
    for triple in triples:
        pronoun = _ALONE.get(triple.head.casefold())
        if pronoun is not None:
            head = _last_fitting(before, pronoun, kinds)
            if not head:
                continue
            triple = triple._replace(head=head)
            if pronoun in _MEANT["person"]:
                kinds.pronouns[entity_key(head)] = pronoun
        before.append(triple)
        yield triple


def _last_fitting(before: Sequence[Triple], pronoun: int, kinds: _Kinds) -> str:
    """The last subject that a pronoun may stand for, "" where there is none or another name fits since then."""
    objects: list[str] = []
    for triple in reversed(before):
        if triple.relation != "be":  # what somebody is is nobody else
            objects.append(triple.tail)
        if kinds.fits(triple.head, pronoun):
            key = entity_key(triple.head)
            others = (text for text in objects if entity_key(text) != key)
            return "" if any(kinds.fits(text, pronoun) for text in others) else triple.head
        if pronoun not in _MEANT["person"]:  # what is spoken of changes with every statement
            return ""
    return ""


def _first_pronoun(text: str) -> int:
    """The pronoun that a text is or begins with, `_NO_PRONOUN` where it does with none."""
    first, _, rest = text.casefold().partition(" ")
    return (_POSSESSIVE if rest else _ALONE).get(first, _NO_PRONOUN)


def _without_pronoun(text: str, subject: str, pronoun: int) -> str:
    first, _, rest = text.partition(" ")
    if not rest:
        return subject if _ALONE.get(first.casefold()) == pronoun else text
    if _POSSESSIVE.get(first.casefold()) != pronoun:
        return text
    return f"{subject}'{'' if subject.endswith('s') else 's'} {rest}"


APR_READING_VERSION = 5
"""Changes whenever the same facts may give other triples."""


@dataclass(frozen=True, slots=True)
class StatedChunk:
    """A chunk with the facts that the corpus has of it.

    Attributes:
        loaded, by_rules: in the order of the text.
        types: what the names that it mentions are ("PERSON", …), and what its title names, by their keys.
    """

    id: str
    title: str
    loaded: tuple[Triple, ...]
    by_rules: tuple[Triple, ...]
    text: str = ""
    types: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)

    def resolved(self, triples: Sequence[Triple]) -> tuple[Triple, ...]:
        """Triples of this chunk with what pronouns stand for in their place."""
        return tuple(resolved(triples, self.title, self.text, self.types))


@dataclass(frozen=True, slots=True)
class ReadChunk:
    """A chunk with its triples, in the order of its text.

    Attributes:
        windows: requests to a language model.
        read_by_rules: of them those whose answer could not be used, so that rules read that part.
    """

    id: str
    triples: tuple[Triple, ...]
    windows: int = 0
    read_by_rules: int = 0


class TripleReader(Protocol):
    """Reads chunks.

    Attributes:
        fingerprint: changes whenever the same chunk may be read in another way.
        at_once: chunks that should be stored together: what is lost where a run is killed.
        reads_ahead: whether the next chunks may be read in a thread while others are stored. Nothing there hears an
            interruption.
    """

    fingerprint: str
    at_once: int
    reads_ahead: bool

    def read(self, chunks: Iterable[StatedChunk]) -> Iterator[ReadChunk]:
        """Each chunk, in order, lazily."""
        ...


class FactReader:
    """Takes the facts of the corpus."""

    at_once = 256
    """Some 3,000 triples."""
    reads_ahead = True
    fingerprint = f"facts:{APR_READING_VERSION}"

    def __init__(self, source: TripleSource) -> None:
        self._source: TripleSource = source

    def read(self, chunks: Iterable[StatedChunk]) -> Iterator[ReadChunk]:
        for chunk in chunks:
            yield ReadChunk(chunk.id, chunk.resolved(chosen(chunk, self._source)))


def chosen(chunk: StatedChunk, source: TripleSource) -> tuple[Triple, ...]:
    """The facts of a chunk that come from a source."""
    if source == "auto":
        return chunk.loaded or chunk.by_rules
    return chunk.loaded if source == "loaded" else chunk.by_rules


def read_stated(graph: GraphClient, label: str, ids: Sequence[str]) -> list[StatedChunk]:
    """The chunks of these ids, as far as they are there, in order of id."""
    rows = graph.run("systems/apr/facts", label, read=True, ids=list(ids))
    of_titles = _types_of_titles(graph, label, rows)
    chunks: list[StatedChunk] = []
    for row in rows:
        of_all = [(by, Triple(head, relation, tail, sentence)) for by, sentence, head, relation, tail in row["facts"]]
        loaded = tuple(triple for by, triple in of_all if by == LOADED)
        by_rules = tuple(triple for by, triple in of_all if by != LOADED)
        types = {key: Counter(of).most_common(1)[0][0] for key, of in row["names"] if of}
        titled = entity_key(subject_of(row["title"]))
        types.setdefault(titled, of_titles.get(titled, ""))
        chunks.append(StatedChunk(row["id"], row["title"], loaded, by_rules, row["text"], types))
    return chunks


def _types_of_titles(graph: GraphClient, label: str, rows: Sequence[Row]) -> dict[str, str]:
    """What the corpus says of the names in titles, which later passages of a document need not say: types by key. Where
    it says something else later, a passage is read again when it is next read for another reason."""
    keys = {entity_id(label, key): key for row in rows if (key := entity_key(subject_of(row["title"])))}
    found = graph.run("systems/tree/entities", label, read=True, ids=sorted(keys)) if keys else []
    return {keys[row["id"]]: row["type"] or "" for row in found}
