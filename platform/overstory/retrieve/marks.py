"""Marks of what matched: where hits have the words of a question, and which of their sentences has most of them; and
which phrases in quotation marks none of them has."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from overstory.display import shortened
from overstory.model import Evidence, Hit
from overstory.retrieve.question import LONGEST_QUESTION_CHARACTERS
from overstory.text.questions.asked_words import AskedWords
from overstory.text.questions.quoted import quoted_phrases


def with_marks(evidence: Evidence) -> Evidence:
    """The evidence with `Hit.matches` and `Hit.sentence`, whatever retriever found it; marks of its own stay. A note
    names what the question has in quotation marks and no hit has word for word.

    Takes time in proportion to the characters of question and hits.
    """
    question = unicodedata.normalize("NFC", evidence.question[:LONGEST_QUESTION_CHARACTERS])
    words = AskedWords.of(question)
    notes = (*evidence.notes, *_not_found(question, evidence.hits))
    return replace(evidence, hits=tuple(_marked(hit, words) for hit in evidence.hits), notes=notes)


def _not_found(question: str, hits: Sequence[Hit]) -> Iterator[str]:
    phrases = quoted_phrases(question)
    texts = [_plain(f"{hit.title}\n{hit.heading}\n{hit.text}") for hit in hits] if phrases else []
    for phrase in phrases if texts else ():
        if not any(_plain(phrase) in text for text in texts):
            yield f"none of these passages has the words “{shortened(phrase)}” as they stand"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _marked(hit: Hit, words: AskedWords) -> Hit:
    spans = () if hit.matches or hit.sentence else words.spans(hit.text)
    return replace(hit, matches=spans, sentence=words.best_sentence(hit.text, spans)) if spans else hit
