"""POD, the documentation of Perl: files of their own, and what stands between the code of modules."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterator

from overstory.errors import BrokenSource
from overstory.model import Document
from overstory.protocols import OnBroken
from overstory_loaders.blocks import INDENT, Block, join_blocks
from overstory_loaders.cleaning import clean_title
from overstory_loaders.decoding import decode
from overstory_loaders.files import address, empty, has_suffix, is_file, open_bytes, read_bytes, reading, stem

SUFFIXES = (".pod",)
WITH_CODE = (".pm", ".pl")
"""Suffixes of files of Perl that may have POD."""
SEARCHED_FOR_POD_BYTES = 2**20
"""Bytes of a file of Perl in which POD is looked for: it often stands below the code."""
_DEEPEST_POD_CODES = 50
"""Formatting codes within each other."""

_COMMAND = re.compile(r"=([a-zA-Z]\w*)\s*(.*)", re.DOTALL)
_POD = re.compile(rb"^=(?:head[1-6]|pod|over|encoding|item|begin)\b", re.MULTILINE)
_ENCODING = re.compile(rb"^=encoding\s+([\w-]+)", re.MULTILINE)
_LATIN = frozenset({"latin1", "latin-1", "iso-8859-1", "iso8859-1", "cp1252"})
_OPENS = re.compile(r"([A-Z])(<<+(?=\s)|<)|((?<!\s)\s*+>+)")
_HEADING = re.compile(r"head([1-6])$")
_NUMBERED = re.compile(r"\(?\d{1,4}[.)]?")
_CHARACTERS = {"sol": "/", "verbar": "|", "lchevron": "«", "rchevron": "»"}


class PodLoader:
    """POD files, and Perl modules with POD, titled by their NAME section or file name."""

    name = "pod"
    isolated = True

    def recognises(self, source: str) -> bool:
        """By name; a file of Perl by POD in it."""
        if has_suffix(source, SUFFIXES):
            return True
        if not (has_suffix(source, WITH_CODE) and is_file(source)):
            return False
        try:
            with open_bytes(source) as stream, reading(source):
                return bool(_POD.search(stream.read(SEARCHED_FOR_POD_BYTES)))
        except BrokenSource:
            return False

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document]:  # noqa: ARG002
        """One document; the code of a module is left out."""
        data = read_bytes(source)
        found = _ENCODING.search(data)
        declared = found[1].decode().lower() if found else ""
        text = decode(data, source, declared="cp1252" if declared in _LATIN else None)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        outlined = join_blocks(pod_blocks(text))
        if not outlined.text:
            raise empty(source, "it has no POD" if text.strip() else "")
        yield Document(
            source=address(source),
            source_key="",
            text=outlined.text,
            title=clean_title(_name(outlined.text)) or clean_title(stem(source, (*SUFFIXES, *WITH_CODE))),
            headings=outlined.headings,
        )


def _name(text: str) -> str:
    """What the first section says that is documented: "File::Find" of "NAME / File::Find - Traverse a tree"."""
    heading, _, rest = text.partition("\n\n")
    line = rest.partition("\n")[0]
    name, dash, _ = line.partition(" - ")
    return name if heading.strip().upper() == "NAME" and dash and len(name.split()) == 1 else ""


def pod_blocks(text: str) -> Iterator[Block]:
    """The blocks of the POD in a text with "\\n" line ends."""
    inside = False
    skipped = ""
    lists: list[str] = []
    tags: list[str] = []
    verbatim: list[str] = []
    after_item = False
    for paragraph in _paragraphs(text):
        found = _COMMAND.match(paragraph)
        command, rest = (found[1], found[2]) if found else ("", "")
        if not command and (not inside or skipped):
            continue
        if verbatim and (command or not paragraph[:1].isspace()):
            yield _verbatim(tags, verbatim)
        if not command:
            if paragraph[:1].isspace():
                verbatim.append(paragraph.expandtabs().rstrip())
                continue
            body = plain_pod(" ".join(paragraph.split()))
            if tags:
                bullet = tags[-1] if tags[-1].endswith(" ") else ""
                yield Block("\n".join([*tags[: -1 if bullet else None], (bullet or INDENT) + body]), tight=after_item)
                after_item = bool(bullet)
                tags.clear()
            else:
                after_item = False
                yield Block(body)
            continue
        inside = command != "cut"
        if command == "end":
            skipped = ""
        elif skipped:
            continue
        elif command == "begin":
            skipped = "" if rest.strip().lstrip(":").split()[:1] == ["text"] else "begin"
        elif heading := _HEADING.match(command):
            yield from _left(tags)
            lists.clear()
            yield Block(plain_pod(" ".join(rest.split())), int(heading[1]))
        elif command == "over":
            yield from _left(tags)
            lists.append("")
        elif command == "back":
            yield from _left(tags)
            after_item = False
            if lists:
                lists.pop()
        elif command == "item":
            mark, _, words = rest.strip().partition(" ")
            words = " ".join(words.split())
            if mark == "*" or (_NUMBERED.fullmatch(mark)):
                yield from _left(tags)
                mark = "- " if mark == "*" else f"{mark} "
                if words:
                    yield Block(mark + plain_pod(words), tight=after_item)
                    after_item = True
                else:
                    tags.append(mark)
            else:
                tags.append(plain_pod(" ".join(rest.split())))
    if verbatim:
        yield _verbatim(tags, verbatim)
    yield from _left(tags)


def _verbatim(tags: list[str], paragraphs: list[str]) -> Block:
    """Code, after the items that it is the text of."""
    code = textwrap.dedent("\n\n".join(paragraphs))
    paragraphs.clear()
    if not tags:
        return Block(code)
    block = Block("\n".join([*tags, textwrap.indent(code, INDENT)]))
    tags.clear()
    return block


def _left(tags: list[str]) -> Iterator[Block]:
    """Items without a text."""
    if tags:
        yield Block("\n".join(tags))
        tags.clear()


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs; a line that begins a command begins one, as in the files of careless authors."""
    lines: list[str] = []
    for line in text.split("\n"):
        if not line.strip() or (line.startswith("=") and _COMMAND.match(line)):
            if lines:
                yield "\n".join(lines)
            lines = [line] if line.strip() else []
        else:
            lines.append(line)
    if lines:
        yield "\n".join(lines)


def plain_pod(text: str) -> str:
    """A text without formatting codes: `C<< a > b >>` is "a > b", `L<File::Find/find>` "find in File::Find"."""
    if "<" not in text:
        return text
    parts: list[list[str]] = [[]]
    codes: list[tuple[str, int]] = []
    place = 0
    for found in _OPENS.finditer(text):
        if found.start() < place:
            continue
        if found[1]:
            if len(codes) < _DEEPEST_POD_CODES:
                parts[-1].append(text[place : found.start()])
                parts.append([])
                codes.append((found[1], len(found[2])))
                place = found.end()
            continue
        at, marks = found.start(), len(found[3].lstrip())
        while codes and codes[-1][1] <= marks:
            code, width = codes.pop()
            spaces = at if width > 1 else found.end() - marks
            parts[-1].append(text[place:spaces])
            inner = "".join(parts.pop())
            parts[-1].append(_decoded(code, inner.strip() if width > 1 else inner))
            marks -= width
            at = place = found.end() - marks
    while codes:  # a code that is never closed is none
        code, width = codes.pop()
        inner = "".join(parts.pop())
        parts[-1].append(code + "<" * width + inner)
    return "".join(parts[0]) + text[place:]


def _decoded(code: str, text: str) -> str:
    match code:
        case "E":
            if text in _CHARACTERS:
                return _CHARACTERS[text]
            number = text.removeprefix("0x") if text.startswith("0x") else text
            if text.isdecimal() or text.startswith("0x"):
                return html.unescape(f"&#{'x' if text.startswith('0x') else ''}{number};")
            return html.unescape(f"&{text};")
        case "X" | "Z":
            return ""
        case "L":
            shown, bar, _ = text.partition("|")
            if bar:
                return shown
            page, slash, section = text.partition("/")
            if not slash or "://" in text:
                return text
            section = section.strip('"')
            return f"{section} in {page}" if page else section
        case _:
            return text
