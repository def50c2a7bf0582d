"""Pure functions that return the sentences, mentions and facts in a parsed text."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from overstory.model import FactStatement, Mention
from overstory.text.extraction.facts import facts
from overstory.text.extraction.mentions import likely_type, mention, plausible, shaped_names, surroundings
from overstory.text.parsing.readings import Reading
from overstory.text.sentences import sentence_starts

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span


class Parsed(NamedTuple):
    """The results of an `overstory.model.Extraction`, without the id of the chunk."""

    sentences: tuple[int, ...]
    mentions: tuple[Mention, ...]
    facts: tuple[FactStatement, ...]


def parsed(doc: Doc) -> Parsed:
    """Return the sentences, mentions and facts in a parsed text.

    If the pipeline does not set sentence boundaries, sentences are split by rules. Without a dependency parse, no facts
    are found.
    """
    text = doc.text  # a variable, because spaCy builds the string again at each access
    starts = starts_of(doc, text)
    around = surroundings(text, starts)
    spans: list[tuple[Mention, Span]] = []
    taken: set[int] = set()
    for shape in shaped_names(around):
        span = doc.char_span(shape.start, shape.end, alignment_mode="expand")
        if span is None:
            continue
        sentence = bisect_right(starts, shape.start) - 1
        found = Mention(text[shape.start : shape.end], shape.type, sentence, shape.start, shape.end)
        taken.update(range(span.start, span.end))
        spans.append((found, span))
    for entity in doc.ents:
        sentence = bisect_right(starts, entity.start_char) - 1
        named = mention(text, entity.start_char, entity.end_char, type_=entity.label_, sentence=sentence)
        verb = len(entity) == 1 and entity[0].tag_.startswith("VB")
        named = plausible(named, around, verb=verb) if named is not None else None
        if named is not None and taken.isdisjoint(range(entity.start, entity.end)):
            spans.append((named, entity))
    spans.sort(key=lambda each: each[0].start)
    found_names = [found for found, _ in spans]
    mentions = [
        replace(found, type=likely_type(found, text, before, after))
        for found, before, after in zip(found_names, [None, *found_names], [*found_names[1:], None], strict=False)
    ]
    of_token = {token: number for number, (_, span) in enumerate(spans) for token in range(span.start, span.end)}
    return Parsed(tuple(starts), tuple(mentions), facts(doc, of_token))


def starts_of(doc: Doc, text: str) -> list[int]:
    """Return the offset of each sentence's first character, as set by the pipeline or else found by rules."""
    if doc.has_annotation("SENT_START"):
        return [0, *(sentence.start_char for sentence in doc.sents if sentence.start > 0)]
    return sentence_starts(text)


def united(parts: list[tuple[int, Parsed]]) -> Parsed:
    """Merge the findings in the parts of a text, given as (offset of the part's first character, findings)."""
    if len(parts) == 1:
        return parts[0][1]
    sentences: list[int] = []
    mentions: list[Mention] = []
    stated: list[FactStatement] = []
    for offset, part in parts:
        of_sentence, of_mention, of_fact = len(sentences), len(mentions), len(stated)
        sentences += [offset + start for start in part.sentences]
        mentions += [
            Mention(m.surface, m.type, of_sentence + m.sentence, offset + m.start, offset + m.end)
            for m in part.mentions
        ]
        stated += [
            replace(
                f,
                sentence=of_sentence + f.sentence,
                position=of_fact + f.position,
                subject_mention=None if f.subject_mention is None else of_mention + f.subject_mention,
                object_mention=None if f.object_mention is None else of_mention + f.object_mention,
            )
            for f in part.facts
        ]
    return Parsed(tuple(sentences), tuple(mentions), tuple(stated))


def decoded(fields: list[Any]) -> Parsed:
    """Restore findings from JSON lists."""
    sentences, mentions, stated = fields
    return Parsed(
        tuple(sentences), tuple(Mention(*each) for each in mentions), tuple(FactStatement(*each) for each in stated)
    )


FINDINGS = Reading("overstory.text.extraction.findings:FINDINGS", parsed, united, decoded)
"""The `Reading` that extracts the sentences, mentions and facts in a parsed text."""
