"""Whether passages answer a question at all: by its words, its names, and the sentence that is nearest to it.

`benchmarks/answerable.py` measures the rule on answerable and unanswerable questions; docs/answers.md has its table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import key_words

WEIGHT_OF_WORDS = 0.5
WEIGHT_OF_NAMES = 1.0
LEAST = 1.65
"""The least sum of cosine, words and names. Chosen on half of the questions of the benchmark so that 95 % of those that
the passages answer are answered; raising it refuses more of both kinds."""

_STEM = 5
_ENDINGS = ("ing", "ed", "es", "s", "er", "ion", "ly")
_LEAST_STEM = 4
_TOKEN = re.compile(r"\w+(?:['’_./-]\w+)*")
_INSIDE = re.compile(r"[\d_]|(?<=\w)[A-Z]")
"""What makes a token a name also at the beginning of a question."""
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts without spaces between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well passages fit a question; each from 0 to 1.

    Attributes:
        cosine: of the question and the sentence nearest to it.
        words: the share of the question's content words that stand in the passages or their titles.
        names: the same for the words of its names and numbers; 1.0 where it has none.
    """

    cosine: float
    words: float
    names: float

    @property
    def score(self) -> float:
        return self.cosine + WEIGHT_OF_WORDS * self.words + WEIGHT_OF_NAMES * self.names

    @property
    def answers(self) -> bool:
        """Whether the passages answer the question, as far as these figures show it."""
        return self.score >= LEAST


def fit_of(question: str, passages: Iterable[str], cosines: Iterable[float]) -> Fit:
    """How well passages fit a question.

    Args:
        passages: their titles and texts.
        cosines: of the question and each sentence; none count as 0.
    """
    there: set[str] = set()
    for passage in passages:
        there |= content_words(passage)
    asked, names = content_words(question), _name_words(question)
    return Fit(max([0.0, *cosines]), _share(asked, there), _share(names & asked, there))


def content_words(text: str) -> frozenset[str]:
    """The words that carry meaning, without their endings; of scripts without spaces, all pairs of letters."""
    words = (word for word in key_words(text) if word not in FUNCTION_WORDS)
    return frozenset(part for word in words for part in _parts(word))


def _parts(word: str) -> Iterable[str]:
    if _UNSPACED.search(word):
        return (word[at : at + 2] for at in range(max(1, len(word) - 1)))
    return (_stem(word),)


def _stem(word: str) -> str:
    """Cheap, and the same for "report" and "reporting": only equality matters."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word[: -len(ending)][:_STEM]
    return word[:_STEM]


def _name_words(question: str) -> frozenset[str]:
    """Content words of what the question writes like a name, a number or an identifier."""
    tokens = _TOKEN.findall(question)
    names = [token for at, token in enumerate(tokens) if _INSIDE.search(token) or (at and token[0].isupper())]
    return frozenset(word for name in names for word in content_words(name))


def _share(wanted: frozenset[str], there: set[str]) -> float:
    return len(wanted & there) / len(wanted) if wanted else 1.0
