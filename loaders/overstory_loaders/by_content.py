"""Files whose names do not say what they are: looked at by their first bytes."""

from __future__ import annotations

import codecs
from pathlib import Path

from overstory.errors import BrokenSource
from overstory_loaders.decoding import is_binary, marked_encoding
from overstory_loaders.files import is_file, read_head

RECOGNISED_BY_BYTES = 8192
"""As many bytes of a file are looked at."""


def without_ending(source: str) -> bool:
    """Whether a file's name has no ending (README, copyright, Makefile), or `.gz` alone."""
    name = Path(source).name.removesuffix(".gz")
    return "." not in name and is_file(source)


def head_of(source: str) -> str:
    """The first characters of a file that is text, decompressed; "" for one that is empty, binary, or in another
    encoding than UTF-8 without a byte order mark."""
    try:
        head = read_head(source, RECOGNISED_BY_BYTES)
        text = codecs.getincrementaldecoder(marked_encoding(head) or "utf-8")().decode(head)
    except (BrokenSource, UnicodeError):
        return ""
    return "" if is_binary(text) else text


def interpreter(head: str) -> str:
    """What the first line of a script names ("#!/usr/bin/env python3.11" gives "python"), without its version; ""
    for what is no script."""
    line = head.partition("\n")[0].removeprefix("\ufeff")
    words = [word.rpartition("/")[2] for word in line[2:].split()] if line.startswith("#!") else []
    if words and words[0] == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[0].rstrip("0123456789.-") if words else ""
