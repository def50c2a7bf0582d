"""A step before spaCy's parser: no sentence goes on from a heading, a list item or a paragraph to the next, and none
begins after a word of the same line.

The parser reads over line ends; it then takes "Name", the heading, and what is below for one sentence, and finds names
that span both; or it reads "Name Surname is …" below a heading as "Name" and a sentence of "Surname".
"""

from __future__ import annotations

from spacy.language import Language
from spacy.tokens import Doc

from overstory.text.layout import block_starts

NAME = "overstory_blocks"


@Language.component(NAME)
def part_blocks(doc: Doc) -> Doc:
    """Marks words that begin a sentence, and words that do not, which parser and entity recogniser keep to."""
    text = doc.text
    if "\n" in text:
        starts = set(block_starts(text))
        within = False
        for token in doc:
            if token.idx in starts:
                token.is_sent_start = True
            elif within:
                token.is_sent_start = False
            within = token.is_alpha
    return doc
