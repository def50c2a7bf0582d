"""Reads the names of encodings that files declare, as browsers do."""

from __future__ import annotations

import codecs

from webencodings import lookup

_WIDER = {"gbk": "gb18030"}
"""Encodings that are read in one that contains them and more, as browsers do."""


def codec_of_label(label: str) -> str | None:
    """Return the codec for the declared name of an encoding; None if it is unknown.

    The name is looked up in the table of browsers (WHATWG), in which "latin1" means Windows-1252, then among the names
    that Python knows.
    """
    known = lookup(label)
    for name in (known.codec_info.name if known is not None else label, label):
        try:
            codec = codecs.lookup(name).name
            (b" " * 4).decode(codec)  # fails for codecs that do not return text, such as "hex"
        except (LookupError, UnicodeError, ValueError):
            continue
        return _WIDER.get(codec, codec)
    return None


def codec_of_declaration(label: str) -> str | None:
    """Return the codec for a name that a file declares in ASCII letters; None if it is unknown.

    If the letters of the declaration take one byte each, the file is not UTF-16 or UTF-32, whatever it declares.
    """
    codec = codec_of_label(label)
    return "utf-8" if codec is not None and codec.startswith(("utf-16", "utf-32")) else codec
