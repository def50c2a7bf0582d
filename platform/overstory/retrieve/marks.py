"""Marks of what matched: where hits have the words of a question, and which of their sentences has most of them."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from overstory.model import Evidence, Hit
from overstory.retrieve.question import LONGEST_QUESTION
from overstory.text.questions.asked_words import AskedWords


def with_marks(evidence: Evidence) -> Evidence:
    """The evidence with `Hit.matches` and `Hit.sentence`, whatever retriever found it; marks of its own stay.

    Takes time in proportion to the characters of question and hits.
    """
    words = AskedWords.of(unicodedata.normalize("NFC", evidence.question[:LONGEST_QUESTION]))
    return replace(evidence, hits=tuple(_marked(hit, words) for hit in evidence.hits))


def _marked(hit: Hit, words: AskedWords) -> Hit:
    spans = () if hit.matches or hit.sentence else words.spans(hit.text)
    return replace(hit, matches=spans, sentence=words.best_sentence(hit.text, spans)) if spans else hit
