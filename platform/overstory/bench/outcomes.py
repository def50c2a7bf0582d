"""Asks questions with expected answers and sources, judges the answers, and shows the outcomes in tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from overstory.answer import Answer, without_citations
from overstory.bench.metrics import AnswerScores, Interval, agrees, answer_scores, mean_interval
from overstory.bench.runner import Ask, answer_of
from overstory.display import on_one_line, shortened
from overstory.protocols import Progress

NOT_ANSWERED = "not answered"
UNCITED = "no passage cited"
ANOTHER_ANSWER = "another answer"
ANOTHER_GUESS = "another guess"
ANOTHER_SOURCE = "another source"
NOT_REFUSED = "not refused"

Keys = frozenset[str]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its expected answers and sources.

    Attributes:
        id: name of the question in messages, such as "line 2".
        answers: accepted answers. Empty if no answer is known or the documents do not answer the question.
        sources: for each expected source, the ids of the matching documents. An answer should cite one of these
            documents.
        named: name of each expected source, in the order of `sources`.
    """

    id: str
    text: str
    answers: tuple[str, ...] = ()
    answerable: bool = True
    sources: tuple[Keys, ...] = ()
    named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of asking a question.

    Attributes:
        scores: metrics of the answer; None if the question has no expected answers.
        precision: fraction of the cited documents that are expected; None if no document is cited or no source is
            expected.
        recall: fraction of the expected sources that are cited; None if the question was not answered or no source is
            expected.
        guess: 1 if the guess in an extractive answer agrees with an expected answer, else 0; None if there is no guess
            or the expected answers are unknown.
        cited: distinct origins of the cited passages.
    """

    asked: Asked
    answer: Answer
    scores: AnswerScores | None
    precision: float | None
    recall: float | None
    guess: float | None
    cited: tuple[str, ...]
    seconds: float

    @property
    def refused(self) -> bool:
        """True if the question was not answered. An answer without citations is not a refusal."""
        return not self.answer.answered and self.answer.state != "uncited"

    @property
    def failures(self) -> tuple[str, ...]:
        """The ways in which the answer differs from the expected answer, such as `NOT_REFUSED`; empty if none."""
        if not self.asked.answerable:
            return () if self.refused else (NOT_REFUSED,)
        if not self.answer.answered:
            return (NOT_ANSWERED if self.refused else UNCITED,)
        found: list[str] = []
        if self.scores and not self.scores.substring and not self._agrees:
            found.append(ANOTHER_ANSWER)
        elif self.guess == 0.0:
            found.append(ANOTHER_GUESS)
        if self.recall == 0.0:
            found.append(ANOTHER_SOURCE)
        return tuple(found)

    @property
    def _agrees(self) -> bool:
        return any(agrees(self.answer.short, each) for each in self.asked.answers)


@dataclass(frozen=True, slots=True)
class Measured:
    """The mean of one measure over questions, with its 95 % bootstrap interval.

    Attributes:
        of: number of questions to which the measure applies.
        interval: the mean and its interval; None if the measure applies to no question.
    """

    name: str
    of: int
    interval: Interval | None


def ask_each(ask: Ask, questions: Collection[Asked], *, name: str, progress: Progress) -> list[Outcome]:
    """Ask the questions one after another and return their outcomes. Messages refer to the retriever's `name`."""
    outcomes: list[Outcome] = []
    progress.start(f"answer {name}", len(questions), "questions")
    for asked in questions:
        begun = time.perf_counter()
        answer = answer_of(ask, asked.text, f"{name}, {asked.id}")
        outcomes.append(judged(asked, answer, seconds=time.perf_counter() - begun))
        progress.advance(1)
    right = sum(not outcome.failures for outcome in outcomes)
    progress.finish(f"{right} of {len(outcomes)} as expected")
    return outcomes


def judged(asked: Asked, answer: Answer, *, seconds: float = 0.0) -> Outcome:
    """Compare an answer with the expected answers and sources."""
    cited = _cited(answer)
    wanted = Keys().union(*asked.sources)
    right = [not documents.isdisjoint(wanted) for documents in cited.values()]
    reached = Keys().union(*cited.values())
    found = [not source.isdisjoint(reached) for source in asked.sources]
    known = bool(asked.answers) or not asked.answerable
    return Outcome(
        asked=asked,
        answer=answer,
        scores=_scores(asked, answer),
        precision=float(np.mean(right)) if right and wanted else None,
        recall=float(np.mean(found)) if found and answer.answered else None,
        guess=float(any(agrees(answer.guess, each) for each in asked.answers)) if answer.guess and known else None,
        cited=tuple(dict.fromkeys(passage.origin for each in answer.citations for passage in each.passages)),
        seconds=seconds,
    )


def measures(outcomes: Sequence[Outcome]) -> list[Measured]:
    """Return the mean of each measure over all questions to which the measure applies."""
    return [_measured(name, values(outcomes)) for name, values in _MEASURES]


def milliseconds(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Return the median and the 95th percentile of the answer times, in milliseconds."""
    p50, p95 = np.percentile([outcome.seconds * 1000.0 for outcome in outcomes], [50, 95])
    return float(p50), float(p95)


Values = Callable[[Sequence[Outcome]], "list[float]"]


def _of_scores(measure: Callable[[AnswerScores], float]) -> Values:
    return lambda outcomes: [measure(each.scores) for each in outcomes if each.scores]


_MEASURES: tuple[tuple[str, Values], ...] = (
    ("EM", _of_scores(lambda scores: scores.exact)),
    ("F1", _of_scores(lambda scores: scores.f1)),
    ("substring", _of_scores(lambda scores: scores.substring)),
    ("answered", lambda outcomes: [float(o.answer.answered) for o in outcomes if o.asked.answerable]),
    ("refused", lambda outcomes: [float(o.refused) for o in outcomes if not o.asked.answerable]),
    ("refusals right", lambda outcomes: [float(not o.asked.answerable) for o in outcomes if o.refused]),
    ("citations right", lambda outcomes: _known(o.precision for o in outcomes)),
    ("sources cited", lambda outcomes: _known(o.recall for o in outcomes)),
    ("guessed", lambda outcomes: [float(bool(o.answer.guess)) for o in outcomes]),
    ("guesses right", lambda outcomes: _known(o.guess for o in outcomes)),
    ("uncited", lambda outcomes: [float(o.answer.state == "uncited") for o in outcomes]),
    ("as expected", lambda outcomes: [float(not o.failures) for o in outcomes]),
)


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _measured(name: str, values: Sequence[float]) -> Measured:
    return Measured(name, len(values), mean_interval(values) if values else None)


def _scores(asked: Asked, answer: Answer) -> AnswerScores | None:
    if not asked.answerable or not asked.answers:
        return None
    text = without_citations(answer.text)
    return answer_scores(answer.short, text, asked.answers, answered=answer.answered, uncited=answer.state == "uncited")


def _cited(answer: Answer) -> Mapping[str, Keys]:
    """Return a map from each cited document id to the ids of all documents that contain the cited text."""
    same = {hit.chunk_id: {repeat.document_id for repeat in hit.repeats} for hit in answer.evidence.hits}
    cited: dict[str, Keys] = {}
    for citation in answer.citations:
        for passage in citation.passages:
            documents = {passage.document_id} | same.get(passage.chunk_id, set())
            cited[passage.document_id] = cited.get(passage.document_id, Keys()) | documents
    return cited


_LONGEST_CELL_CHARACTERS = 120
"""Maximum number of characters in a table cell."""

Outcomes = Mapping[str, Sequence[Outcome]]
"""Map from the name of each retriever to its outcomes."""


def as_measure_table(outcomes: Outcomes) -> Table:
    """Return a table with one row per measure and one column per retriever.

    A measure that applies to no question is left out.
    """
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 1), pad_edge=False)
    table.add_column("")
    for name in outcomes:
        table.add_column(escape(name), justify="right")
    for row in zip(*(measures(each) for each in outcomes.values()), strict=True):
        if any(measured.of for measured in row):
            table.add_row(row[0].name, *map(_shown, row))
    times = [milliseconds(each) for each in outcomes.values()]
    table.add_row("ms p50", *(f"{p50:.0f}" for p50, _ in times))
    table.add_row("ms p95", *(f"{p95:.0f}" for _, p95 in times))
    return table


def as_failure_table(outcomes: Sequence[Outcome]) -> Table:
    """Return a table with one row for each question whose outcome is not as expected."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for name in ("", "question", "expected", "answer", "cited", "why"):
        table.add_column(name, overflow="fold")
    for outcome in outcomes:
        if outcome.failures:
            cells = (
                outcome.asked.id.removeprefix("line "),
                outcome.asked.text,
                _expected(outcome),
                outcome.answer.short or f"({outcome.answer.state.replace('_', ' ')})",
                ", ".join(outcome.cited),
                ", ".join(outcome.failures),
            )
            table.add_row(*(escape(shortened(on_one_line(cell), _LONGEST_CELL_CHARACTERS)) for cell in cells))
    return table


def as_objects(outcomes: Outcomes) -> list[dict[str, object]]:
    """Return one JSON object per retriever, as documented for `overstory bench --answers FILE --json`."""
    return [_object(name, each) for name, each in outcomes.items()]


def _object(retriever: str, outcomes: Sequence[Outcome]) -> dict[str, object]:
    p50, p95 = milliseconds(outcomes)
    return {
        "retriever": retriever,
        "questions": len(outcomes),
        "answerable": sum(outcome.asked.answerable for outcome in outcomes),
        "kind": "+".join(sorted({outcome.answer.kind for outcome in outcomes})),
        "measures": {each.name.replace(" ", "_"): _values(each) for each in measures(outcomes)},
        "p50_ms": round(p50, 3),
        "p95_ms": round(p95, 3),
        "answers": [_answer(outcome) for outcome in outcomes],
    }


def _values(measured: Measured) -> dict[str, float | int | None]:
    interval = measured.interval
    mean, low, high = (None,) * 3 if interval is None else (interval.mean, interval.low, interval.high)
    return {"mean": _rounded(mean), "low": _rounded(low), "high": _rounded(high), "of": measured.of}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _answer(outcome: Outcome) -> dict[str, object]:
    asked, answer, scores = outcome.asked, outcome.answer, outcome.scores
    return {
        "id": asked.id,
        "question": asked.text,
        "expected": asked.answers,
        "answerable": asked.answerable,
        "sources": asked.named,
        "short": answer.short,
        "answer": answer.text,
        "kind": answer.kind,
        "state": answer.state,
        "guess": answer.guess,
        "cited": outcome.cited,
        "failures": outcome.failures,
        "EM": None if scores is None else scores.exact,
        "F1": None if scores is None else _rounded(scores.f1),
        "substring": None if scores is None else scores.substring,
        "citations_right": _rounded(outcome.precision),
        "sources_cited": _rounded(outcome.recall),
        "unsupported": answer.unsupported,
        "notes": answer.notes,
        "ms": round(outcome.seconds * 1000.0, 3),
    }


def _shown(measured: Measured) -> str:
    if measured.interval is None:
        return "–"
    mean, low, high = measured.interval.mean, measured.interval.low, measured.interval.high
    return f"{mean:.3f} [{low:.2f}–{high:.2f}] of {measured.of}"


def _expected(outcome: Outcome) -> str:
    if not outcome.asked.answerable:
        return "(not in the documents)"
    sources = f" [{', '.join(outcome.asked.named)}]" if outcome.asked.named else ""
    return f"{' | '.join(outcome.asked.answers)}{sources}".strip()
