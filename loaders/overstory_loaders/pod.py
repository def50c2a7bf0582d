"""Loads POD, Perl's documentation format, from POD files and Perl modules. pod2html converts it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from overstory.errors import BrokenSource
from overstory.model import Document
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_title, join_blocks
from overstory_loaders.files import address, empty, has_suffix, is_file, open_bytes, read_bytes, reading, stem
from overstory_loaders.html import parse_page
from overstory_loaders.html_blocks import page_blocks
from overstory_loaders.programs import installed_program, output_of
from overstory_loaders.text import PERL_SUFFIXES
from overstory_loaders.text_encoding import decode

SUFFIXES = (".pod",)
SEARCHED_FOR_POD_BYTES = 2**20
"""Number of bytes at the beginning of a Perl file that are searched for POD, which often follows the code."""

_POD = re.compile(rb"^=(?:head[1-6]|pod|over|encoding|item|begin)\b", re.MULTILINE)
_ENCODING = re.compile(rb"^=encoding\s+([\w-]+)", re.MULTILINE)
_LATIN = frozenset({"latin1", "latin-1", "iso-8859-1", "iso8859-1", "cp1252"})
_ENCODING_LINE = re.compile(r"^=encoding\b.*", re.MULTILINE)
_ERRORS = '<h1 id="POD-ERRORS">'
"""Beginning of the section in which pod2html lists the errors in the markup."""


class PodLoader:
    """Loader for POD files and for Perl files with POD. The title comes from the NAME section or the file name."""

    name = "pod"
    isolated = True

    def recognises(self, source: str) -> bool:
        """Return True for files with the suffix `.pod`, and for Perl files that contain POD."""
        if has_suffix(source, SUFFIXES):
            return True
        if not (has_suffix(source, PERL_SUFFIXES) and is_file(source)):
            return False
        try:
            with open_bytes(source) as stream, reading(source):
                return bool(_POD.search(stream.read(SEARCHED_FOR_POD_BYTES)))
        except BrokenSource:
            return False

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document]:
        """Yield one document with the documentation, without the Perl code."""
        data = read_bytes(source)
        found = _ENCODING.search(data)
        declared = found[1].decode().lower() if found else ""
        text = decode(data, source, declared="cp1252" if declared in _LATIN else None)
        text = _ENCODING_LINE.sub("=encoding utf-8", text.replace("\r\n", "\n").replace("\r", "\n"))
        program = installed_program("pod2html", remedy="Install Perl: apt-get install perl")
        given = text if found else f"=encoding utf-8\n\n=cut\n\n{text}"
        markup = output_of([program, "--noindex", "--quiet"], given, source, on_broken=on_broken)
        outlined = join_blocks(page_blocks(parse_page(markup.partition(_ERRORS)[0], source).root))
        if not outlined.text:
            raise empty(source, "it has no POD" if text.strip() else "")
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=clean_title(_name(outlined.text)) or clean_title(stem(source, (*SUFFIXES, *PERL_SUFFIXES))),
            headings=outlined.headings,
        )


def _name(text: str) -> str:
    """Return the name in a NAME section such as "File::Find - Traverse a tree"; "" if there is none."""
    heading, _, rest = text.partition("\n\n")
    line = rest.partition("\n")[0]
    name, dash, _ = line.partition(" - ")
    return name if heading.strip().upper() == "NAME" and dash and len(name.split()) == 1 else ""
