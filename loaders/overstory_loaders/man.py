"""Loads manual pages in the man(7) and mdoc(7) formats. mandoc or groff formats them as for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from overstory.errors import BrokenSource
from overstory.model import Document, Link, date_of
from overstory.protocols import OnBroken
from overstory.sources.paths import leads_outside
from overstory_loaders.blocks import Block, clean_title, join_blocks
from overstory_loaders.by_content import RECOGNISED_BY_BYTES
from overstory_loaders.files import COMPRESSED_SUFFIXES, address, empty, is_file, read_bytes, read_head
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.programs import installed_program, output_of
from overstory_loaders.text_encoding import decode

MAN_PAGE_BYTES = 16 * 2**20
"""Maximum size of a page. The longest pages, such as bash(1), have half a megabyte."""
SEE = "SEE"
"""Type of the link from a page whose only content is a reference to another page."""
_LINE_CHARACTERS = 1_000
"""Line width for the formatter. It is large, so that most paragraphs become one line."""

_NAME = re.compile(r"(?P<name>.+)\.(?P<section>[1-9n][A-Za-z0-9+]*|man|mdoc)(?:\.gz|\.bz2|\.xz)?$")
_ROFF = re.compile(rb"^[.'][ \t]*(?:TH|Dd|Dt)[ \t]|\A(?:[.']\\\".*\n)*[.'][ \t]*so[ \t]", re.MULTILINE)
_ONLY_NAMES = re.compile(r"(?:[.']\\\".*+\n|[^\S\n]*+\n)*+[.'][ \t]*+so[ \t]++(\S++)\s*+(?:[.']\\\".*+\s*+)*+")
_INCLUDES = re.compile(r"^[.'][ \t]*so[ \t]+(\S+).*\n?", re.MULTILINE)
_IS_MDOC = re.compile(r"^[.'][ \t]*D[dt][ \t]", re.MULTILINE)
_CODING = re.compile(rb"-\*-.*?coding:\s*([\w-]+)")
_LATIN = {"latin1", "latin-1", "iso-8859-1", "iso8859-1"}

_REMEDY = "Install one of them: apt-get install mandoc"
_MANDOC = ("-T", "utf8", "-K", "utf-8", "-O", f"width={_LINE_CHARACTERS}")
_GROFF = (
    *("-S", "-t", "-K", "utf8", "-T", "utf8", "-P", "-cu"),
    *("-r", f"LL={_LINE_CHARACTERS}n", "-r", "HY=0", "-d", "AD=l"),
)
_MACROS_OF_MAN = ".mso an-old.tmac\n.if !d SH .mso an.tmac\n"  # this works with groff 1.22 and later versions
_MACROS_OF_MDOC = ".mso doc.tmac\n"
_WITHOUT_FILES = ".rm so soquiet mso msoquiet trf cf nx psbb hpf hpfa open opena write\n"
"""Removes the requests that open files. groff's safer mode runs no programs, but still reads the files a page names."""
_STRUCK_OVER = re.compile(".\b")
_HEADING = re.compile("( *)(\\S)\b\\2")
_SUBHEADING_INDENT = 3
_RULE = re.compile(r"\s*[\u2500-\u257f]+$")
_PLAIN = str.maketrans({"\u2010": "-", "\u2212": "-", "\u2502": "|", "\u2503": "|"})
"""Replaces typographic hyphens and minus signs by "-", and the vertical lines of tables by "|"."""
_COLUMNS = re.compile(r" {2,}")


class ManLoader:
    """Loader for manual pages. The title has the form `ls(1)`."""

    name = "man"
    isolated = True

    def recognises(self, source: str) -> bool:
        """Return True for a name such as `ls.1`, `ls.1.gz` or `ls.man` if the file contains macros of a manual page."""
        if not _NAME.match(Path(source).name) or not is_file(source):
            return False
        try:
            return bool(
                _ROFF.search(read_head(source, RECOGNISED_BY_BYTES))
            )  # bytes are searched, because old pages may be in Latin-1
        except BrokenSource:
            return False

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Link]:
        """Yield one document.

        If the page only refers to another page (`.so`), the document is a sentence that says so, and a link follows.
        """
        data = read_bytes(source, limit=MAN_PAGE_BYTES, remedy="Leave it out.")
        found = _CODING.search(data.partition(b"\n")[0])
        declared = found[1].decode().lower() if found else None
        page = decode(data, source, declared="cp1252" if declared in _LATIN else None).replace("\r\n", "\n")
        named = _NAME.match(Path(source).name)
        name = named["name"] if named else Path(source).name
        section = named["section"] if named and named["section"] not in ("man", "mdoc") else ""
        title = clean_title(f"{name}({section})" if section else name)
        if (other := _ONLY_NAMES.fullmatch(page)) is not None:
            yield from _alias(source, title, other[1])
            return
        lines = _formatted(_INCLUDES.sub("", page), source, on_broken)
        outlined = join_blocks(_blocks(lines[1:-1]))
        if not outlined.text:
            raise empty(source)
        if (included := _INCLUDES.search(page)) is not None:
            on_broken(BrokenSource(f"includes {included[1]}, which is not read", source=source))
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=title,
            metadata=clean_metadata(_metadata(section, lines), dates_in_text=False).values,
            headings=outlined.headings,
        )


def _formatted(page: str, source: str, on_broken: OnBroken) -> list[str]:
    program = installed_program("mandoc", "groff", remedy=_REMEDY)
    if Path(program).name == "mandoc":
        text = output_of([program, *_MANDOC], page, source, on_broken=on_broken)
    else:
        macros = _MACROS_OF_MDOC if _IS_MDOC.search(page) else _MACROS_OF_MAN
        text = output_of([program, *_GROFF], macros + _WITHOUT_FILES + page, source, on_broken=on_broken)
    return text.strip("\n").split("\n")


def _blocks(lines: list[str]) -> Iterator[Block]:
    """Yield the headings and the paragraphs below them. Headings are bold, and indented by at most three spaces."""
    body: list[str] = []
    for line in lines:
        heading = _HEADING.match(line)
        text = _STRUCK_OVER.sub("", line).translate(_PLAIN)
        if heading is None or len(heading[1]) > _SUBHEADING_INDENT:
            body += [] if _RULE.match(text) else [text]
            continue
        yield from _paragraphs(body)
        body.clear()
        yield Block(text, 2 if heading[1] else 1)
    yield from _paragraphs(body)


def _paragraphs(lines: list[str]) -> Iterator[Block]:
    yield from (Block(textwrap.dedent(text.strip("\n"))) for text in re.split(r"\n{2,}", "\n".join(lines)))


def _metadata(section: str, lines: list[str]) -> dict[str, object]:
    """Return the metadata of a formatted page.

    The first line contains the title of the manual in the middle, such as "User Commands". The last line contains the
    program and the date.
    """
    _, *head = _COLUMNS.split(lines[0])
    foot = _COLUMNS.split(lines[-1])
    program, date = foot[:2] if len(foot) > 2 else ("", foot[0])
    return {
        "manual_section": section or None,
        "date": date_of(date) or date or None,
        "program": program or None,
        "manual": head[0] if len(head) > 1 else None,
    }


def _alias(source: str, title: str, path: str) -> Iterator[Document | Link]:
    found = _NAME.match(Path(path).name)
    called = f"{found['name']}({found['section']})" if found else Path(path).name
    yield Document(
        source=address(source), source_key="", text=clean_title(f"{title} is described in {called}."), title=title
    )
    if (target := _page_below(source, path)) is not None:
        yield Link(address(source), "", "", target_source=address(str(target)), type=SEE)


def _page_below(source: str, path: str) -> Path | None:
    if ".." in Path(path).parts or Path(path).is_absolute():
        return None
    folder = Path(source).absolute().parent
    for base in (folder.parent, folder):
        for suffix in ("", *COMPRESSED_SUFFIXES):
            found = base / f"{path}{suffix}"
            if is_file(found) and not leads_outside(found):
                return found
    return None
