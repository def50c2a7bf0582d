"""The text that is embedded for a chunk. Chunking counts it, and embedders name it in their fingerprints."""

from __future__ import annotations

from collections.abc import Sequence

from overstory.model.boilerplate import squeezed

TEMPLATE = "title, heading, text; one a line; 1"
"""Names the template in the fingerprints of embedders; changes whenever `passage_text` may give another text."""

PATH_SEPARATOR = " › "


def passage_text(title: str, heading: str, text: str, boilerplate: Sequence[int] = ()) -> str:
    """Title, path of headings and text, one a line; what is empty, or says the title again, is left out.

    Args:
        boilerplate: the spans of the text that are left out, as `without_boilerplate` takes them.
    """
    text = squeezed(text, boilerplate)
    if heading == title:
        heading = ""
    elif title:
        heading = heading.removeprefix(title + PATH_SEPARATOR)
    return "\n".join(part for part in (title, heading, text) if part)
