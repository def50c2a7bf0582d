"""Which sentences of a passage are navigation or headings, and answer nothing.

By words and punctuation alone: a parser would take longer than the embedder, and calls "Next" an adverb. Rows of tables
and lines like "License: GPL-3+" have no verb either, and stay: they answer questions.
"""

from __future__ import annotations

import re

from overstory.text.function_words import FUNCTION_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MOST_WORDS_OF_NAVIGATION = 40
"""A longer sentence that ends in a full stop is text, whatever links it has."""
_LEAST_HEADING_WORDS = 3
"""Words of a heading; shorter ones may be a name that answers, as in a list of authors."""

_BUTTONS = _words(
    "back backward bottom breadcrumb breadcrumbs bookmark bookmarks contents copyright download downloads edit feedback"
    " forward help home index login logout menu modules navigation next page prev previous print register search share"
    " sidebar signin signup sitemap skip source tags toc top topic topics up"
)
"""Words of buttons and links that lead through pages."""
_STEPS = _words("back backward forward home index login menu modules navigation next prev previous toc up")
"""Those that text seldom has side by side."""

_VERBS = _words(
    "am are be been being can cannot could did do does had has have is may might must shall should was were will would"
    " became become becomes came called found gave gets give gives go goes got keep keeps let made make makes need"
    " needs said say says see seem seems take takes took use used uses went"
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SEPARATOR = re.compile(r"(?:[|»«›‹→←•·⟩⟨/]|>{1,2}|<{1,2})\s++|(?<=\s)(?:[|»«›‹→←•·⟩⟨/]|>{1,2}|<{1,2})")
_ENDED = re.compile(r"[.!?…:;。！？｡][\"'”’»)\]*_」』）]*$")
_VALUE = re.compile(r"[:;,@=\"“”()]|\d\s*[-–/]\s*\d|\S[-_/.]\S")
_NUMBERING = re.compile(r"^(?:(?:Chapter|Section|Part|Appendix)\s+)?(?:[A-Z]|\d+)(?:\.\d+)*[.:)]?\s+(?=\S)")


def is_navigation(sentence: str) -> bool:
    """Whether a sentence on one line is a list of links ("index modules | next | previous"), of buttons ("Prev The
    Handbook Next") or a heading of several words ("A.3. The Debian Project")."""
    words = _WORD.findall(sentence)
    if not words or len(words) > _MOST_WORDS_OF_NAVIGATION:
        return False
    lower = [word.lower() for word in words]
    if _VERBS.intersection(lower):
        return False
    return _is_links(sentence, lower) or _is_heading(sentence, words)


def _is_links(sentence: str, words: list[str]) -> bool:
    """Several links one after another, some of which lead through pages."""
    steps = {word for word in words if word in _STEPS}
    parts = [_WORD.findall(part.lower()) for part in _SEPARATOR.split(sentence) if part.strip()]
    links = sum(_is_button(part) for part in parts)
    if steps and links > 1 and links * 3 >= len(parts):
        return True
    buttons = sum(word in _BUTTONS for word in words)
    if _ENDED.search(sentence):
        return buttons == len(words)
    if not steps:
        return False
    return (len(steps) > 1 and buttons * 4 >= len(words)) or (buttons > 1 and buttons * 2 >= len(words))


def _is_button(words: list[str]) -> bool:
    return bool(words) and sum(word in _BUTTONS for word in words) * 2 >= len(words)


def _is_heading(sentence: str, words: list[str]) -> bool:
    """No full stop, no value, and each word a capitalised one, a number, or one that carries no meaning."""
    title = _NUMBERING.sub("", sentence)
    if _ENDED.search(title) or _VALUE.search(title):
        return False
    words = _WORD.findall(title)
    if len(words) < _LEAST_HEADING_WORDS or not any(word[0].isalpha() for word in words):
        return False
    return all(word[0].isupper() or word.isdigit() or word in FUNCTION_WORDS for word in words)
