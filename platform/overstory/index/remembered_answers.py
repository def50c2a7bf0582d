"""Language models' cached answers that quote passages: forgotten when the passages are deleted."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from overstory.errors import LlmError
from overstory.llm import AnswerCache

_log = logging.getLogger(__name__)


class RememberedAnswers:
    """The cache of answers, as a run that deletes or replaces passages uses it.

    Nothing fails where the cache cannot be used: passages are deleted all the same, a warning says that answers stay,
    and the run does not try again.
    """

    def __init__(self, cache: AnswerCache, also_forget: Callable[[Sequence[str]], object] | None = None) -> None:
        """
        Args:
            also_forget: is told the ids of the chunks, too.
        """
        self._cache = cache
        self._also_forget = also_forget
        self._usable = True

    def forget(self, chunks: Sequence[str]) -> None:
        """Forgets answers whose prompts quote one of these chunks, by id. To be called before they are gone for good:
        a run that is interrupted then forgets them again."""
        self._try(lambda: self._cache.forget(chunks))
        if self._also_forget is not None:
            self._also_forget(chunks)

    def move(self, chunks: Sequence[tuple[str, str]]) -> None:
        """Keeps answers that quote chunks whose document moved: pairs of the old and the new id."""
        self._try(lambda: self._cache.move(chunks))

    def _try(self, work: Callable[[], object]) -> None:
        if not self._usable:
            return
        try:
            work()
        except LlmError as error:
            self._usable = False
            _log.warning(
                "Language models' answers that quote deleted passages are still cached. %s. %s When it can be used "
                "again, `overstory llm cache --clear` deletes all answers.",
                error,
                error.remedy,
            )
