"""Extraction of names from Chinese and Japanese texts.

Some names can be recognised by the script: titles in brackets (《红楼梦》, 『雪国』), foreign names in Japanese, and
words in Latin letters. All other names need a word segmenter, because no spaces separate words. It is rjieba for
Chinese and janome for Japanese.
"""

from __future__ import annotations

import functools
import re
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import zip_longest
from typing import Any, NamedTuple

from overstory.model import Mention
from overstory.text.extraction.mentions import Surroundings, mention, plausible

SEGMENTERS = {"zh": "rjieba", "ja": "janome"}
"""Package of the word segmenter for each language."""

_LEAST_NAME_CHARACTERS = 2

_TITLE = re.compile(r"[《『〈]([^《》『』〈〉\n]{2,20})[》』〉]")
_PARTS = re.compile("[\u30a1-\u30fa\u30fc]{2,12}(?:[・･][\u30a1-\u30fa\u30fc]{2,12})+")
_CAPITAL, _LATIN_LETTERS = "[A-Z\u00c0-\u00d6\u00d8-\u00de]", "[A-Za-z0-9+#\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]"
_LATIN = re.compile(
    rf"(?<![A-Za-z0-9_.=/$<\[{{\u00c0-\u024f-]){_CAPITAL}{_LATIN_LETTERS}*(?:[ -]{_CAPITAL}{_LATIN_LETTERS}*)*"
    r"(?![A-Za-z0-9_=(\[/>}\]\u00c0-\u024f])"
)
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]{2}")
_PLACEHOLDER = re.compile(r"[A-Z]{4,}")
"""Matches placeholders in manuals, such as FILE and OPTION."""

_CHINESE_NAMES = ("nr", "ns", "nt")
"""Tags of rjieba for names of people, places and organisations. Its tag for other names, "nz", is mostly wrong."""

_LEAST_FOREIGN_NAME_CHARACTERS = 3
"""Minimum length of a foreign name in Chinese. Shorter words with this tag are mostly not names."""

_LONGEST_CHINESE_PERSON_CHARACTERS = 3
"""Maximum length of a Chinese person's name. Longer words with this tag are mostly sayings and compounds."""

_CHINESE_WORDS = re.compile(
    "日志|加密|长度|中断|关联|入口|许可证?|延时|夏令时|夏时制|契约|东西|国际化|最大化|旧版本|新建|山脉|入门|余留|太多|城市|罗列|黑洞|直连|"
    "对外部|江湖|上市|杜绝|内建|非营利|确保安全|内省|高阶|高带宽|环境中运行|外国"
)
"""Matches common words that rjieba's dictionary lists as names. They are from the Debian handbook and manual pages."""

_SURNAMES = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石"
    "姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文欧張劉陳楊趙黃吳孫馬羅鄭謝韓馮蕭鄧許呂蘇盧蔣賈葉閻鐘"
)
"""First characters of common Chinese family names."""

_DOTS = frozenset("·‧")
"""Characters that separate the parts of a foreign name in Chinese."""

_TURN = threading.Lock()


class _SegmentedWord(NamedTuple):
    """A word with its offsets.

    Attributes:
        kind: "name", "joins" for a word that can only continue the name before it, or "" for other words.
    """

    start: int
    end: int
    kind: str


def segmenter_version(language: str) -> str:
    """Return the name and version of the segmenter for a language; "" if it is not installed."""
    package = SEGMENTERS[language]
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return ""


def unspaced_names(around: Surroundings, language: str) -> list[Mention]:
    """Return the names in a Chinese or Japanese text, in order and without overlaps."""
    text = around.text
    spans = [*_by_script(text), *_by_words(text, language)]
    found: list[Mention] = []
    after = 0
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        if start < after or end - start < _LEAST_NAME_CHARACTERS or _is_part_of_katakana(text, start, end):
            continue
        named = mention(text, start, end, type_="", sentence=bisect_right(around.sentences, start) - 1)
        named = plausible(named, around) if named is not None and named.surface.isascii() else named
        if named is not None:
            found.append(named)
            after = end
    return found


def _is_part_of_katakana(text: str, start: int, end: int) -> bool:
    """Return True if a span is part of a longer Katakana word, as "ウォール" is of "ファイアウォール"."""
    before, after = text[max(0, start - 1) : start + 1], text[end - 1 : end + 1]
    return _KATAKANA.fullmatch(before) is not None or _KATAKANA.fullmatch(after) is not None


def _by_script(text: str) -> Iterator[tuple[int, int]]:
    yield from (match.span(1) for match in _TITLE.finditer(text))
    yield from (match.span() for match in _PARTS.finditer(text))
    yield from (match.span() for match in _LATIN.finditer(text) if not _PLACEHOLDER.fullmatch(match.group()))


def _by_words(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the names that the segmenter finds, if it is installed. Adjacent names are merged."""
    read = _segmenter(language)
    if read is None:
        return
    start = end = -1
    for piece in read(text):
        if piece.start == end and piece.kind:
            end = piece.end
            continue
        if start >= 0:
            yield start, end
        start, end = (piece.start, piece.end) if piece.kind == "name" else (-1, -1)
    if start >= 0:
        yield start, end


@functools.cache
def _segmenter(language: str) -> Callable[[str], Iterable[_SegmentedWord]] | None:
    """Load the segmenter for a language, or return None if it is not installed. Loading takes a quarter of a second."""
    try:
        module = import_module("rjieba" if language == "zh" else "janome.tokenizer")
    except ImportError:
        return None
    return functools.partial(_chinese, module) if language == "zh" else functools.partial(_japanese, module.Tokenizer())


def _chinese(module: Any, text: str) -> Iterator[_SegmentedWord]:  # rjieba has no type annotations
    words = module.tag(text)
    at = 0
    for (word, tag), (following, _) in zip_longest(words, words[1:], fillvalue=("", "")):
        is_first_part = tag[:2] == "nr" and following in _DOTS
        kind = "joins" if word in _DOTS else "name" if is_first_part or _is_chinese_name(word, tag) else ""
        yield _SegmentedWord(at, at + len(word), kind)
        at += len(word)


def _is_chinese_name(word: str, tag: str) -> bool:
    if (
        tag[:2] not in _CHINESE_NAMES
        or len(word) < _LEAST_NAME_CHARACTERS
        or word.isascii()
        or _CHINESE_WORDS.fullmatch(word)
    ):
        return False
    if tag == "nrt":
        return len(word) >= _LEAST_FOREIGN_NAME_CHARACTERS
    return tag[:2] != "nr" or (word[0] in _SURNAMES and len(word) <= _LONGEST_CHINESE_PERSON_CHARACTERS)


def _japanese(tokenizer: Any, text: str) -> Iterator[_SegmentedWord]:
    at = 0
    with _TURN:
        tokens = list(tokenizer.tokenize(text))
    for token in tokens:
        start = text.find(token.surface, at)  # janome returns no white space
        at = start + len(token.surface)
        yield _SegmentedWord(start, at, _japanese_kind(token))


def _japanese_kind(token: Any) -> str:
    if token.surface.isascii():
        return ""
    speech = token.part_of_speech
    if speech.startswith("名詞,固有名詞"):
        return "name" if token.node_type == "SYS_DICT" else ""
    return "joins" if speech.startswith("名詞,接尾,地域") else ""
