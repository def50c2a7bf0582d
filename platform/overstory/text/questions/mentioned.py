"""What a question, or a part of one, is about: the names and the noun phrases in it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from overstory.text.coreference.references import Reference
from overstory.text.names.keys import entity_key
from overstory.text.names.tokens import tokenise
from overstory.text.questions.names import longest_unknown


def mentioned(text: str, references: Iterable[Reference]) -> list[str]:
    """Identifiers, names and noun phrases of several words, as written, then the other words in capitals: nothing else
    sets the title of a film apart from the words of a question. No pieces of identifiers: "setsid(2)" has no "2".

    Args:
        references: those of the text.
    """
    tokens = tokenise(text)
    identifiers = [text[shape.start : shape.end] for shape in tokens.shapes]
    names = identifiers + [
        reference.surface
        for reference in references
        if reference.salient and not _is_piece(reference.surface, identifiers)
    ]
    unknown = longest_unknown(text, tokens, {entity_key(name) for name in names})
    return names + [name for name in unknown if not _is_piece(name, identifiers)]


def _is_piece(name: str, identifiers: Iterable[str]) -> bool:
    """Whether it is a letter or a digit, lies within an identifier, or has half a bracket."""
    pieces = any(name in identifier for identifier in identifiers)
    return pieces or len(entity_key(name)) < 2 or not _CLOSED.fullmatch(name)


_CLOSED = re.compile(r"(?:[^()]|\([^()]*\))*+")
