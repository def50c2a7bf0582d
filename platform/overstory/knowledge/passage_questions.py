"""Searching and question answering, for one corpus as well as for several corpora."""

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
    """A wrapper around a retriever that reorders its top passages with a reranker.

    The score of a hit is the relevance that the reranker returns, explained by a reason of kind `rerank`. A second
    reason, of kind `retrieved` and with score 0, shows the retriever's own rank, score and explanation.
    """

    def __init__(self, retriever: Retriever, reranker: Reranker, *, passages: int) -> None:
        """Wrap a retriever.

        Args:
            passages: number of passages to rerank. If a search asks for more hits (`k`), that many are reranked.
        """
        self.name = f"{retriever.name}+rerank"
        self._retriever = retriever
        self._reranker = reranker
        self._passages = passages

    def retrieve(self, question: str, k: int) -> Evidence:
        """Return the `k` most relevant of the retriever's top passages. The reranker gets each distinct text once."""
        evidence = replace(self._retriever.retrieve(question, max(k, self._passages)), retriever=self.name)
        texts = [passage_text(hit.title, hit.heading, hit.content) for hit in evidence.hits]
        relevance = self._relevance(question, list(dict.fromkeys(texts)))
        hits = [
            self._judged(hit, rank, relevance[text])
            for rank, (hit, text) in enumerate(zip(evidence.hits, texts, strict=True), start=1)
        ]
        hits.sort(key=lambda hit: -hit.score)  # the sort is stable, so equal scores keep the retriever's order
        return with_hits(evidence, hits[:k])

    def _relevance(self, question: str, texts: Sequence[str]) -> dict[str, float]:
        scores = [float(score) for score in self._reranker.rerank(question, texts)] if texts else []
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise ModelError(
                f"The reranker {self._reranker.name} did not return a finite score for each of {len(texts)} passages.",
                remedy="Use another reranker, or do not rerank.",
            )
        return dict(zip(texts, scores, strict=True))

    def _judged(self, hit: Hit, rank: int, relevance: float) -> Hit:
        clause = f"has relevance {relevance:.3f} to the question for the reranker {self._reranker.name}"
        found = f"rank {rank} of {self._retriever.name}, score {hit.score:.4f} ({hit.figures})"
        reasons = (
            Reason("rerank", relevance, f"relevance for {self._reranker.name}", clause),
            Reason("retrieved", 0.0, found, clause_of(hit)),
        )
        return replace(hit, score=relevance, reasons=reasons)


def with_marks(evidence: Evidence) -> Evidence:
    """Fill in `Hit.matches` and `Hit.sentence` for each hit, unless the retriever set them.

    If the question contains quoted phrases that no hit contains verbatim, a note for each is added. The time is
    proportional to the number of characters in the question and the hits.
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
            yield f"no passage contains the phrase “{shortened(phrase)}” verbatim"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _marked(hit: Hit, words: AskedWords) -> Hit:
    spans = () if hit.matches or hit.sentence else words.spans(hit.text)
    return replace(hit, matches=spans, sentence=words.best_sentence(hit.text, spans)) if spans else hit


_ASKING = "ask"
"""Label under which the token usage of answers is recorded."""

_MOST_MISSPELT_NAMES = 5
"""Maximum number of names per question for which a spelling is suggested, because no passage found contains them."""

Learning = Callable[[Answer, Evidence, Chat | None], Answer]
"""Function that lets a system learn from an answer and its evidence. It returns the answer, with notes added."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Options for a search; they correspond to the arguments of `Knowledge.search`."""

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
    """Base class with the methods `search`, `ask` and `conversation`. Subclasses find the passages."""

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
        """Return the best `k` passages for a question, with the reasons for each.

        The arguments and errors are those of `Knowledge.search`. In a search over several corpora (`Knowledge.over`),
        `Hit.corpus` is the name of the corpus that contains the passage, and passages from different corpora are ranked
        as follows:

        - `canopy` and `hybrid` rank all passages as if there were only one corpus.
        - `dense` and `lexical` rank all passages by their scores.
        - Other retrievers search each corpus separately, and passages are sorted by their rank within their corpus.

        Each corpus applies `where` to its own metadata. A corpus that does not contain a key in `where` is left out,
        and a note states that.
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
        """Return a retriever with these options. The arguments and errors are those of `Knowledge.retriever`."""
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
        """Answer a question from the best `k` chunks, and cite the passages.

        The language model chosen with `use_model` or in the settings writes the answer. If there is no model, or if it
        fails, exceeds its token budget or stops in mid-answer, the answer is extractive: it consists of sentences
        quoted from the passages, and a note states why.

        Args:
            k: number of hits, 1 to 1,000. If their text is too long for `context_tokens`, fewer are read.
            retriever, rerank, decompose, hypothetical: as for `search`.
            on_text: function that receives the language model's answer in pieces as they arrive; an extractive answer
                arrives in one piece.
            context_tokens: maximum number of tokens that the passages may take in a request. The number is estimated
                from above, so the limit is never exceeded.
            strict: True to raise errors of the language model, instead of answering without it.
            remember: True to let the retriever's system learn from the complete answer. If the question could not be
                answered, nothing is remembered.
            least_confidence: minimum confidence for an answer without a language model, from 0 to 1; below it, the
                question is not answered. With 0 (`overstory.answer.ALWAYS`) it is always answered; `STRICT` is
                stricter than the default.
            style: style of the language model's answer: "short", or "report" for a text with sections that covers
                everything in the passages. By default, a question about all documents gets a report.
            where: as for `search`. With a filter, neither reports about all documents nor graph edges are used.

        Raises:
            QuestionError: the question is empty or not text, or `k`, `context_tokens` or `least_confidence` is out of
                range.
            IndexMissing, EmbedderMismatch, SettingsError: as for `search`.
            LlmError, ExtraMissing, ModelError: as for `search`; also if the language model cannot be opened, or if it
                failed and `strict` is set.
        """
        if context_tokens < 1:
            raise QuestionError(
                f"context_tokens must be at least 1, got {context_tokens}.", remedy="Allow more tokens for passages."
            )
        if not 0.0 <= least_confidence <= 1.0:
            raise QuestionError(
                f"least_confidence is out of range: {least_confidence}.", remedy="Use a number from 0 to 1."
            )
        if style not in (None, "short", "report"):
            raise QuestionError(f"There is no style {style!r}.", remedy="Ask for 'short' or 'report'.")
        check_question(question)  # checked first, so that no model is opened for an invalid question
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
            return replace(
                found, notes=(*found.notes, "the answer was not remembered because the question was not answered")
            )
        return learn(found, evidence, chat)

    def conversation(self, turns: Iterable[Turn] = ()) -> Conversation:
        """Start a conversation, in which a question can refer to earlier ones: "And when did he die?".

        Args:
            turns: the turns of an earlier conversation (`Conversation.turns`), to continue it.
        """
        return Conversation(self, turns)

    @one_question()
    def found(self, question: str, k: int, options: SearchOptions) -> Evidence:
        check_depth(k)
        check_question(question)
        read = functools.partial(self.read_repeats, where=options.where)
        return with_marks(search_distinct(self.made(options), question, k, read=read))

    def made(self, options: SearchOptions) -> Retriever:
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
            for_list: True to read more passages if the question asks for a list, such as "Which rivers …?".
        """
        deeper = for_list and k < THINGS_READ and bool(kind_asked_for(question))
        asked = replace(options, retriever=when_asking(options.retriever))
        on_all = None if options.where is not None else self.on_all(question, k, options.retriever)
        evidence = on_all or self.found(question, THINGS_READ if deeper else k, asked)
        if deeper and not things_in(evidence):
            evidence = with_hits(evidence, evidence.hits[:k])
        return evidence if on_all is not None else self.with_parts(evidence, options.where)

    def _with_names_meant(self, found: Answer, where: Expression | None) -> Answer:
        """If the question contains names that no passage mentions, add similar names to the answer as suggestions."""
        names = missing_names(found.question, (*found.evidence.hits, *found.evidence.sources))[:_MOST_MISSPELT_NAMES]
        if not names:
            return found
        nearest = self.nearest_names(names, where)
        meant = {name: like for name, like in nearest.items() if like}
        notes = (
            f"No document mentions {name!r}. Did you mean {' or '.join(map(repr, like))}?"
            for name, like in meant.items()
        )
        return replace(found, did_you_mean=meant, notes=(*found.notes, *notes))

    @abstractmethod
    def chat(self) -> Chat | None: ...

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
        """Return a retriever limited to documents that match the filter and are not disabled."""

    @abstractmethod
    def read_repeats(self, groups: Sequence[Group], where: Expression | None) -> Repeats: ...

    @abstractmethod
    def on_all(self, question: str, k: int, retriever: str | SettingsClass) -> Evidence | None:
        """Return evidence if the question is about all documents; None if passages should be searched as usual."""

    @abstractmethod
    def with_parts(self, evidence: Evidence, where: Expression | None) -> Evidence:
        """If the question asks for rows of tables or edges of the graph, add them to the evidence."""

    @abstractmethod
    def nearest_names(self, names: Sequence[str], where: Expression | None) -> dict[str, tuple[str, ...]]:
        """Return a map from each name that no passage mentions to the most similar known names."""

    @abstractmethod
    def learning(self, retriever: str | SettingsClass) -> Learning:
        """Return a function that lets the retriever's system learn from an answer."""

    @abstractmethod
    def extract(self, question: str, context: Context, least: float) -> Extract:
        """Answer the question with sentences from the context, without a language model.

        Args:
            least: minimum confidence; below it, the question is not answered.
        """
