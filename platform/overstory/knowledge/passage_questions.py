"""Questions that passages answer, of one corpus or of several: their order, the answer, and what follows from it."""

from __future__ import annotations

import functools
import math
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from overstory.answer import CONTEXT_TOKENS, USUAL, Answer, AnswerStyle, Context, Extract, OnText, answer
from overstory.answer.overview import PASSAGES_READ_FOR_A_KIND as THINGS_READ
from overstory.answer.overview import things_in
from overstory.conversation import Conversation
from overstory.conversation.names import missing_names
from overstory.display import shortened
from overstory.errors import ModelError, QuestionError
from overstory.filters import Expression, Where, read_filter
from overstory.llm import Chat, record_usage
from overstory.model import Evidence, Hit, Reason
from overstory.model.passage_text import passage_text
from overstory.protocols import Extractor, Reranker, Retriever
from overstory.retrieve.context import one_question
from overstory.retrieve.hits import clause_of, with_hits
from overstory.retrieve.question import LONGEST_QUESTION_CHARACTERS, check_question
from overstory.retrieve.repeats import Group, Repeats, check_depth, search_distinct
from overstory.retrieve.several_ways import SeveralWays, needed_chat
from overstory.settings import DEFAULT_RETRIEVER, Settings
from overstory.systems import when_asking
from overstory.systems.settings import SettingsClass
from overstory.text.questions.antecedents import Turn
from overstory.text.questions.asked_words import AskedWords
from overstory.text.questions.kinds import kind_asked_for
from overstory.text.questions.names import quoted_phrases


class Reranked:
    """A retriever whose first passages are ordered by a reranker.

    A hit's score is its relevance, brought by a reason of the kind `rerank`. A second reason, `retrieved`, brings
    nothing: it says at which rank, with which score and why the retriever found the hit.
    """

    def __init__(self, retriever: Retriever, reranker: Reranker, *, passages: int) -> None:
        """
        Args:
            passages: how many are reranked; as many as are asked for if these are more.
        """
        self.name = f"{retriever.name}+rerank"
        self._retriever = retriever
        self._reranker = reranker
        self._passages = passages

    def retrieve(self, question: str, k: int) -> Evidence:
        """The `k` most relevant of the retriever's first passages. Equal texts are sent once."""
        evidence = replace(self._retriever.retrieve(question, max(k, self._passages)), retriever=self.name)
        texts = [passage_text(hit.title, hit.heading, hit.content) for hit in evidence.hits]
        relevance = self._relevance(question, list(dict.fromkeys(texts)))
        hits = [
            self._judged(hit, rank, relevance[text])
            for rank, (hit, text) in enumerate(zip(evidence.hits, texts, strict=True), start=1)
        ]
        hits.sort(key=lambda hit: -hit.score)  # of equal ones the retriever's first stays first
        return with_hits(evidence, hits[:k])

    def _relevance(self, question: str, texts: Sequence[str]) -> dict[str, float]:
        scores = [float(score) for score in self._reranker.rerank(question, texts)] if texts else []
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise ModelError(
                f"The reranker {self._reranker.name} did not give {len(texts)} passages a finite score each.",
                remedy="Use another reranker, or do not rerank.",
            )
        return dict(zip(texts, scores, strict=True))

    def _judged(self, hit: Hit, rank: int, relevance: float) -> Hit:
        said = f"has relevance {relevance:.3f} to the question for the reranker {self._reranker.name}"
        found = f"rank {rank} of {self._retriever.name}, score {hit.score:.4f} ({hit.figures})"
        reasons = (
            Reason("rerank", relevance, f"relevance for {self._reranker.name}", said),
            Reason("retrieved", 0.0, found, clause_of(hit)),
        )
        return replace(hit, score=relevance, reasons=reasons)


def with_marks(evidence: Evidence) -> Evidence:
    """The evidence with `Hit.matches` and `Hit.sentence`, whatever retriever found it; marks of its own stay. A note
    names what the question has in quotation marks and no hit has word for word.

    Takes time in proportion to the characters of question and hits.
    """
    question = unicodedata.normalize("NFC", evidence.question[:LONGEST_QUESTION_CHARACTERS])
    words = AskedWords.of(question)
    notes = (*evidence.notes, *_not_found(question, evidence.hits))
    return replace(evidence, hits=tuple(_marked(hit, words) for hit in evidence.hits), notes=notes)


def _not_found(question: str, hits: Sequence[Hit]) -> Iterator[str]:
    phrases = quoted_phrases(question)
    texts = [_plain(f"{hit.title}\n{hit.heading}\n{hit.text}") for hit in hits] if phrases else []
    for phrase in phrases if texts else ():
        if not any(_plain(phrase) in text for text in texts):
            yield f"none of these passages has the words “{shortened(phrase)}” as they stand"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _marked(hit: Hit, words: AskedWords) -> Hit:
    spans = () if hit.matches or hit.sentence else words.spans(hit.text)
    return replace(hit, matches=spans, sentence=words.best_sentence(hit.text, spans)) if spans else hit


_ASKING = "ask"
"""The usage label of a language model's answers."""

_MOST_MISSPELT_NAMES = 5
"""Names of a question that no passage that was found has, which may be misspelt."""

Learning = Callable[[Answer, Evidence, Chat | None], Answer]
"""Takes an answer and what it stands on, and gives it back with notes on what was learnt."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How passages are searched for: arguments of `Knowledge.search`."""

    retriever: str | SettingsClass = DEFAULT_RETRIEVER
    rerank: bool = False
    decompose: bool = False
    hypothetical: bool = False
    where: Expression | None = None

    @classmethod
    def of(
        cls,
        retriever: str | SettingsClass,
        where: Where | None,
        *,
        rerank: bool,
        decompose: bool,
        hypothetical: bool,
    ) -> SearchOptions:
        asked = None if where is None else read_filter(where)
        return cls(retriever, rerank, decompose, hypothetical, asked)


class PassageQuestions(ABC):
    """`search`, `ask` and `conversation`; a subclass has the passages."""

    def search(
        self,
        question: str,
        k: int = 5,
        *,
        retriever: str | SettingsClass = DEFAULT_RETRIEVER,
        rerank: bool = False,
        decompose: bool = False,
        hypothetical: bool = False,
        where: Where | None = None,
    ) -> Evidence:
        """The best `k` passages, with the reasons for each; arguments and errors are those of `Knowledge.search`.

        Of several corpora (`Knowledge.over`) `Hit.corpus` says in which a passage is. `canopy` and `hybrid` compare the
        passages of all as if they were in one, `dense` and `lexical` by their scores; other retrievers are asked in
        each corpus, and passages are put in order by their ranks there. Each corpus answers `where` from its own
        metadata; one that has no such key is left out, with a note.
        """
        options = SearchOptions.of(retriever, where, rerank=rerank, decompose=decompose, hypothetical=hypothetical)
        return self.found(question, k, options)

    def retriever(
        self,
        name: str | SettingsClass = DEFAULT_RETRIEVER,
        *,
        rerank: bool = False,
        decompose: bool = False,
        hypothetical: bool = False,
        where: Where | None = None,
    ) -> Retriever:
        """A retriever with what was asked for around it; arguments and errors are those of `Knowledge.retriever`."""
        return self.made(SearchOptions.of(name, where, rerank=rerank, decompose=decompose, hypothetical=hypothetical))

    def ask(
        self,
        question: str,
        k: int = 5,
        *,
        retriever: str | SettingsClass = DEFAULT_RETRIEVER,
        rerank: bool = False,
        decompose: bool = False,
        hypothetical: bool = False,
        on_text: OnText | None = None,
        context_tokens: int = CONTEXT_TOKENS,
        strict: bool = False,
        remember: bool = False,
        least_confidence: float = USUAL,
        style: AnswerStyle | None = None,
        where: Where | None = None,
    ) -> Answer:
        """The answer to a question, with the passages that it cites, from the best `k` chunks.

        The language model that `use_model` or the settings name writes it. Without one it consists of sentences of the
        passages, as it does if the model fails, its budget is used up, or its answer breaks off; a note says why.

        Args:
            k: 1 to 1,000; how many are read depends on `context_tokens`.
            retriever, rerank, decompose, hypothetical: as for `search`.
            on_text: receives the language model's answer piece by piece as it streams, an extractive one whole.
            context_tokens: most tokens of a request for passages, by an upper bound.
            strict: raise what goes wrong with the language model instead of answering without it.
            remember: let the retriever's system learn from the answer, once it is complete; a question that was not
                answered is not remembered.
            least_confidence: without a language model, the confidence below which the answer is that the documents do
                not answer, from 0 (`overstory.answer.ALWAYS`: never say so) to 1; `STRICT` says so more often.
            style: of a language model's answer: "short", or "report" for sections on all that the passages say of it; a
                question on all documents is answered by a report unless "short" is asked for.
            where: as for `search`. Reports on all documents and edges of a graph take no part then.

        Raises:
            QuestionError: the question is empty or no text, or `k`, `context_tokens` or `least_confidence` is out of
                bounds.
            IndexMissing, EmbedderMismatch, SettingsError: as `search`.
            LlmError, ExtraMissing, ModelError: the language model cannot be opened; `strict`, and it failed; or as
                `search`.
        """
        if context_tokens < 1:
            raise QuestionError(f"context_tokens is {context_tokens}.", remedy="Allow some for passages to be read.")
        if not 0.0 <= least_confidence <= 1.0:
            raise QuestionError(f"least_confidence is {least_confidence}.", remedy="Give a number from 0 to 1.")
        if style not in (None, "short", "report"):
            raise QuestionError(f"There is no style {style!r}.", remedy="Ask for 'short' or 'report'.")
        check_question(question)  # before a model is opened for it
        options = SearchOptions.of(retriever, where, rerank=rerank, decompose=decompose, hypothetical=hypothetical)
        learn = self.learning(retriever) if remember else None
        chat = self.chat()
        with record_usage() as recorded:
            evidence = self._evidence(question, k, options, for_list=chat is None)
            found = answer(
                evidence,
                chat=None if chat is None else chat.booked(_ASKING, question),
                extracting=functools.partial(self.extract, least=least_confidence),
                tokens=context_tokens,
                on_text=on_text,
                strict=strict,
                style=style,
            )
        found = self._with_names_meant(replace(found, usage=recorded.spent), options.where)
        if learn is None:
            return found
        if not found.answered:
            return replace(found, notes=(*found.notes, "nothing was remembered: the question was not answered"))
        return learn(found, evidence, chat)

    def conversation(self, turns: Iterable[Turn] = ()) -> Conversation:
        """Questions that go on from each other: `conversation().ask("And when did he die?")`.

        Args:
            turns: of an earlier conversation (`Conversation.turns`), to go on from.
        """
        return Conversation(self, turns)

    @one_question()
    def found(self, question: str, k: int, options: SearchOptions) -> Evidence:
        """Return the best `k` passages."""
        check_depth(k)
        check_question(question)
        read = functools.partial(self.read_repeats, where=options.where)
        return with_marks(search_distinct(self.made(options), question, k, read=read))

    def made(self, options: SearchOptions) -> Retriever:
        """Return the retriever that options describe."""
        reranker = self.reranker if options.rerank else None
        decompose, hypothetical = options.decompose, options.hypothetical
        if decompose or hypothetical:
            needed_chat(self.chat)
        made = self.filtering(options.retriever, options.where)
        if decompose or hypothetical:
            made = SeveralWays(made, self.chat, decompose=decompose, hypothetical=hypothetical)
        return made if reranker is None else Reranked(made, reranker, passages=self.settings.rerank.passages)

    @one_question()
    def _evidence(self, question: str, k: int, options: SearchOptions, *, for_list: bool) -> Evidence:
        """Return the evidence for an answer.

        Args:
            for_list: read more passages if the question asks for all things of a kind.
        """
        deeper = for_list and k < THINGS_READ and bool(kind_asked_for(question))
        asked = replace(options, retriever=when_asking(options.retriever))
        on_all = None if options.where is not None else self.on_all(question, k, options.retriever)
        evidence = on_all or self.found(question, THINGS_READ if deeper else k, asked)
        if deeper and not things_in(evidence):
            evidence = with_hits(evidence, evidence.hits[:k])
        return evidence if options.where is not None else self.with_edges(evidence)

    def _with_names_meant(self, found: Answer, where: Expression | None) -> Answer:
        """Add the names that may be meant by names of the question which no passage mentions."""
        names = missing_names(found.question, (*found.evidence.hits, *found.evidence.sources))[:_MOST_MISSPELT_NAMES]
        if not names:
            return found
        nearest = self.nearest_names(names, where)
        meant = {name: like for name, like in nearest.items() if like}
        notes = (
            f"The documents have no name {name!r}. Did you mean {' or '.join(map(repr, like))}?"
            for name, like in meant.items()
        )
        return replace(found, did_you_mean=meant, notes=(*found.notes, *notes))

    @abstractmethod
    def chat(self) -> Chat | None:
        """The language model, None where there is none."""

    @property
    @abstractmethod
    def settings(self) -> Settings: ...

    @property
    @abstractmethod
    def extractor(self) -> Extractor: ...

    @property
    @abstractmethod
    def reranker(self) -> Reranker: ...

    @abstractmethod
    def filtering(self, name: str | SettingsClass, where: Expression | None) -> Retriever:
        """Return a retriever among the documents that a filter lets through and that are not disabled."""

    @abstractmethod
    def read_repeats(self, groups: Sequence[Group], where: Expression | None) -> Repeats: ...

    @abstractmethod
    def on_all(self, question: str, k: int, retriever: str | SettingsClass) -> Evidence | None:
        """Return the evidence for a question on all documents; None for others, and where the retriever answers it
        itself."""

    @abstractmethod
    def with_edges(self, evidence: Evidence) -> Evidence:
        """Add the edges of a graph that the question asks for, where there are any."""

    @abstractmethod
    def nearest_names(self, names: Sequence[str], where: Expression | None) -> dict[str, tuple[str, ...]]:
        """Return the names that no passage mentions, each with the most similar names that some do."""

    @abstractmethod
    def learning(self, retriever: str | SettingsClass) -> Learning:
        """Return a function by which the system of a retriever learns from an answer."""

    @abstractmethod
    def extract(self, question: str, context: Context, least: float) -> Extract:
        """Answer without a language model.

        Args:
            least: confidence below which the answer is that the documents do not answer.
        """
