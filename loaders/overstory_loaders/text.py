"""Plain text files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory_loaders.by_content import head_of, without_ending
from overstory_loaders.cleaning import clean_text, clean_title
from overstory_loaders.code_grammars import is_script
from overstory_loaders.decoding import read_text
from overstory_loaders.files import address, empty, has_suffix, stem
from overstory_loaders.mail_headers import metadata_of, without_transport
from overstory_loaders.metadata import clean_metadata

SUFFIXES = (".txt", ".text", ".log", ".adoc", ".asciidoc", ".org")

_PARTED = re.compile(r"(?<=[^\W\d_A-Z])\u2010\n([^\S\n]*)([^\W\d_A-Z]\S*)[^\S\n]?")
"""A word that groff, which prints manual pages, has parted at a line end: its hyphen is not the one of keyboards."""


def _is_plain(head: str) -> bool:
    return bool(head.strip()) and not is_script(head)


class TextLoader:
    """Plain text, and light markup that is readable as it is; the title is the file name, of a message its subject."""

    name = "text"

    def recognises(self, source: str) -> bool:
        """By name; a file whose name has no ending by its content."""
        return has_suffix(source, SUFFIXES, compressed=True) or (without_ending(source) and _is_plain(head_of(source)))

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:  # noqa: ARG002
        """One document; the fields of a message (`from`, `to`, `cc`, `date`) become metadata."""
        text = clean_text(read_text(source))
        if not text:
            raise empty(source)
        text, fields = without_transport(_PARTED.sub(r"\2\n\1", text))
        yield Document(
            source=address(source),
            source_key="",
            text=text,
            title=clean_title(fields.get("subject") or stem(source)),
            metadata=clean_metadata(metadata_of(fields)).values,
        )
