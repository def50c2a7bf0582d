"""The simpler questions that a question is made of, by rules: split at clauses, and where it compares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from overstory.text.reading import Reading

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

MOST = 6


def question_parts(doc: Doc) -> tuple[str, ...]:
    """Sub-questions, the question's own words; the question itself where there is nothing to split.

    "Which is older, A or B?" gives "Which is older, A?" and "Which is older, B?"; "Who wrote the film that A directed?"
    gives "Who wrote the film?" and "the film that A directed".
    """
    parts: list[str] = []
    for sentence in doc.sents if doc.has_annotation("SENT_START") else ():
        found = [*_compared(sentence), *_clauses(sentence)]
        parts += found or [sentence.text.strip()]
    return tuple(dict.fromkeys(part for part in parts if part))[:MOST] or (doc.text.strip(),)


def _compared(sentence: Span) -> Iterator[str]:
    """The question for each of two names that "or" or "and" joins, without the other."""
    for second in sentence:
        first = second.head
        if second.dep_ != "conj" or first.i >= second.i or not (_is_name(first) and _is_name(second)):
            continue
        begins, ends = _left(first), second.right_edge.i
        joins = next((child.i for child in first.children if child.dep_ == "cc"), None)
        if joins is None or not begins <= first.i < joins < second.i <= ends:
            continue
        yield _without(sentence, range(joins, ends + 1))
        yield _without(sentence, range(begins, joins + 1))
        return


def _clauses(sentence: Span) -> Iterator[str]:
    """The question without its relative clauses, and each of these with the noun that it is said of."""
    clauses = [token for token in sentence if token.dep_ == "relcl" and token.head.i < token.left_edge.i]
    left = {i for clause in clauses for i in range(clause.left_edge.i, clause.right_edge.i + 1)}
    if not clauses or len(left) + 2 >= len(sentence):
        return
    yield _without(sentence, left)
    for clause in clauses:
        said_of = sentence.doc[_left(clause.head) : clause.head.i + 1].text
        said = sentence.doc[clause.left_edge.i : clause.right_edge.i + 1].text
        yield f"{said_of} {said}".strip(" ?")


def _is_name(token: Token) -> bool:
    return token.pos_ == "PROPN" or bool(token.ent_type_)


def _left(noun: Token) -> int:
    """Where a noun's phrase begins."""
    return int(noun.left_edge.i)


def _without(sentence: Span, left_out: set[int] | range) -> str:
    words = "".join(token.text_with_ws for token in sentence if token.i not in left_out)
    return " ".join(words.split()).replace(" ,", ",").replace(" ?", "?").replace(",?", "?")


def united(parts: list[tuple[int, tuple[str, ...]]]) -> tuple[str, ...]:
    """Those of all parts of a long question, the first of them."""
    return tuple(dict.fromkeys(each for _, part in parts for each in part))[:MOST]


def decoded(fields: list[Any]) -> tuple[str, ...]:
    """JSON's list as what it was."""
    return tuple(fields)


QUESTION_PARTS = Reading("overstory.text.question_parts:QUESTION_PARTS", question_parts, united, decoded)
"""The simpler questions that a question is made of."""
