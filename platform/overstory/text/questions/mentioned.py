"""What a question, or a part of one, is about: the names and the noun phrases in it."""

from __future__ import annotations

from collections.abc import Iterable

from overstory.text.coreference.references import Reference
from overstory.text.names.keys import entity_key
from overstory.text.names.tokens import tokenise
from overstory.text.questions.names import longest_unknown


def mentioned(text: str, references: Iterable[Reference]) -> list[str]:
    """Names and noun phrases of several words, as written, then the other words in capitals: nothing else sets the
    title of a film apart from the words of a question.

    Args:
        references: those of the text.
    """
    names = [reference.surface for reference in references if reference.salient]
    return names + longest_unknown(text, tokenise(text), {entity_key(name) for name in names})
