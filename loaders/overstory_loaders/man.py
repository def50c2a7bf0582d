"""Manual pages: man(7) and mdoc(7), as they are installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from overstory.errors import BrokenSource
from overstory.model import Document, Link, date_of
from overstory.protocols import OnBroken
from overstory.sources.paths import leads_outside
from overstory_loaders.blocks import join_blocks
from overstory_loaders.by_content import RECOGNISED_BY_BYTES
from overstory_loaders.cleaning import clean_title
from overstory_loaders.decoding import decode
from overstory_loaders.files import address, empty, is_file, read_bytes, read_head
from overstory_loaders.man_blocks import PageHead, page_blocks
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.roff import MOST_ROFF_CHARACTERS, MOST_ROFF_LINES, Roff

MAN_PAGE_BYTES = 16 * 2**20
"""Bytes of a page; the longest ones, such as that of bash, have half a megabyte."""
SEE = "SEE"
"""The type of the link from a page that only names another to that one."""

_NAME = re.compile(r"(?P<name>.+)\.(?P<section>[1-9n][A-Za-z0-9+]*|man|mdoc)(?:\.gz)?$")
_ROFF = re.compile(rb"^[.'][ \t]*(?:TH|Dd|Dt)[ \t]|\A(?:[.']\\\".*\n)*[.'][ \t]*so[ \t]", re.MULTILINE)
_ONLY_NAMES = re.compile(r"(?:[.']\\\".*+\n|[^\S\n]*+\n)*+[.'][ \t]*+so[ \t]++(\S++)\s*+(?:[.']\\\".*+\s*+)*+")
_CODING = re.compile(rb"-\*-.*?coding:\s*([\w-]+)")
_LATIN = {"latin1", "latin-1", "iso-8859-1", "iso8859-1"}


class ManLoader:
    """Manual pages, titled as they are called: `ls(1)`."""

    name = "man"
    isolated = True

    def recognises(self, source: str) -> bool:
        """By a name like `ls.1` or `ls.1.gz`, or `.man`, and the macros of a page in its first bytes."""
        if not _NAME.match(Path(source).name) or not is_file(source):
            return False
        try:
            return bool(_ROFF.search(read_head(source, RECOGNISED_BY_BYTES)))  # bytes: an old page may be in Latin-1
        except BrokenSource:
            return False

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Link]:
        """One document; of a page that only names another one (`.so`) a line that says so, and a link."""
        data = read_bytes(source, limit=MAN_PAGE_BYTES, remedy="Leave it out.")
        found = _CODING.search(data.partition(b"\n")[0])
        declared = found[1].decode().lower() if found else None
        page = decode(data, source, declared="cp1252" if declared in _LATIN else None).replace("\r\n", "\n")
        named = _NAME.match(Path(source).name)
        name = named["name"] if named else Path(source).name
        section = named["section"] if named and named["section"] not in ("man", "mdoc") else ""
        if (other := _ONLY_NAMES.fullmatch(page)) is not None:
            yield from _alias(source, f"{name}({section})" if section else name, other[1])
            return
        missing: list[str] = []
        roff, head = Roff(page, lambda path: _included(source, path, missing)), PageHead()
        outlined = join_blocks(page_blocks(roff, head))
        if not outlined.text:
            raise empty(source)
        if missing:
            on_broken(BrokenSource(f"includes {missing[0]}, which cannot be read", source=source))
        if roff.cut:
            on_broken(
                BrokenSource(
                    f"becomes more than {MOST_ROFF_LINES:,} lines or {MOST_ROFF_CHARACTERS:,} characters, and is read "
                    "up to there",
                    source=source,
                )
            )
        section = section or head.section
        metadata: dict[str, object] = {
            "manual_section": section or None,
            "date": date_of(head.date) or head.date or None,
            "program": head.program or None,
            "manual": head.manual or None,
        }
        title = f"{name}({section})" if section else name
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=clean_title(title),
            metadata=clean_metadata(metadata, dates_in_text=False).values,
            headings=outlined.headings,
        )


def _alias(source: str, title: str, path: str) -> Iterator[Document | Link]:
    other = Path(path).name
    found = _NAME.match(other)
    called = f"{found['name']}({found['section']})" if found else other
    title = clean_title(title)
    yield Document(
        source=address(source), source_key="", text=clean_title(f"{title} is described in {called}."), title=title
    )
    if (target := _page_below(source, path)) is not None:
        yield Link(address(source), "", "", target_source=address(str(target)), type=SEE)


def _page_below(source: str, path: str) -> Path | None:
    """The file of a page that another names, in the folders of the same manual; None if there is none."""
    folder = Path(source).absolute().parent
    for base in (folder.parent, folder):
        for suffix in ("", ".gz"):
            found = base / f"{path}{suffix}"
            is_below = ".." not in Path(path).parts and not Path(path).is_absolute()
            if is_below and is_file(found) and not leads_outside(found):
                return found
    return None


def _included(source: str, path: str, missing: list[str]) -> str:
    found = _page_below(source, path)
    try:
        if found is not None and found != Path(source).absolute():
            return decode(read_bytes(str(found), limit=MAN_PAGE_BYTES), str(found))
    except BrokenSource:
        pass
    missing.append(path)
    return ""
