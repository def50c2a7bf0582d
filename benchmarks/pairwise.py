"""Two retrievers' answers to the same questions, compared by a language model: win rates by four criteria.

    python -m benchmarks.pairwise CORPUS QUESTIONS --retriever ONE --retriever OTHER --judge MODEL [--model MODEL]

QUESTIONS is a file with a question a line, or a `queries.jsonl` of a BEIR folder (--first N takes some). Each pair of
answers is judged twice, in either order. A criterion that goes to the first answer both times, or to the second, says
more of the judge than of the answers: the share that both orders agree on is printed beside the win rates, and where it
is near one half the rates mean nothing.
Answers are reports (`--style report`), written by --model ("none": sentences of the passages).
Criteria: HiRAG, Section 5.1. Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from benchmarks.retrievers import bounds, share, show
from pydantic import BaseModel, Field

from overstory.bench.bootstrap import mean_interval
from overstory.errors import LlmError
from overstory.knowledge import Knowledge
from overstory.llm import Chat, open_chat, read_prompt
from overstory.settings import Settings

CRITERIA = ("comprehensiveness", "empowerment", "diversity", "overall")
PROMPT = read_prompt(Path(__file__).parent / "prompts" / "pairwise.md")


class Choice(BaseModel):
    """The better answer by one criterion."""

    winner: Literal[1, 2]
    why: str = Field(max_length=1_000)


class Judgement(BaseModel):
    """The better answer by each criterion."""

    comprehensiveness: Choice
    empowerment: Choice
    diversity: Choice
    overall: Choice


@dataclass(slots=True)
class Tally:
    """The judgements of one criterion.

    Attributes:
        wins: for each question 1.0 where the first retriever won in both orders, 0.5 where in one.
        agreed: for each question whether both orders named the same retriever.
        first: for each judgement whether the answer that stood first won.
    """

    wins: list[float] = field(default_factory=list[float])
    agreed: list[float] = field(default_factory=list[float])
    first: list[float] = field(default_factory=list[float])


def judged(chat: Chat, question: str, answers: Sequence[str]) -> Iterator[tuple[str, bool, bool]]:
    """Of each criterion, whether the first answer won when it stood first, and when it stood second.

    Raises:
        LlmError: the judge gave no usable answer.
    """
    one, other = answers
    straight = chat.ask_for(Judgement, PROMPT.messages(question=question, first=one, second=other)).value
    crossed = chat.ask_for(Judgement, PROMPT.messages(question=question, first=other, second=one)).value
    for criterion in CRITERIA:
        yield criterion, getattr(straight, criterion).winner == 1, getattr(crossed, criterion).winner == 2


def questions_of(path: Path) -> Iterator[str]:
    """The questions of a file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)["text"] if path.suffix == ".jsonl" else line.strip()


def compare(given: argparse.Namespace) -> None:
    """Asks, judges and prints."""
    tallies = {criterion: Tally() for criterion in CRITERIA}
    failed = asked = 0
    with (
        Knowledge(given.corpus) as knowledge,
        open_chat(Settings.from_environment(), given.judge, budget_tokens=given.budget) as chat,
    ):
        knowledge.use_model(given.model)
        judge = chat.booked("judge")
        for question in islice(questions_of(given.questions), given.first):
            asked += 1
            answers = [knowledge.ask(question, retriever=name, style="report").text for name in given.retriever]
            try:
                choices = list(judged(judge, question, answers))
            except LlmError as error:
                failed += 1
                print(f"{question}: {error}", file=sys.stderr)
                continue
            for criterion, straight, crossed in choices:
                tally = tallies[criterion]
                tally.wins.append((straight + crossed) / 2)
                tally.agreed.append(float(straight == crossed))
                tally.first += [float(straight), float(not crossed)]
        print(f"{asked} questions, {failed} not judged; the judge took {chat.usage.spent}")
    if failed == asked:
        return
    one, other = given.retriever
    rows = [["", f"{one} beats {other} [95 %]", "both orders agree", "the first answer wins"]]
    for criterion, tally in tallies.items():
        wins = mean_interval(tally.wins)
        agreed, first = (sum(each) / len(each) for each in (tally.agreed, tally.first))
        rows.append([criterion, f"{share(wins.mean)} {bounds(wins)}", share(agreed), share(first)])
    show("Pairwise", rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--retriever", action="append", required=True, metavar="NAME", help="twice")
    parser.add_argument("--judge", required=True, metavar="MODEL", help="the language model that compares")
    parser.add_argument("--model", default="none", help="the language model that answers")
    parser.add_argument("--first", type=int, default=None, metavar="N", help="so many questions")
    parser.add_argument("--budget", type=int, default=None, metavar="TOKENS", help="that the judge may take")
    given = parser.parse_args()
    if len(given.retriever) != 2:
        parser.error("name two retrievers: --retriever ONE --retriever OTHER")
    compare(given)


if __name__ == "__main__":
    main()
