"""GraphML, as a stream: files of any size, in the memory of one vertex.

Declarations of entities are refused, so that a small file cannot become a large text, and nothing outside the file is
read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from overstory.errors import BrokenSource
from overstory.protocols import OnBroken
from overstory_loaders.files import empty, open_bytes, reading
from overstory_loaders.graph_records import LABELS, Edge, Vertex
from overstory_loaders.lines import LINE_CHARACTER_LIMIT
from overstory_loaders.place import Place

SUFFIXES = (".graphml",)
NODE_KIND = "node"
EDGE_KIND = "edge"
TYPE = "label"

_READ_BYTES = 2**16
_MOST_ELEMENTS_DEEP = 1_000
_REMEDY = "Check it with: xmllint --noout FILE"


@dataclass(frozen=True, slots=True)
class _Key:
    """A `<key>`: the name and the type of a property."""

    name: str
    type: str


@dataclass(slots=True)
class _Element:
    """A `<node>` or an `<edge>` that is being read."""

    kind: str
    attributes: Mapping[str, str]
    line: int
    values: dict[str, object] = field(default_factory=dict[str, object])


def graphml_vertices(source: str, on_broken: OnBroken) -> Iterator[Vertex]:
    """The vertices of a file, lazily."""
    for element in _ElementReader(source, NODE_KIND, on_broken).elements():
        place = Place(source, element.line)
        key = element.attributes.get("id", "")
        if not key.strip():
            on_broken(place.broken("a node has no id", remedy="Give it one, or leave it out."))
            continue
        declared = element.attributes.get(LABELS) or element.values.pop(LABELS, "")
        labels = [label for label in str(declared).split(":") if label.strip()]
        yield Vertex(place, key, labels, element.values)


def graphml_edges(source: str, on_broken: OnBroken) -> Iterator[Edge]:
    """The edges of a file, lazily."""
    for element in _ElementReader(source, EDGE_KIND, on_broken).elements():
        place = Place(source, element.line)
        start, end = element.attributes.get("source", ""), element.attributes.get("target", "")
        if not (start.strip() and end.strip()):
            on_broken(place.broken("an edge has no source or no target", remedy="Give it both, or leave it out."))
            continue
        type_ = element.attributes.get(TYPE) or element.values.pop(TYPE, "")
        yield Edge(place, start, end, str(type_), element.values)


class _ElementReader:
    """Reads the elements of one kind from a file."""

    def __init__(self, source: str, kind: str, on_broken: OnBroken) -> None:
        self._source = source
        self._kind = kind
        self._on_broken = on_broken
        self._parser = parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._refuse
        self._keys: dict[str, _Key] = {}
        self._open: list[_Element] = []
        self._data: str | None = None
        self._text: list[str] = []
        self._length = 0
        self._read = 0
        self._depth = 0
        self._ready: list[_Element] = []
        self._is_graphml = False

    def elements(self) -> Iterator[_Element]:
        """The elements as they end."""
        with open_bytes(self._source) as stream, reading(self._source):
            anything = False
            size = _READ_BYTES
            while part := stream.read(size):
                anything = anything or bool(part.strip())
                self._parse(part, is_last=False)
                size = self._next_size(len(part))
                ready, self._ready = self._ready, []
                yield from ready
            if not anything:
                raise empty(self._source)
            self._parse(b"", is_last=True)
            yield from self._ready

    def _next_size(self, read: int) -> int:
        """How many bytes to read next. While a tag or a comment is open, as many as it has until now: until 2.6
        expat begins it again with every part, which takes the square of its length in parts of one size.
        """
        self._read += read
        pending = self._read - self._parser.CurrentByteIndex
        if pending > LINE_CHARACTER_LIMIT:
            raise self._broken(
                f"has a tag, a comment or an instruction of more than {LINE_CHARACTER_LIMIT // 2**20} MiB",
                remedy="Shorten it.",
            )
        return max(_READ_BYTES, min(pending, LINE_CHARACTER_LIMIT + 1 - pending))

    def _parse(self, part: bytes, *, is_last: bool) -> None:
        try:
            self._parser.Parse(part, is_last)
        except expat.ExpatError as error:
            message = expat.ErrorString(error.code)
            raise BrokenSource(
                f"is not well-formed XML: {message}", source=self._source, line=error.lineno, remedy=_REMEDY
            ) from error
        except (LookupError, ValueError) as error:  # an encoding that Python does not know
            raise self._broken(f"cannot be read: {error}", remedy="Convert it to UTF-8.") from error

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MOST_ELEMENTS_DEEP:
            raise self._broken(f"nests elements more than {_MOST_ELEMENTS_DEEP:,} deep", remedy="Leave it out.")
        tag = name.rpartition(" ")[2]
        if not self._is_graphml:
            if tag != "graphml":
                raise self._broken(f"is not GraphML: its first element is <{tag}>", remedy="Check the file.")
            self._is_graphml = True
        if tag == "key":
            declared = _Key(attributes.get("attr.name") or attributes.get("id", ""), attributes.get("attr.type", ""))
            self._keys[attributes.get("id", "")] = declared
        elif tag == "hyperedge" and self._kind == EDGE_KIND:
            self._on_broken(
                self._broken("a hyperedge has more than two ends", remedy="Make edges of it, or leave it out.")
            )
        elif tag in (NODE_KIND, EDGE_KIND):
            self._open.append(_Element(tag, dict(attributes), self._parser.CurrentLineNumber))
        elif tag == "data" and self._open:
            self._data, self._length = attributes.get("key", ""), 0
            self._text.clear()

    def _characters(self, text: str) -> None:
        if self._data is None:
            return
        self._length += len(text)
        if self._length > LINE_CHARACTER_LIMIT:
            raise self._broken(f"has a text of more than {LINE_CHARACTER_LIMIT // 2**20} MiB", remedy="Shorten it.")
        self._text.append(text)

    def _end(self, name: str) -> None:
        self._depth -= 1
        tag = name.rpartition(" ")[2]
        if tag == "data" and self._data is not None and self._open:
            self._put(self._open[-1], self._data, "".join(self._text))
            self._data = None
        elif tag in (NODE_KIND, EDGE_KIND) and self._open:
            element = self._open.pop()
            if element.kind == self._kind:
                self._ready.append(element)

    def _put(self, element: _Element, key: str, text: str) -> None:
        if element.kind != self._kind or not text.strip():
            return
        declared = self._keys.get(key, _Key(key, "string"))
        try:
            element.values[declared.name] = _typed(text, declared.type)
        except ValueError:
            place = Place(self._source, element.line)
            self._on_broken(
                place.broken(
                    f"its {declared.name} is {text.strip()[:200]!r}, not of the type {declared.type}",
                    remedy="Correct it, or declare another type.",
                )
            )

    def _refuse(self, name: str, *_declaration: object) -> None:
        raise self._broken(
            f"declares the entity {name[:100]!r}, and entities are not read", remedy="Write out what it stands for."
        )

    def _broken(self, message: str, *, remedy: str) -> BrokenSource:
        return BrokenSource(message, source=self._source, line=self._parser.CurrentLineNumber, remedy=remedy)


def _typed(text: str, kind: str) -> object:
    match kind:
        case "int" | "long":
            return int(text)
        case "float" | "double":
            return float(text)
        case "boolean":
            return text.strip().lower() == "true"
        case _:
            return text
