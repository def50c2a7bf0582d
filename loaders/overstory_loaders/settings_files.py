"""Loads YAML and TOML files. The text is kept as it was written, because comments explain most of these files.

The files are not parsed. Templates can therefore be loaded, and an alias cannot expand to a large text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from overstory.model import Annotation, Document, Heading
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_title
from overstory_loaders.files import address, has_suffix, stem
from overstory_loaders.text_encoding import read_clean_text

YAML, TOML = (".yaml", ".yml"), (".toml",)
SUFFIXES = (*YAML, *TOML)
_LEAST_ITEM_CHARACTERS = 200
"""Minimum length of an item of a YAML list that gets a heading."""
_LONG_SECTION_CHARACTERS = 2_000
"""Maximum length of a section without headings of its own. In a longer one, the keys inside it become headings."""
_MOST_KEY_LEVELS = 4

_NAME = r"""[\w.$/@{}<>*+-][\w .$/@{}<>*+-]{0,200}|"[^"\n]{1,200}"|'[^'\n]{1,200}'"""
_KEY = re.compile(rf"^([ ]*)(- )?({_NAME}):(?=[ \t\n]|\Z)[ \t]*(.{{0,100}})", re.MULTILINE)
_OPENS = re.compile(r"(?:[&!][^ \t]++[ \t]*+)*+(?:[|>][0-9+-]*+)?[ \t]*+(?:#.*)?")
"""Matches the value of a key whose contents follow on the lines below it.

Such a value consists of optional tags and anchors, an optional block mark ("|" or ">") and an optional comment.
"""
_TABLE = re.compile(r"^[ \t]*(\[{1,2})[ \t]*([^\[\]\n]{1,200}?)[ \t]*\]{1,2}[ \t]*(?:#.*)?$", re.MULTILINE)
_TITLE = re.compile(r"^(?:title|name)[ \t]*[:=][ \t]*(.+)$", re.MULTILINE)


class SettingsLoader:
    """Loader for YAML and TOML files. The title comes from a top-level `title` or `name`, or from the file name."""

    name = "settings"
    isolated = True

    def recognises(self, source: str) -> bool:
        return has_suffix(source, SUFFIXES)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:  # noqa: ARG002
        """Yield one document. Its headings are TOML tables, or YAML keys whose values extend over several lines."""
        text = read_clean_text(source)
        titled = _TITLE.search(text)
        title = re.sub(r"[ \t]#.*", "", titled[1]).strip().strip("'\"") if titled else ""
        yield Document(
            source=address(source),
            source_key="",
            text=text,
            title=clean_title(title) or clean_title(stem(source, SUFFIXES)),
            headings=tuple(_tables(text) if has_suffix(source, TOML) else _keys(text, 0, len(text), 1)),
        )


def _keys(text: str, start: int, end: int, level: int) -> Iterator[Heading]:
    """Yield headings for the least indented keys whose values follow on the lines below, and for keys in long sections.

    The first of several consecutive keys with plain values also becomes a heading. Otherwise they would seem to belong
    to the section above them.
    """
    found = list(_KEY.finditer(text, start, end))
    if not found or level > _MOST_KEY_LEVELS:
        return
    least = min(len(key[1]) for key in found)
    top = [key for key in found if len(key[1]) == least]
    stops = [*(key.start() for key in top[1:]), end]
    before_opens = True
    for key, stop in zip(top, stops, strict=True):
        opens = _OPENS.fullmatch(key[4]) is not None
        is_long = stop - key.start() >= _LEAST_ITEM_CHARACTERS
        if is_long if key[2] else opens or before_opens:
            name = key[3].strip("'\"")
            yield Heading(key.start(3), level, clean_title(name if opens else f"{name}: {key[4]}" if key[2] else name))
        if stop - key.end() > _LONG_SECTION_CHARACTERS:
            yield from _keys(text, key.end(), stop, level + 1)
        before_opens = opens


def _tables(text: str) -> Iterator[Heading]:
    """Yield headings for TOML tables. In an array of tables (`[[package]]`), only the first gets a heading."""
    before = ""
    for table in _TABLE.finditer(text):
        if table[2] != before:
            yield Heading(table.start(1), 1, clean_title(table[2]))
        before = table[2] if len(table[1]) > 1 else ""
