"""Measure how well the times at which a fact holds are read from sentences: benchmarks/own_folder/time_spans.jsonl.

    python -m benchmarks.time_spans [--lines odd|even|all] [--wrong] [--json FILE]

A span is right if both ends are, with their precision. Precision is the share of right ones among the spans read, and
recall among the spans that the sentences state. The odd lines (the default) are for development, the even lines for the
final measurement, so `--wrong` shows sentences of odd lines only.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from overstory.text.time_spans import fact_span

FILE = Path(__file__).resolve().parent / "own_folder" / "time_spans.jsonl"
LINES = {"odd": slice(0, None, 2), "even": slice(1, None, 2), "all": slice(None)}

Ends = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class ReadSpan:
    """The time span of a sentence as labelled and as read: first and last time, each None if not stated."""

    language: str
    text: str
    stated: Ends
    read: Ends

    @property
    def right(self) -> bool:
        return self.stated == self.read


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", choices=list(LINES), default="odd", help="lines of the file to read (odd)")
    parser.add_argument("--wrong", action="store_true", help="show sentences that were read wrongly")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was read to this file")
    arguments = parser.parse_args()
    if arguments.wrong and arguments.lines != "odd":
        parser.error("--wrong is for --lines odd: the other lines are for the final measurement")
    lines = FILE.read_text(encoding="utf-8").splitlines()[LINES[arguments.lines]]
    spans = [read(json.loads(line)) for line in lines]
    for span in spans if arguments.wrong else ():
        if not span.right:
            print(f"{span.language}  {span.text}\n    stated {shown(span.stated)}, read {shown(span.read)}")
    print(*table(spans), sep="\n")
    if arguments.json:
        objects = [asdict(span) for span in spans]
        arguments.json.write_text(json.dumps(objects, ensure_ascii=False, indent=1), encoding="utf-8")
    return 0


def read(row: dict[str, str | None]) -> ReadSpan:
    language, text = row["language"] or "", row["text"] or ""
    found = fact_span(text, language)
    ends = (found.holds_from, found.holds_to) if found else (None, None)
    first, last = (None if end is None else str(end) for end in ends)
    return ReadSpan(language, text, (row["holds_from"], row["holds_to"]), (first, last))


def shown(ends: Ends) -> str:
    return " to ".join(end or "…" for end in ends) if any(ends) else "nothing"


def table(spans: Sequence[ReadSpan]) -> Iterator[str]:
    yield "| language | sentences | spans | read | right | precision | recall |\n|---|---|---|---|---|---|---|"
    for language in (*dict.fromkeys(span.language for span in spans), "all"):
        chosen = [span for span in spans if language in (span.language, "all")]
        stated = sum(any(span.stated) for span in chosen)
        found = [span for span in chosen if any(span.read)]
        right = sum(span.right for span in found)
        shares = [f"{right / of:.3f}" if of else "–" for of in (len(found), stated)]
        yield f"| {language} | {len(chosen)} | {stated} | {len(found)} | {right} | {' | '.join(shares)} |"


if __name__ == "__main__":
    sys.exit(main())
