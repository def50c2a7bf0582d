"""References in a parsed text: names, noun phrases and pronouns."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from overstory.text.extraction.findings import starts_of
from overstory.text.extraction.mentions import NOT_NAMES, mention
from overstory.text.parsing.readings import Reading

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

Kind = Literal["name", "phrase", "pronoun"]

PRONOUNS = {
    **dict.fromkeys(("he", "him", "his", "himself"), "he"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "she"),
    **dict.fromkeys(("it", "its", "itself"), "it"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), "they"),
}
DEFINITE = frozenset({"the", "this", "that", "these", "those"})
NO_ANTECEDENT = -1


class Reference(NamedTuple):
    """An expression that refers to something.

    Attributes:
        surface: the words as written, without the article or possessive of a phrase.
        type: the entity type of a name ("PERSON"), the main noun of a phrase ("film"), or the nominative of a pronoun
            ("he" for "his").
        start: offset of the first character in the text.
        definite: True for a phrase that begins with a word such as "the" or "this".
        describes: index of the reference that a phrase describes ("Iris" in "Iris is a film"), or −1.
    """

    surface: str
    kind: Kind
    type: str
    sentence: int
    start: int
    definite: bool = False
    describes: int = NO_ANTECEDENT

    @property
    def salient(self) -> bool:
        """Return True for a name or a phrase of several words, which can be an entity without any context."""
        return self.kind == "name" or (self.kind == "phrase" and " " in self.surface)


class References(NamedTuple):
    """The references in a text, in order, and the offset of each sentence's first character."""

    sentences: tuple[int, ...]
    references: tuple[Reference, ...]


def references(doc: Doc) -> References:
    """Return the references in a parsed text; only names and pronouns if there is no dependency parse."""
    text = doc.text
    starts = starts_of(doc, text)
    found: list[tuple[int, Reference]] = []  # (index of the first token, reference)
    name_at: dict[int, int] = {}  # index in `found` of the name that contains a token, by token index
    for entity in doc.ents:
        named = (
            None
            if entity.label_ in NOT_NAMES
            else mention(text, entity.start_char, entity.end_char, type_="", sentence=0)
        )
        if named is not None:
            name_at.update(dict.fromkeys(range(entity.start, entity.end), len(found)))
            sentence = bisect_right(starts, entity.start_char) - 1
            found.append((entity.start, Reference(named.surface, "name", entity.label_, sentence, named.start)))
    for token in doc:
        if token.lower_ in PRONOUNS and token.pos_ == "PRON":
            sentence = bisect_right(starts, token.idx) - 1
            found.append((token.i, Reference(token.text, "pronoun", PRONOUNS[token.lower_], sentence, token.idx)))
    for chunk in doc.noun_chunks if doc.has_annotation("DEP") else ():
        phrase = _phrase(chunk, starts, name_at)
        if phrase is not None:
            found.append((chunk.start, phrase))
    return _ordered(starts, found)


def _phrase(chunk: Span, starts: list[int], name_at: dict[int, int]) -> Reference | None:
    """Return the reference for a noun phrase, or None if it is a name, a number or a date."""
    root = chunk.root
    if root.pos_ != "NOUN" or root.ent_type_:
        return None
    first = chunk.start
    while first < root.i and (chunk.doc[first].dep_ in {"det", "poss", "case", "predet"} or chunk.doc[first].is_punct):
        first += 1
    words = chunk.doc[first : root.i + 1]
    surface = " ".join(words.text.split())
    if not any(character.isalpha() for character in surface):
        return None
    return Reference(
        surface=surface,
        kind="phrase",
        type=root.lemma_.lower(),
        sentence=bisect_right(starts, words.start_char) - 1,
        start=words.start_char,
        definite=chunk[0].lower_ in DEFINITE,
        describes=_described_name(chunk, name_at),
    )


def _described_name(chunk: Span, name_at: dict[int, int]) -> int:
    """Return the index of the name that a phrase describes ("Iris" in "Iris is a film" and "Iris, a film"), or −1."""
    root = chunk.root
    if root.dep_ == "attr" and root.head.lemma_ == "be":
        subjects = [child for child in root.head.children if child.dep_ == "nsubj"]
        return next((name_at[noun.i] for noun in subjects if noun.i in name_at), NO_ANTECEDENT)
    if root.dep_ == "appos":
        return name_at.get(root.head.i, NO_ANTECEDENT)
    return NO_ANTECEDENT


def _ordered(starts: list[int], found: list[tuple[int, Reference]]) -> References:
    order = sorted(range(len(found)), key=lambda at: (found[at][0], at))
    place = {at: rank for rank, at in enumerate(order)}
    place[NO_ANTECEDENT] = NO_ANTECEDENT
    ranked = [found[at][1] for at in order]
    return References(tuple(starts), tuple(each._replace(describes=place[each.describes]) for each in ranked))


def united(parts: list[tuple[int, References]]) -> References:
    """Merge the references in the parts of a text, given as (offset of the part's first character, references)."""
    sentences: list[int] = []
    together: list[Reference] = []
    for offset, part in parts:
        of_sentence, of_reference = len(sentences), len(together)
        sentences += [offset + start for start in part.sentences]
        together += [
            each._replace(
                sentence=of_sentence + each.sentence,
                start=offset + each.start,
                describes=NO_ANTECEDENT if each.describes == NO_ANTECEDENT else of_reference + each.describes,
            )
            for each in part.references
        ]
    return References(tuple(sentences), tuple(together))


def decoded(fields: list[Any]) -> References:
    """Restore references from JSON lists."""
    sentences, found = fields
    return References(tuple(sentences), tuple(Reference(*each) for each in found))


REFERENCES = Reading("overstory.text.coreference.references:REFERENCES", references, united, decoded)
"""The `Reading` that extracts the references in a parsed text."""
