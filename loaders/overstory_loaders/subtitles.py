"""Loads subtitles (SRT and WebVTT). The spoken text is divided into paragraphs that begin with their time."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from overstory.display import counted
from overstory.errors import BrokenSource
from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_text, clean_title
from overstory_loaders.files import address, empty, has_suffix, stem
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.text_encoding import read_clean_text

SUFFIXES = (".srt", ".vtt")
_LONGEST_SILENCE_SECONDS = 3.0
"""Maximum silence within a paragraph. A longer silence ends the paragraph."""
_FULL_PARAGRAPH_CHARACTERS = 400
"""A paragraph longer than this (about 30 seconds) ends with its current sentence, or at the latest at twice the length.
"""

_SHOWN_CUE_CHARACTERS = 60

_CUE = re.compile(r"[ \t]*((?:\d+:)?\d{1,2}:\d{1,2}[.,]\d{1,3})[ \t]*-->[ \t]*((?:\d+:)?\d{1,2}:\d{1,2}[.,]\d{1,3})")
_SPEAKER = re.compile(r"<v(?:\.[^\s<>]{0,100})?[ \t]{1,10}([^<>\n]{1,200})>")
_MARKUP = re.compile(r"</?[a-zA-Z0-9][^<>]*>|\{\\[^{}]*\}")
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_OF_WEBVTT = re.compile(r"\s*(?:WEBVTT|NOTE|STYLE|REGION|X-TIMESTAMP-MAP)(?![\w])")
_SENTENCE_END = (".", "!", "?", "…", ".”", '."', "。", "！", "？")
_LANGUAGE = re.compile(r"\.([a-z]{2}(?:[-_][A-Za-z]{2,4})?)(?:\.(?:sdh|cc|forced))?$")
"""Matches the language at the end of a file name without its suffix, such as ".en" in "film.en"."""


@dataclass(frozen=True, slots=True)
class _Cue:
    start: float
    end: float
    text: str


class SubtitleLoader:
    """Loader for SRT and WebVTT files. The title is the file name without its language and suffix."""

    name = "subtitles"
    isolated = True

    def recognises(self, source: str) -> bool:
        return has_suffix(source, SUFFIXES)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """Yield one document, without markup and repeated lines. Subtitles without a time are reported and left out."""
        text = read_clean_text(source)
        timeless: list[str] = []
        cues = list(_cues(text, timeless))
        if not cues:
            raise BrokenSource(
                "has no subtitles: no line like 00:01:02,000 --> 00:01:04,000",
                source=source,
                remedy="Check the file; if it is a text, name it .txt.",
            )
        speech = "\n\n".join(_paragraphs(cues))
        if not speech:
            raise empty(source, "it contains no spoken text")
        if timeless:
            first = " ".join(timeless[0].split())[:_SHOWN_CUE_CHARACTERS]
            on_broken(
                BrokenSource(
                    f"{counted(len(timeless), 'block')} left out for lack of a time; the first one: {first!r}",
                    source=source,
                    remedy="Add a line like 00:01:02,000 --> 00:01:04,000 to each; a cue must not contain blank lines.",
                    hides=False,
                )
            )
        name = stem(source, SUFFIXES)
        language = _LANGUAGE.search(name)
        yield Document(
            source=address(source),
            source_key="",
            text=clean_text(speech),
            title=clean_title(name[: language.start()] if language else name),
            metadata=clean_metadata(
                {"language": language[1].replace("_", "-") if language else None, "seconds": cues[-1].end}
            ).values,
        )


def _cues(text: str, timeless: list[str]) -> Iterator[_Cue]:
    """Yield the cues, which are texts with a start and an end time. WebVTT notes and styles are skipped.

    Args:
        timeless: list to which all other blocks without a time are appended.
    """
    for block in _BLANK_LINES.split(text):
        lines = block.split("\n")
        for number, line in enumerate(lines[:2]):
            if (times := _CUE.match(line)) is not None:
                shown = _SPEAKER.sub(r"\1: ", "\n".join(lines[number + 1 :]))
                yield _Cue(_seconds(times[1]), _seconds(times[2]), html.unescape(_MARKUP.sub("", shown)))
                break
        else:
            if not _OF_WEBVTT.match(block) and not block.strip().isdecimal():
                timeless.append(block)


def _paragraphs(cues: list[_Cue]) -> Iterator[str]:
    words: list[str] = []
    length = 0
    start = end = 0.0
    last = ""
    for cue in cues:
        lines = [" ".join(line.split()) for line in cue.text.split("\n")]
        # In scrolling captions, each line occurs in two consecutive cues.
        lines = [line for place, line in enumerate(lines) if line and not (place == 0 and line == last)]
        is_full = length > _FULL_PARAGRAPH_CHARACTERS and words[-1].endswith(_SENTENCE_END)
        if words and (cue.start - end > _LONGEST_SILENCE_SECONDS or is_full or length > 2 * _FULL_PARAGRAPH_CHARACTERS):
            yield f"[{_clock(start)}] {' '.join(words)}"
            words, length = [], 0
        if not words:
            start = cue.start
        words += lines
        length += sum(map(len, lines))
        end = cue.end
        last = lines[-1] if lines else last
    if words:
        yield f"[{_clock(start)}] {' '.join(words)}"


def _seconds(time: str) -> float:
    *hours, minutes, seconds = time.replace(",", ".").split(":")
    return int(hours[0] if hours else 0) * 3600 + int(minutes) * 60 + float(seconds)


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
