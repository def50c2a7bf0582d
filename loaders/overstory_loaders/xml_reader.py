"""Reads untrusted XML files as a stream, without access to other files and with limited nesting.

Declarations of entities that expand to text are rejected so that a small file cannot expand to a large text.
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
from overstory_loaders.encoding_labels import codec_of_declaration
from overstory_loaders.text_encoding import CONVERT, LINE_CHARACTER_LIMIT, marked_encoding, other_encoding

_MOST_ELEMENTS_DEEP = 1_000
_MOST_TREE_LEVELS = 250
"""Maximum depth of an element tree, which is limited because recursive functions traverse it."""
_MOST_TREE_ELEMENTS = 1_000_000
"""Maximum number of elements in a tree. So many elements take about 300 MB."""
NAMESPACE_END = " "
"""Separator between the namespace and the name of an element or attribute."""

_READ_BYTES = 2**16
_DECLARED_BYTES = 200
_DECLARED = re.compile(rb"""\s*+<\?xml\b[^>]*?\sencoding\s*+=\s*+["']([\w:.-]++)""")
_REMEDY = "Check it with: xmllint --noout FILE"


class XmlReader:
    """Reads XML and passes its contents to three functions.

    Args:
        part: name that identifies the XML in messages if it is a part of the source, such as a member of an archive.
        start: function that is called with the name and attributes of each element that begins. A name in a namespace
            has the form "namespace name".
        end: function that is called with the name of each element that ends.
        characters: function that is called with each text.
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
        parser.EntityDeclHandler = self._declare_entity
        self._read = 0
        self._depth = 0

    @property
    def line(self) -> int:
        return self._parser.CurrentLineNumber

    def read(self, stream: IO[bytes]) -> Iterator[bool]:
        """Read a stream piece by piece. After each, yield True if anything other than white space has been read so far.

        Raises:
            BrokenSource: the stream is not XML, declares entities that expand to text, or nests elements too deeply.
        """
        anything = False
        size = _READ_BYTES
        if not self._part and (codec := _codec_of(stream, self._source)):
            self._parser.Parse("", False)  # makes expat expect UTF-8, whatever the XML declares
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
        """Return an error that names the current line or, for a part of the source, the part."""
        line = None if self._part else self.line
        return BrokenSource(f"{self._part}{message}", source=self._source, line=line, remedy=remedy)

    def _next_size(self, read: int) -> int:
        """Return the number of bytes to read next.

        Inside a tag or comment, this is as many bytes as have been read of it so far. Before version 2.6, expat parses
        an unfinished tag again with every piece. Pieces of constant size would therefore take quadratic time.
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
        except (LookupError, ValueError) as error:  # Python does not know the declared encoding
            raise self.broken(f"cannot be read: {error}", remedy="Convert it to UTF-8.") from error

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > self._deepest:
            raise self.broken(f"nests elements more than {self._deepest:,} deep", remedy="Leave it out.")
        self._start_of(name, attributes)

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._end_of(name)

    def _declare_entity(self, name: str, *declaration: object) -> None:
        *_, notation = declaration
        if notation:  # an unparsed entity is a file in another format, such as a picture
            return
        raise self.broken(f"declares the entity {name[:100]!r}, which is not allowed", remedy="Replace it by its text.")


class _AsUtf8:
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
    """Return the codec of XML; "" if expat detects it.

    A byte order mark overrides the declaration. If the declared encoding is unknown or missing, the XML is UTF-8 or in
    the user's fallback encoding. expat cannot decode most encodings with several bytes per character.
    """
    head = stream.read(_DECLARED_BYTES)
    stream.seek(0)
    if marked := marked_encoding(head):
        return marked
    if b"\0" in head:
        return ""
    declared = _DECLARED.match(head)
    codec = codec_of_declaration(declared[1].decode("ascii", "replace")) if declared is not None else None
    if codec is None or codec == "utf-8":
        codec = other_encoding(stream, source) if has_fallback() else None
    return codec or "utf-8"


class XmlEvent(NamedTuple):
    """An event that occurs while XML is read.

    Attributes:
        kind: "start" for the beginning of an element, "end" for its end, or "text".
        name: name of the element without its namespace, or the text.
        attributes: attributes of an element that begins, by name without namespace.
    """

    kind: str
    name: str
    attributes: dict[str, str]


def xml_events(stream: IO[bytes], source: str, *, part: str = "") -> Iterator[XmlEvent]:
    """Yield the elements and texts of XML as events, in order and lazily.

    Raises:
        BrokenSource: the XML is empty, or `XmlReader.read` rejects it.
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
    """An element, with its child elements and texts in order."""

    name: str
    attributes: dict[str, str]
    children: list[XmlElement | str] = field(default_factory=list["XmlElement | str"])

    def elements(self) -> Iterator[XmlElement]:
        """Return the direct child elements."""
        return (child for child in self.children if isinstance(child, XmlElement))

    def all(self, name: str = "") -> Iterator[XmlElement]:
        """Yield all descendants in document order or, if a name is given, only descendants with that name."""
        for child in self.elements():
            if not name or child.name == name:
                yield child
            yield from child.all(name)

    def first(self, name: str) -> XmlElement | None:
        """Return the first descendant with the given name; None if there is none."""
        return next(self.all(name), None)

    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)


def read_element(start: XmlEvent, events: Iterator[XmlEvent], source: str) -> XmlElement:
    """Return the element that the event `start` opens, with its contents. This consumes all events up to its end.

    Raises:
        BrokenSource: the element has too many descendants.
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
    """Return the contents of an XML file as a tree.

    Raises:
        BrokenSource: `xml_events` rejects the XML, or it has too many elements.
    """
    events = xml_events(stream, source, part=part)
    return read_element(next(events), events, source)


def local_name(name: str) -> str:
    """Return the name of an element or attribute without its namespace."""
    return name.rpartition(NAMESPACE_END)[2]
