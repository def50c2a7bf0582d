"""XML as a stream, from anybody: no entity is read, nothing outside the file is fetched, and nesting has a limit.

Declarations of entities are refused, so that a small file cannot become a large text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, NamedTuple, cast
from xml.parsers import expat

from overstory.errors import BrokenSource
from overstory.sources.encodings import has_fallback
from overstory_loaders.text_encoding import CONVERT, LINE_CHARACTER_LIMIT, marked_encoding, other_encoding

_MOST_ELEMENTS_DEEP = 1_000
_MOST_TREE_LEVELS = 250
"""Levels of elements that are read as a tree, which functions walk that call themselves."""
_MOST_TREE_ELEMENTS = 1_000_000
"""Elements of a tree: some 300 MB."""
NAMESPACE_END = " "
"""Between the namespace and the name of an element or an attribute."""

_READ_BYTES = 2**16
_DECLARED_BYTES = 200
_DECLARED = re.compile(rb"""\s*+<\?xml\b[^>]*?\sencoding\s*+=\s*+["']([\w:.-]++)""")
_REMEDY = "Check it with: xmllint --noout FILE"


class XmlReader:
    """Reads XML, and calls three functions with what is in it.

    Args:
        part: names the XML in messages where it is not the whole source, such as a member of an archive.
        start: called with the name and the attributes of an element that begins; names are "namespace name".
        end: called with the name of an element that ends.
        characters: called with text.
        deepest: how deep elements may be nested.
    """

    def __init__(
        self,
        source: str,
        *,
        part: str = "",
        start: Callable[[str, dict[str, str]], object],
        end: Callable[[str], object],
        characters: Callable[[str], object],
        deepest: int = _MOST_ELEMENTS_DEEP,
    ) -> None:
        self._source = source
        self._deepest = deepest
        self._part = f"{part}: " if part else ""
        self._start_of, self._end_of = start, end
        self._parser = parser = expat.ParserCreate(namespace_separator=NAMESPACE_END)
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = characters
        parser.EntityDeclHandler = self._refuse
        self._read = 0
        self._depth = 0

    @property
    def line(self) -> int:
        """The line that is being read."""
        return self._parser.CurrentLineNumber

    def read(self, stream: IO[bytes]) -> Iterator[bool]:
        """Reads a stream part by part; after each, whether there was anything but white space until now.

        Raises:
            BrokenSource: it is no XML, or declares entities, or nests elements too deeply.
        """
        anything = False
        size = _READ_BYTES
        if not self._part and (codec := _codec_of(stream, self._source)):
            self._parser.Parse("", False)  # from now on it takes bytes for UTF-8, whatever they declare
            stream = cast("IO[bytes]", _AsUtf8(stream, codec, self._source))
        while part := stream.read(size):
            anything = anything or bool(part.strip())
            self._parse(part, is_last=False)
            size = self._next_size(len(part))
            yield anything
        if anything:
            self._parse(b"", is_last=True)
        yield anything

    def broken(self, message: str, *, remedy: str) -> BrokenSource:
        """The error that names the line."""
        line = None if self._part else self.line
        return BrokenSource(f"{self._part}{message}", source=self._source, line=line, remedy=remedy)

    def _next_size(self, read: int) -> int:
        """How many bytes to read next. While a tag or a comment is open, as many as it has until now: until 2.6
        expat begins it again with every part, which takes the square of its length in parts of one size.
        """
        self._read += read
        pending = self._read - self._parser.CurrentByteIndex
        if pending > LINE_CHARACTER_LIMIT:
            raise self.broken(
                f"has a tag, a comment or an instruction of more than {LINE_CHARACTER_LIMIT // 2**20} MiB",
                remedy="Shorten it.",
            )
        return max(_READ_BYTES, min(pending, LINE_CHARACTER_LIMIT + 1 - pending))

    def _parse(self, part: bytes, *, is_last: bool) -> None:
        try:
            self._parser.Parse(part, is_last)
        except expat.ExpatError as error:
            message = expat.ErrorString(error.code)
            raise self.broken(f"is not well-formed XML: {message}", remedy=_REMEDY) from error
        except (LookupError, ValueError) as error:  # an encoding that Python does not know
            raise self.broken(f"cannot be read: {error}", remedy="Convert it to UTF-8.") from error

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > self._deepest:
            raise self.broken(f"nests elements more than {self._deepest:,} deep", remedy="Leave it out.")
        self._start_of(name, attributes)

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._end_of(name)

    def _refuse(self, name: str, *_declaration: object) -> None:
        raise self.broken(
            f"declares the entity {name[:100]!r}, and entities are not read", remedy="Write out what it stands for."
        )


class _AsUtf8:
    """A stream in another encoding, whose bytes are read as UTF-8."""

    def __init__(self, stream: IO[bytes], codec: str, source: str) -> None:
        self._stream, self._decoder = stream, codecs.getincrementaldecoder(codec)()
        self._codec, self._source = codec, source

    def read(self, size: int) -> bytes:
        try:
            while data := self._stream.read(size):
                if text := self._decoder.decode(data):
                    return text.encode()
            return self._decoder.decode(b"", final=True).encode()
        except UnicodeError as error:
            raise BrokenSource(f"is not {self._codec.upper()}: {error}", source=self._source, remedy=CONVERT) from error


def _codec_of(stream: IO[bytes], source: str) -> str:
    """The codec of XML that expat cannot read by itself: one of several bytes a character that is declared, or where
    nothing is declared, that of the run; "" for other XML."""
    head = stream.read(_DECLARED_BYTES)
    stream.seek(0)
    if marked_encoding(head) or b"\0" in head:
        return ""
    declared = _DECLARED.match(head)
    if declared is None:
        return other_encoding(stream, source) or "" if has_fallback() else ""
    try:
        codec = codecs.lookup(declared[1].decode("ascii", "replace")).name
        return "" if len(bytes(range(256)).decode(codec, "replace")) == 256 else codec
    except (LookupError, UnicodeError):
        return ""  # expat says so


class XmlEvent(NamedTuple):
    """What stands in XML: the beginning of an element ("start", with attributes), its end ("end"), or text ("text").

    Attributes:
        name: of an element, without its namespace; of a text, the text.
        attributes: by their names without namespaces.
    """

    kind: str
    name: str
    attributes: dict[str, str]


def xml_events(stream: IO[bytes], source: str, *, part: str = "") -> Iterator[XmlEvent]:
    """What stands in XML, in order, lazily.

    Raises:
        BrokenSource: as `XmlReader.read`; it is empty.
    """
    events: list[XmlEvent] = []
    none: dict[str, str] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        plain = {local_name(key): value for key, value in attributes.items()}
        events.append(XmlEvent("start", local_name(name), plain))

    reader = XmlReader(
        source,
        part=part,
        start=start,
        end=lambda name: events.append(XmlEvent("end", local_name(name), none)),
        characters=lambda text: events.append(XmlEvent("text", text, none)),
        deepest=_MOST_TREE_LEVELS,
    )
    is_empty = True
    for anything in reader.read(stream):
        is_empty = not anything
        yield from events
        events.clear()
    if is_empty:
        raise BrokenSource(f"{part}{': ' if part else ''}is empty", source=source, remedy="Leave it out.")


@dataclass(slots=True)
class XmlElement:
    """An element with what is in it: elements and texts, in order."""

    name: str
    attributes: dict[str, str]
    children: list[XmlElement | str] = field(default_factory=list["XmlElement | str"])

    def elements(self) -> Iterator[XmlElement]:
        """The elements right in it."""
        return (child for child in self.children if isinstance(child, XmlElement))

    def all(self, name: str = "") -> Iterator[XmlElement]:
        """The elements in it at any depth, in order; those of a name, if one is given."""
        for child in self.elements():
            if not name or child.name == name:
                yield child
            yield from child.all(name)

    def first(self, name: str) -> XmlElement | None:
        """The first element of a name in it, at any depth."""
        return next(self.all(name), None)

    def text(self) -> str:
        """All text in it."""
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)


def read_element(start: XmlEvent, events: Iterator[XmlEvent], source: str) -> XmlElement:
    """The element that an event begins, with all that is in it; takes the events up to its end.

    Raises:
        BrokenSource: there are more elements in it than fit in bearable memory.
    """
    root = XmlElement(start.name, start.attributes)
    above = [root]
    count = 0
    for event in events:
        count += event.kind == "start"
        if count > _MOST_TREE_ELEMENTS:
            raise BrokenSource(
                f"has more than {_MOST_TREE_ELEMENTS:,} elements in <{start.name}>", source=source, remedy="Split it."
            )
        if event.kind == "text":
            above[-1].children.append(event.name)
        elif event.kind == "start":
            element = XmlElement(event.name, event.attributes)
            above[-1].children.append(element)
            above.append(element)
        else:
            above.pop()
            if not above:
                break
    return root


def read_tree(stream: IO[bytes], source: str, *, part: str = "") -> XmlElement:
    """The whole of an XML as a tree.

    Raises:
        BrokenSource: as `xml_events`.
    """
    events = xml_events(stream, source, part=part)
    return read_element(next(events), events, source)


def local_name(name: str) -> str:
    """The name of an element or an attribute without its namespace."""
    return name.rpartition(NAMESPACE_END)[2]
