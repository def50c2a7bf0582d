"""Measure how well follow-up questions are understood without a language model: see docs/answers.md.

    python -m benchmarks.follow_ups [--held-out] [--corpus NAME] [--json FILE]

`follow_ups.jsonl` has conversations over corpora with these names, which must exist: hotpotqa (the demo's), musique,
wiki2 (2WikiMultiHopQA) and faq (Perl's manual), for each of which the passages of the conversations and about 200
others suffice, and manual (docs/ of this repository). For each follow-up question, the file has the accepted complete
questions. Each conversation is held twice: as a program does (`Knowledge.conversation`, which keeps the passages of
earlier answers), and as the page does, which sends earlier questions with their short answers.

For each corpus, the script prints how many follow-up questions were understood, how many of the others had a note with
another reading, and the mean confidence of both. wiki2 and faq are held out: they were measured only after the rules
were finished.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from overstory.answer import Answer
from overstory.knowledge import Knowledge
from overstory_service.routes.questions import ask_after

CONVERSATIONS = Path(__file__).with_name("follow_ups.jsonl")
READ = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-out", action="store_true", help="only conversations on which no rule was tuned")
    parser.add_argument("--corpus", action="append", metavar="NAME", help="only these corpora")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all questions and readings to this file")
    given = parser.parse_args()
    conversations = [json.loads(line) for line in CONVERSATIONS.read_text(encoding="utf-8").splitlines()]
    found: list[dict[str, Any]] = []
    for corpus in dict.fromkeys(each["corpus"] for each in conversations):
        if given.corpus and corpus not in given.corpus:
            continue
        held = [c for c in conversations if c["corpus"] == corpus and c.get("held_out", False) >= given.held_out]
        if not held:
            continue
        with Knowledge(corpus) as knowledge:
            knowledge.use_model("none")
            for conversation in held:
                found += in_program(knowledge, corpus, conversation["turns"])
                found += on_page(knowledge, corpus, conversation["turns"])
    if given.json:
        given.json.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")
    print(*table(found), sep="\n")
    return 0


def in_program(knowledge: Knowledge, corpus: str, turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    conversation = knowledge.conversation()
    answers = [conversation.ask(turn["typed"], READ) for turn in turns]
    return [
        judged("program", corpus, turn, answer) for turn, answer in zip(turns, answers, strict=True) if "asked" in turn
    ]


def on_page(knowledge: Knowledge, corpus: str, turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    history: list[tuple[str, str]] = []
    found: list[dict[str, Any]] = []
    for turn in turns:
        typed = turn["typed"]
        answer = ask_after(knowledge, typed, history, READ) if history else knowledge.ask(typed, READ)
        history.append((answer.question, answer.short))
        if "asked" in turn:
            found.append(judged("page", corpus, turn, answer))
    return found


def judged(way: str, corpus: str, turn: dict[str, Any], answer: Answer) -> dict[str, Any]:
    return {
        "way": way,
        "corpus": corpus,
        "typed": turn["typed"],
        "asked": answer.question,
        "expected": turn["asked"],
        "right": plain(answer.question) in {plain(each) for each in turn["asked"]},
        "noted": any("may also be" in note or "is not known" in note for note in answer.notes),
        "notes": answer.notes,
        "confidence": answer.confidence,
        "state": answer.state,
    }


def plain(question: str) -> str:
    """Return the words of a question without articles, because a title may be used with or without them."""
    return " ".join(word for word in re.findall(r"\w+", question.lower()) if word not in ("the", "a", "an"))


def table(found: list[dict[str, Any]]) -> list[str]:
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for each in found:
        groups[each["way"], each["corpus"]].append(each)
        groups[each["way"], "all"].append(each)
    lines = [
        "| way | corpus | follow-ups | understood | others noted | confidence: right | wrong |",
        "|---|---|---|---|---|---|---|",
    ]
    for way, corpus in sorted(groups, key=lambda group: (group[0], group[1] == "all")):
        asked = groups[way, corpus]
        right = [one for one in asked if one["right"]]
        wrong = [one for one in asked if not one["right"]]
        counts = f"{len(asked)} | {len(right)} | {sum(one['noted'] for one in wrong)} of {len(wrong)}"
        lines.append(f"| {way} | {corpus} | {counts} | {mean(right)} | {mean(wrong)} |")
    return lines


def mean(found: list[dict[str, Any]]) -> str:
    values = [each["confidence"] for each in found if each["confidence"] is not None]
    return f"{sum(values) / len(values):.2f}" if values else "–"


if __name__ == "__main__":
    raise SystemExit(main())
