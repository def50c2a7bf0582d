"""The simpler questions that a question is made of, by rules: split at clauses, and where it compares."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from overstory.text.coreference import references
from overstory.text.coreference.references import Reference, References
from overstory.text.parsing.readings import Reading

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_MOST_QUESTION_PARTS = 6


class QuestionPart(NamedTuple):
    """A simpler question, and the pieces of the question that it is made of, from and to which character each."""

    text: str
    pieces: tuple[tuple[int, int], ...]

    def holds(self, character: int) -> bool:
        """Whether it has what begins at this character of the question."""
        return any(start <= character < stop for start, stop in self.pieces)


class QuestionParts(NamedTuple):
    """A question's parts, at least one, and what it refers to."""

    parts: tuple[QuestionPart, ...]
    references: References

    def referred_to(self, part: QuestionPart) -> list[Reference]:
        """References of a part."""
        return [reference for reference in self.references.references if part.holds(reference.start)]


def question_parts(doc: Doc) -> QuestionParts:
    """Sub-questions, the question's own words; the question itself where there is nothing to split.

    "Which is older, A or B?" gives "Which is older, A?" and "Which is older, B?"; "Who wrote the film that A directed?"
    gives "Who wrote the film?" and "the film that A directed".
    """
    parts: list[QuestionPart] = []
    for sentence in doc.sents if doc.has_annotation("SENT_START") else ():
        found = [*_compared(sentence), *_clauses(sentence)]
        parts += found or [_part(sentence, range(sentence.start, sentence.end))]
    told_apart = {part.text: part for part in reversed(parts) if part.text}
    whole = QuestionPart(doc.text.strip(), ((0, len(doc.text)),))
    return QuestionParts(
        tuple(reversed(told_apart.values()))[:_MOST_QUESTION_PARTS] or (whole,), references.references(doc)
    )


def _compared(sentence: Span) -> Iterator[QuestionPart]:
    """The question for each of two names that "or" or "and" joins, without the other."""
    for second in sentence:
        first = second.head
        if second.dep_ != "conj" or first.i >= second.i or not (_is_name(first) and _is_name(second)):
            continue
        begins, ends = first.left_edge.i, second.right_edge.i
        joins = next((child.i for child in first.children if child.dep_ == "cc"), None)
        if joins is None or not begins <= first.i < joins < second.i <= ends:
            continue
        yield _without(sentence, range(joins, ends + 1))
        yield _without(sentence, range(begins, joins + 1))
        return


def _clauses(sentence: Span) -> Iterator[QuestionPart]:
    """The question without its relative clauses, and each of these with the noun that it is said of."""
    clauses = [token for token in sentence if token.dep_ == "relcl" and token.head.i < token.left_edge.i]
    inside = {i for clause in clauses for i in range(clause.left_edge.i, clause.right_edge.i + 1)}
    if not clauses or len(inside) + 2 >= len(sentence):
        return
    yield _without(sentence, inside)
    for clause in clauses:
        said_of = range(clause.head.left_edge.i, clause.head.i + 1)
        yield _part(sentence, [*said_of, *range(clause.left_edge.i, clause.right_edge.i + 1)])


def _is_name(token: Token) -> bool:
    return token.pos_ == "PROPN" or bool(token.ent_type_)


def _without(sentence: Span, left_out: Collection[int]) -> QuestionPart:
    return _part(sentence, [token.i for token in sentence if token.i not in left_out])


def _part(sentence: Span, kept: Collection[int]) -> QuestionPart:
    tokens = [sentence.doc[i] for i in sorted(kept)]
    words = " ".join("".join(token.text_with_ws for token in tokens).split())
    for mark in (",", "?"):
        words = words.replace(f" {mark}", mark)
    pieces = tuple((token.idx, token.idx + len(token.text)) for token in tokens)
    return QuestionPart(words.replace(",?", "?").strip(), pieces)


def united(parts: list[tuple[int, QuestionParts]]) -> QuestionParts:
    """Those of all parts of a very long question, the first of them."""
    found = [
        QuestionPart(part.text, tuple((offset + start, offset + stop) for start, stop in part.pieces))
        for offset, of_part in parts
        for part in of_part.parts
    ]
    together = references.united([(offset, part.references) for offset, part in parts])
    return QuestionParts(tuple(found[:_MOST_QUESTION_PARTS]), together)


def decoded(fields: list[Any]) -> QuestionParts:
    """JSON's lists as what they were."""
    parts, referred = fields
    pieces = ((text, tuple((start, stop) for start, stop in each)) for text, each in parts)
    return QuestionParts(tuple(QuestionPart(*each) for each in pieces), references.decoded(referred))


QUESTION_PARTS = Reading("overstory.text.questions.parts:QUESTION_PARTS", question_parts, united, decoded)
"""The simpler questions that a question is made of, and what it refers to."""
