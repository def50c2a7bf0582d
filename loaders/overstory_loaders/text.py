"""Loads plain text files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_title
from overstory_loaders.by_content import format_by_content
from overstory_loaders.code_grammars import CODE_SUFFIXES
from overstory_loaders.files import address, has_suffix, stem
from overstory_loaders.json_records import SUFFIXES as JSON_SUFFIXES
from overstory_loaders.mail_headers import metadata_of, without_header
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.text_encoding import read_clean_text

PERL_SUFFIXES = (".pm", ".pl")
"""Suffixes of Perl files. Only the documentation (POD) in these files is read."""
SUFFIXES = (".txt", ".text", ".log", ".adoc", ".asciidoc", ".org")

_SPLIT_WORD = re.compile(r"(?<=[^\W\d_A-Z])\u2010\n([^\S\n]*)([^\W\d_A-Z]\S*)[^\S\n]?")
"""Matches a word that groff has hyphenated at the end of a line. groff formats manual pages, with U+2010 as hyphen."""


class TextLoader:
    """Loader for plain text and light markup. The title is the file name or, for a message, its subject."""

    name = "text"

    def recognises(self, source: str) -> bool:
        return has_suffix(source, SUFFIXES)

    def recognises_content(self, source: str) -> bool:
        """Return True for any text file, unless its suffix is that of code, JSON or Perl."""
        left_out = has_suffix(source, (*CODE_SUFFIXES, *JSON_SUFFIXES, *PERL_SUFFIXES))
        return not left_out and format_by_content(source) == "txt"

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:  # noqa: ARG002
        """Yield one document. The header of a message is metadata (`from`, `to`, `cc` and `date`), not text."""
        text, fields = without_header(_SPLIT_WORD.sub(r"\2\n\1", read_clean_text(source)))
        yield Document(
            source=address(source),
            source_key="",
            text=text,
            title=clean_title(fields.get("subject") or stem(source, SUFFIXES)),
            metadata=clean_metadata(metadata_of(fields)).values,
        )
