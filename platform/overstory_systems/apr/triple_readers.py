"""Reads the triples of passages from the facts that rules extracted or users loaded, and resolves their pronouns."""

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
from overstory.text.names.stop_names import is_stop_name, without_number
from overstory.text.questions.asked_for import is_person
from overstory_systems.apr.codebook import Triple
from overstory_systems.apr.settings import TripleSource

# Pronoun resolution by simple rules. Triples are read without their text, so they must not contain pronouns.
#
# A pronoun refers to the title's entity if the passage or the corpus suggests it: "she" needs a title that names a
# person. In an article about a person, the first pronoun decides: if it is "she", then every "she", "her" and "herself"
# is the title's entity, and "he" is somebody else. If a passage never mentions the title's entity (for example, a scene
# of an episode), only the passage's own statements resolve its pronouns.
#
# "it" and "they" refer to the title's entity only until the passage has another subject. Reflexive statements ("he
# taught himself") are dropped.
#
# Any other subject pronoun refers to the last fitting subject before it. If no subject fits, or another name fits too,
# the triple is dropped: a missing triple is better than a false one.

_LONGEST_SUBJECT_WORDS = 12
"""Maximum number of words of a title that names a subject. Longer titles are sentences."""
_PASSAGE_OPENING_WORDS = 25
"""Number of words that form the opening of a passage."""
_LEAST_TITLE_WORD_SHARE = 0.5
"""Minimum fraction of a title's words in a text that mentions the title's entity."""

Kind = Literal["person", "thing", "group", ""]
"""The kind of entity that a name or phrase refers to; "" if unknown."""

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
    """Return the name of the entity that a title is about; "" if the title names no entity."""
    name = _without_qualifier(without_number(title.strip())).strip()
    return "" if is_stop_name(name) or len(name.split()) > _LONGEST_SUBJECT_WORDS else name


def _without_qualifier(title: str) -> str:
    """Remove the parenthesis at the end of a title, even if it is unclosed."""
    plain = title.rstrip()
    inside = len(plain) - plain.endswith(")")
    start = plain.find("(", plain.rfind(")", 0, inside) + 1, inside)
    return title if start < 0 else plain[:start]


def resolved(
    triples: Sequence[Triple], title: str, text: str = "", types: Mapping[str, str] = MappingProxyType({})
) -> list[Triple]:
    """Resolve the pronouns in the triples of a passage. Triples with unresolved pronouns are dropped.

    Args:
        text: Text of the passage.
        types: Entity types ("PERSON", …) of the names in the passage and in its title, by key.
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
    """Replace pronouns by the title's entity. "it" and "they" are replaced only until another subject occurs."""
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
    """Determines the kinds of entities that the names and phrases of a passage refer to."""

    def __init__(self, types: Mapping[str, str]) -> None:
        self._types = types
        self.pronouns: dict[str, int] = {}  # pronoun that refers to a name, by the name's key

    def of(self, text: str) -> Kind:
        """Return the kind of a name or phrase, judged by the type of a name at its end or by its noun.

        "the physicist Pierre Curie" is a person because "Pierre Curie" is.
        """
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
        """Return "person" if the passage names a person with a longer form of the name ("James Terry Sanford")."""
        return "person" if any(type_ == "PERSON" and _mentions(key, name) for key, type_ in self._types.items()) else ""

    def is_name_of_person(self, text: str) -> bool:
        return not text.islower() and self.of(text) == "person"

    def fits(self, text: str, pronoun: int) -> bool:
        """Return True if a pronoun can refer to a text. An unknown name fits both "he" and "she"."""
        kind = self.of(text)
        if self.pronouns.get(entity_key(text), pronoun) != pronoun or text.casefold() in FUNCTION_WORDS:
            return False
        if not kind:
            return pronoun in _MEANT["person"] and text[:1].isupper() and not _NO_PERSON.fullmatch(text)
        return pronoun in _MEANT[kind]


def _of_title(triples: Sequence[Triple], subject: str, title: str, passage: str, kinds: _Kinds) -> int:
    """Return the pronoun that refers to the title's entity, or `_NO_PRONOUN`.

    If the passage opens with the entity, this is the first pronoun that can refer to it. An opening in a heading counts
    only until another subject occurs. Otherwise, the pronoun must fit the kind of the entity, and no earlier subject
    may fit the pronoun.
    """
    kind = _kind_of_title(triples, subject, kinds)
    if passage and not _PERSONAL.search(passage):  # "person" was a wrong tag
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
            if person and kind != "person" and text != triple.head:  # for example, "a song on her album"
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
    """Return the kind of the title's entity, by the first sentence ("Kaintuck Territory be theme park") or by types."""
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
    """Return the head noun of a phrase: "park" for "theme park near Benton"."""
    words = list(itertools.takewhile(lambda word: word.lower() not in FUNCTION_WORDS, phrase.split()))
    return words[-1] if words else ""


def _mentions(text: str, name: str) -> bool:
    """Return True if a text contains most words of a name: "Edmund Irvine Jr. was …" mentions "Eddie Irvine"."""
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
    """Return the last subject that a pronoun can refer to; "" if no subject fits or a later name fits too."""
    objects: list[str] = []
    for triple in reversed(before):
        if triple.relation != "be":  # The object of "be" is the subject itself.
            objects.append(triple.tail)
        if kinds.fits(triple.head, pronoun):
            key = entity_key(triple.head)
            others = (text for text in objects if entity_key(text) != key)
            return "" if any(kinds.fits(text, pronoun) for text in others) else triple.head
        if pronoun not in _MEANT["person"]:  # "it" refers only to the previous statement.
            return ""
    return ""


def _first_pronoun(text: str) -> int:
    """Return the pronoun that forms or starts a text, or `_NO_PRONOUN`."""
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
"""Increase this number if the same facts can result in different triples."""


@dataclass(frozen=True, slots=True)
class StatedChunk:
    """A chunk with its stored facts.

    Attributes:
        loaded, by_rules: Facts that users loaded, and facts that rules found, in the order of the text.
        types: Entity types ("PERSON", …) of the names in the chunk and in its title, by key.
    """

    id: str
    title: str
    loaded: tuple[Triple, ...]
    by_rules: tuple[Triple, ...]
    text: str = ""
    types: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)

    def resolved(self, triples: Sequence[Triple]) -> tuple[Triple, ...]:
        return tuple(resolved(triples, self.title, self.text, self.types))


@dataclass(frozen=True, slots=True)
class ReadChunk:
    """A chunk with its triples in the order of the text.

    Attributes:
        windows: Number of windows of sentences that were sent to a language model.
        read_by_rules: Number of these windows that were read by rules because the model's answer was unusable.
    """

    id: str
    triples: tuple[Triple, ...]
    windows: int = 0
    read_by_rules: int = 0


class TripleReader(Protocol):
    """Reads the triples of chunks.

    Attributes:
        fingerprint: Must change whenever the same chunk can result in different triples.
        at_once: Number of chunks stored together. A killed build loses at most these.
        reads_ahead: True if a thread can read the next chunks while others are stored. The thread does not notice
            interruptions.
    """

    fingerprint: str
    at_once: int
    reads_ahead: bool

    def read(self, chunks: Iterable[StatedChunk]) -> Iterator[ReadChunk]:
        """Yield each chunk with its triples, in order, lazily."""
        ...


class FactReader:
    """Reads triples from the facts of the corpus, without a language model."""

    at_once = 256
    """256 chunks contain about 3,000 triples."""
    reads_ahead = True
    fingerprint = f"facts:{APR_READING_VERSION}"

    def __init__(self, source: TripleSource) -> None:
        self._source: TripleSource = source

    def read(self, chunks: Iterable[StatedChunk]) -> Iterator[ReadChunk]:
        for chunk in chunks:
            yield ReadChunk(chunk.id, chunk.resolved(chosen(chunk, self._source)))


def chosen(chunk: StatedChunk, source: TripleSource) -> tuple[Triple, ...]:
    if source == "auto":
        return chunk.loaded or chunk.by_rules
    return chunk.loaded if source == "loaded" else chunk.by_rules


def read_stated(graph: GraphClient, label: str, ids: Sequence[str]) -> list[StatedChunk]:
    """Read chunks with their facts, in the order of `ids`. Missing chunks are skipped."""
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
    """Return the entity types that the corpus stores for the names in titles, by key.

    They are needed because later passages of a document may not mention the title's entity. A change of a stored type
    alone does not cause passages to be read again.
    """
    keys = {entity_id(label, key): key for row in rows if (key := entity_key(subject_of(row["title"])))}
    found = graph.run("systems/tree/entities", label, read=True, ids=sorted(keys)) if keys else []
    return {keys[row["id"]]: row["type"] or "" for row in found}
