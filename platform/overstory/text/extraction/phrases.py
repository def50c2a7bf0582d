"""Noun phrases of a parsed text: what a fact has as subject and object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Token

CLAUSES = frozenset(
    {"relcl", "acl", "advcl", "xcomp", "ccomp", "appos", "parataxis", "dep", "csubj", "mark", "preconj"}
)
"""Dependents of a noun that are not part of its name; most of them give facts of their own."""

ARTICLES = frozenset({"the", "a", "an"})


def phrase(head: Token, *, with_prepositions: bool = True) -> str:
    """The words of a noun and what modifies it, in text order, without article, clauses and coordinated nouns.

    "the second son of Adalbert II, who died in 938" gives "second son of Adalbert II".
    """
    kept = _with_entity(head, set(_modifiers(head, with_prepositions=with_prepositions)))
    indices = sorted(kept | set(_inner_punctuation(head, kept)))
    words = [head.doc[i] for i in indices]
    while len(words) > 1 and (words[0].lower_ in ARTICLES or words[0].is_punct):
        del words[0]
    parts: list[str] = []
    for word, following in zip(words, [*words[1:], None], strict=True):
        adjacent = following is not None and following.i == word.i + 1
        parts.append(word.text + (word.whitespace_ if adjacent else " "))
    return " ".join("".join(parts).split())


def coordinated(head: Token) -> list[Token]:
    """The noun and those joined to it by "and", commas or "or"; the halves of one name are one."""
    found = [head]
    for noun in found:  # grows while it is read
        found.extend(c for c in noun.children if c.dep_ == "conj" and not _same_entity(c, noun) and _is_nominal(c))
    return found


def is_common(head: Token) -> bool:
    """Whether the noun is neither a name nor a pronoun, nor part of a named entity."""
    return head.pos_ == "NOUN" and not head.ent_type_


def prepositions(head: Token) -> Iterator[tuple[str, Token]]:
    """(preposition, object) for each of the prepositional phrases of a word, in text order."""
    for child in head.children:
        if child.dep_ in {"prep", "agent"} or (child.dep_ == "dative" and child.pos_ == "ADP"):
            yield from _objects(child, "")


def _objects(preposition: Token, before: str) -> Iterator[tuple[str, Token]]:
    words = f"{before} {preposition.lower_}".strip()
    for child in preposition.children:
        if child.dep_ == "pobj":
            for noun in coordinated(child):
                yield words, noun
        elif child.dep_ == "prep" or (child.dep_ == "pcomp" and child.pos_ == "ADP"):  # "out of", "because of"
            yield from _objects(child, words)
        elif child.dep_ == "conj" and child.pos_ == "ADP":  # "in and around"
            yield from _objects(child, before)


def _modifiers(head: Token, *, with_prepositions: bool) -> Iterator[int]:
    """Indices of the words that belong to the noun, punctuation left out."""
    waiting = [head]
    while waiting:
        word = waiting.pop()
        yield word.i
        for child in word.children:
            top = word is head
            if child.dep_ in CLAUSES or child.is_punct or child.is_space:
                continue
            if top and child.dep_ in {"conj", "cc"}:
                continue
            if top and child.dep_ == "prep" and not (with_prepositions and _belongs(child, head)):
                continue
            if child.dep_ in {"conj", "cc"} and child.pos_ in {"VERB", "AUX"}:
                continue
            waiting.append(child)


def _belongs(preposition: Token, head: Token) -> bool:
    """Whether a prepositional phrase is part of what a noun names: of a name, only "of Tuscany" is."""
    return not head.ent_type_ or preposition.lower_ == "of"


def _with_entity(head: Token, indices: set[int]) -> set[int]:
    """The indices, and those of the named entity that the head is in, which the parser may have torn apart."""
    if not head.ent_type_:
        return indices
    first = last = head.i
    while head.doc[first].ent_iob_ == "I" and first > 0:
        first -= 1
    while last + 1 < len(head.doc) and head.doc[last + 1].ent_iob_ == "I":
        last += 1
    return indices | set(range(first, last + 1))


def _inner_punctuation(head: Token, kept: set[int]) -> Iterator[int]:
    """Hyphens, commas and the like between two words that are kept; quotes are no part of a phrase."""
    between = (head.doc[i + 1] for i in kept if i + 2 in kept and i + 1 not in kept)
    return (mark.i for mark in between if mark.is_punct and not mark.is_quote)


def _same_entity(noun: Token, other: Token) -> bool:
    first, last = sorted((noun.i, other.i))
    return bool(noun.ent_type_) and all(noun.doc[i].ent_iob_ == "I" for i in range(first + 1, last + 1))


def _is_nominal(word: Token) -> bool:
    return word.pos_ in {"NOUN", "PROPN", "PRON", "NUM", "ADJ", "X", "SYM"}
