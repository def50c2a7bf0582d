"""Loads Markdown files. The text is kept as it was written; a CommonMark parser finds the headings and links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from overstory.model import Document, Heading, Link, Metadata, date_of
from overstory.model.metadata import number_of
from overstory.protocols import OnBroken
from overstory.structured_text import MOST_YAML_VALUES, BeyondBounds, compose_yaml, parse_toml
from overstory_loaders.blocks import clean_text, clean_title
from overstory_loaders.files import address, empty, has_suffix, stem
from overstory_loaders.hyperlinks import hyperlinks
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.text_encoding import read_text

_YAML_OPENS = re.compile(r"---[ \t]*\n")
_YAML_CLOSES = re.compile(r"^(?:---|\.\.\.)[ \t]*$\n?", re.MULTILINE)
_TOML_FENCE = re.compile(r"^\+\+\+[ \t]*$\n?", re.MULTILINE)
_KEY = re.compile(r"[^\s#:\-][^:\n]*:(?:\s|$)")
_ENTRY = re.compile(r"^(?=[^\s#\-])", re.MULTILINE)
_WORDS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}

Scalar = str | int | float | bool | datetime | None


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The values of the front matter, and the text below it."""

    text: str
    values: Mapping[str, object] = field(default_factory=dict)


def split_front_matter(text: str) -> FrontMatter:
    """Split a text into its front matter, which is YAML between `---` or TOML between `+++`, and the text below it.

    A YAML entry that is invalid, such as `title: Rust: a guide`, is read as text. The text is not split if it merely
    begins with a horizontal rule, or if its front matter is too long, too deeply nested or has too many values.

    Args:
        text: text with "\\n" line breaks.
    """
    for opens, closes, parse in ((_YAML_OPENS, _YAML_CLOSES, _yaml), (_TOML_FENCE, _TOML_FENCE, parse_toml)):
        opening = opens.match(text)
        closing = closes.search(text, opening.end()) if opening else None
        if opening and closing:
            try:
                return FrontMatter(text[closing.end() :], parse(text[opening.end() : closing.start()]))
            except ValueError:
                return FrontMatter(text)
    return FrontMatter(text)


def _yaml(block: str) -> dict[str, object]:
    """Return the entries in a YAML block.

    Raises:
        ValueError: the block is not a mapping, has a key that is not a scalar, or exceeds the limits of `compose_yaml`.
    """
    lines = (line for line in block.splitlines() if line.strip() and not line.startswith("#"))
    if not _KEY.match(next(lines, "")):
        raise ValueError("it does not begin with an entry")
    try:
        root, _ = compose_yaml(block)
    except BeyondBounds:
        raise
    except ValueError:
        return _separate_entries(block)
    if not isinstance(root, yaml.MappingNode):
        raise ValueError("it is not a mapping")
    return _entries(root)


def _separate_entries(block: str) -> dict[str, object]:
    """Return the entries in a block that is not valid YAML. Each entry is parsed separately."""
    found: dict[str, object] = {}
    left = MOST_YAML_VALUES
    for entry in _ENTRY.split(block):
        try:
            root, values = compose_yaml(entry, most_values=left)
            found |= _entries(root) if isinstance(root, yaml.MappingNode) else {}
        except BeyondBounds:
            raise
        except ValueError:
            values = 1
            key, colon, rest = entry.partition(":")
            if colon:
                found[key.strip()] = " ".join(rest.split())
        left -= values
    return found


def _entries(node: yaml.MappingNode) -> dict[str, object]:
    if not all(isinstance(key, yaml.ScalarNode) for key, _ in node.value):
        raise ValueError("a key is a list or a mapping")
    return {str(key.value): _value(value) for key, value in node.value}


def _value(node: yaml.Node) -> object:
    if isinstance(node, yaml.SequenceNode):
        return [_value(each) for each in node.value]
    if isinstance(node, yaml.MappingNode):
        return _entries(node)
    plain = isinstance(node, yaml.ScalarNode) and node.style in (None, "")
    return _scalar(node.value) if plain else node.value.strip()


def _scalar(text: str) -> Scalar:
    """Convert an unquoted value to a number, date, boolean or None. Texts such as "007" and "1.10" stay unchanged."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    number = number_of(text)
    return number if number is not None else date_of(text) or text


Environment = dict[str, object]
"""Object through which the block parser passes link definitions to the inline parser."""

SUFFIXES = (".md", ".markdown", ".mdown", ".mkd")


class MarkdownLoader:
    """Loader for Markdown files. The title comes from the front matter, the first level-1 heading or the file name."""

    name = "markdown"

    def recognises(self, source: str) -> bool:
        return has_suffix(source, SUFFIXES)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Link]:  # noqa: ARG002
        """Yield one document, then its links to other files. The front matter becomes metadata."""
        matter = split_front_matter(clean_text(read_text(source)))
        text = matter.text.strip()
        if not text:
            raise empty(source)
        metadata = clean_metadata(matter.values, dates_in_text=False).values
        yield from markdown_document(source, text, title=str(metadata.pop("title", "")), metadata=metadata)


def markdown_document(
    source: str, text: str, *, title: str = "", metadata: Metadata | None = None
) -> Iterator[Document | Link]:
    """Yield the document of a file whose text is Markdown, then its links to other files.

    Args:
        text: result of `clean_text`. It must not be empty.
        title: title of the document. If "", the first level-1 heading or the file name is used.
    """
    headings, links = read_markdown(text)
    first = next((heading.text for heading in headings if heading.level == 1), "")
    yield Document(
        source=address(source),
        source_key="",
        text=text,
        title=clean_title(title)
        or clean_title(first)
        or clean_title(stem(source, (*SUFFIXES, Path(source).suffix.lower()))),
        metadata=metadata or {},
        headings=headings,
    )
    yield from hyperlinks(address(source), links)


def read_markdown(text: str) -> tuple[tuple[Heading, ...], list[tuple[str, str]]]:
    """Return the top-level headings of a Markdown text, and the address and text of each link.

    Headings inside quotes and lists are skipped. `Heading.text` contains no markup. `Heading.start` is the offset of
    the heading's markup, which begins with "#" or with the underlined text.

    Args:
        text: text with "\\n" line breaks.
    """
    environment: Environment = {}
    tokens = _structure().parse(text, environment)
    return _headings(text, tokens, environment), list(_links(tokens, environment))


def _headings(text: str, tokens: Sequence[Token], environment: Environment) -> tuple[Heading, ...]:
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    headings: list[Heading] = []
    for opening, content in pairwise(tokens):
        if opening.type != "heading_open" or opening.level or not opening.map:
            continue
        words = _words(content.content, environment)
        if words:
            line = opening.map[0]
            indent = len(lines[line]) - len(lines[line].lstrip())
            headings.append(Heading(start=starts[line] + indent, level=int(opening.tag[1:]), text=words))
    return tuple(headings)


def _links(tokens: Sequence[Token], environment: Environment) -> Iterator[tuple[str, str]]:
    """Yield the address and the text of each link."""
    for block in tokens:
        if block.type != "inline" or not ("[" in block.content or "<" in block.content):
            continue
        for inline in _inline().parseInline(block.content, environment):
            href, words = "", ""
            for token in inline.children or []:
                if token.type == "link_open":
                    href, words = str(token.attrGet("href") or ""), ""
                elif token.type == "link_close":
                    yield href, words
                elif token.type != "html_inline":
                    words += token.content or " "


@cache
def _structure() -> MarkdownIt:
    """Return a parser that ignores inline markup, because parsing it would take most of the time."""
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@cache
def _inline() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _words(markup: str, environment: Environment) -> str:
    """Return the text that inline markup is displayed as."""
    tokens = [child for inline in _inline().parseInline(markup, environment) for child in inline.children or []]
    shown = (
        " " if token.type in ("softbreak", "hardbreak") else token.content
        for token in tokens
        if token.type != "html_inline"
    )
    return clean_title("".join(shown))
