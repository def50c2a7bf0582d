"""Print how many words of files the loaders read, by format.

    python -m benchmarks.word_recall FOLDER [--references FOLDER] [--least 0.95]

A word counts once per file, in lower case. The words that a file contains are those of its reference, a file with the
same path below the folder of references and the added ending `.txt`. Without references, they are read in another way
than the loaders do: PDF with pdftotext (which has to be installed), Office files from their XML, HTML and e-mail with
Python's parsers. Files that cannot be read in that way, or contain fewer than 5 words, are not counted. Files below
`--least` are listed with their missing words.
"""

from __future__ import annotations

import argparse
import email
import email.policy
import re
import shutil
import subprocess
import sys
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

from overstory.model import Document
from overstory.sources import ReadOptions, read_sources

_LEAST_WORDS = 5
_LISTED_WORDS = 8
_WORD = re.compile(r"[^\W_]+")
_UNSEEN = frozenset({"script", "style", "template", "noscript", "title", "svg", "select", "textarea", "button"})
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr"})
_PARTS: Mapping[str, re.Pattern[str]] = {
    "docx": re.compile(r"word/(?:document|footnotes|endnotes)\.xml"),
    "pptx": re.compile(r"ppt/(?:slides|notesSlides)/[^/]+\.xml"),
    "xlsx": re.compile(r"xl/(?:sharedStrings|worksheets/[^/]+)\.xml"),
    "odt": re.compile(r"content\.xml"),
    "ods": re.compile(r"content\.xml"),
    "odp": re.compile(r"content\.xml"),
}
_TEXTS = frozenset({"t"})
"""Elements with the text of Office files. Others have instructions, formulas and deletions."""
_DROPPED = frozenset({"annotation", "tracked-changes", "AlternateContent"})


class _Visible(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._unseen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        style = (dict(attrs).get("style") or "").replace(" ", "").lower()
        if (self._unseen and tag not in _VOID) or tag in _UNSEEN or "display:none" in style:
            self._unseen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._unseen:
            while self._unseen.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.texts.append(data)


def _of_html(data: bytes) -> str:
    parser = _Visible()
    parser.feed(data.decode("utf-8"))
    return " ".join(parser.texts)


def _of_mail(data: bytes) -> str:
    if b"\0" in data[:2]:
        data = data.decode("utf-16-be" if data[0] == 0 else "utf-16-le").encode()
    elif data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16").encode()
    body = email.message_from_bytes(data, policy=email.policy.default).get_body(("plain", "html"))
    if body is None:
        raise ValueError("no body")
    content = str(body.get_content())
    return _of_html(content.encode()) if body.get_content_type() == "text/html" else content


def _of_pdf(path: Path) -> str:
    return subprocess.run(["pdftotext", "-q", path, "-"], capture_output=True, check=True).stdout.decode()


def _of_office(path: Path, kind: str) -> str:
    with zipfile.ZipFile(path) as archive:
        parts = [name for name in archive.namelist() if _PARTS[kind].fullmatch(name)]
        roots = [ElementTree.fromstring(archive.read(name)) for name in parts]  # noqa: S314 # files that you chose
    return "\n".join("".join(_texts(root, kind)) for root in roots)


def _texts(element: ElementTree.Element, kind: str) -> Iterator[str]:
    """Yield the texts of an element, with a break after each paragraph, cell and tab."""
    name = element.tag.rpartition("}")[2]
    if name in _DROPPED:
        return
    if kind.startswith("od") or name in _TEXTS:
        yield element.text or ""
    for child in element:
        yield from _texts(child, kind)
        if kind.startswith("od"):
            yield child.tail or ""
    if name in {"p", "h", "tab", "br", "si", "c", "s", "line-break"}:
        yield " "


def words(text: str) -> set[str]:
    return set(_WORD.findall(unicodedata.normalize("NFKC", text).lower().replace("\xad", "")))


def expected_text(path: Path) -> str:
    """Return the text of a file, read in another way than a loader reads it.

    Raises:
        Exception: the file is damaged, or its format is not known.
    """
    kind = path.suffix.lower().lstrip(".")
    by_kind: Mapping[str, Callable[[], str]] = {
        "pdf": lambda: _of_pdf(path),
        "html": lambda: _of_html(path.read_bytes()),
        "htm": lambda: _of_html(path.read_bytes()),
        "eml": lambda: _of_mail(path.read_bytes()),
        **{office: lambda: _of_office(path, kind) for office in _PARTS},
    }
    return by_kind[kind]()


def loaded_words(path: Path) -> set[str]:
    """Return the words of all documents that the loaders make of a file, with their titles."""
    items = read_sources(
        [str(path)], loader=None, on_broken=lambda _: None, on_skipped=lambda _: None, options=ReadOptions()
    )
    return {word for item in items if isinstance(item, Document) for word in words(f"{item.title}\n{item.text}")}


def main() -> None:
    parser = argparse.ArgumentParser(description="Print how many words of files the loaders read.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--references", type=Path, help="folder with a text for each file")
    parser.add_argument("--least", type=float, default=0.95, help="recall of a file that is read well")
    options = parser.parse_args()
    if options.references is None and shutil.which("pdftotext") is None:
        print("pdftotext is not installed: PDF files are not counted", file=sys.stderr)
    recalls: dict[str, list[float]] = defaultdict(list)
    for path in sorted(options.folder.rglob("*")):
        try:
            if options.references is None:
                expected = words(expected_text(path))
            else:
                relative = path.relative_to(options.folder)
                expected = words(options.references.joinpath(f"{relative}.txt").read_text("utf-8"))
        except Exception:  # noqa: BLE001, S112 # a file without an independent reading is not counted
            continue
        if len(expected) < _LEAST_WORDS:
            continue
        missing = expected - loaded_words(path)
        recall = 1 - len(missing) / len(expected)
        recalls[path.suffix.lower().lstrip(".")].append(recall)
        if recall < options.least:
            shown = " ".join(sorted(missing)[:_LISTED_WORDS])
            print(
                f"{recall:.3f} {path.relative_to(options.folder)}: {len(missing)} of {len(expected)} missing: {shown}"
            )
    print(f"\n{'format':8}{'files':>7}{'mean':>8}{f'≥ {options.least}':>8}")
    recalls["all"] = [each for found in recalls.values() for each in found]
    for kind, found in recalls.items():
        read = sum(each >= options.least for each in found)
        print(f"{kind:8}{len(found):7}{sum(found) / max(1, len(found)):8.3f}{read:8}")


if __name__ == "__main__":
    main()
