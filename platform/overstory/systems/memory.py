"""Lists, shows, deletes, exports and restores the answers that the systems of a corpus remember."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from overstory.errors import AnswerNotFound, BrokenSource, SettingsError
from overstory.graph import Corpus, GraphClient, batches, read_corpus
from overstory.model.memory import MemoryRestored, MemorySize, StoredAnswer
from overstory.protocols import Embedder
from overstory.structured_text import parse_json
from overstory.systems.base import Memory, Remembers
from overstory.systems.registry import systems_of

MOST_ANSWERS_LISTED = 20
_MEMORY_FORMAT: Final = 1
HEADER = "overstory_memory"
_ANSWERS_A_BATCH = 100


class CorpusMemory:
    """The answers that are remembered for one corpus.

    Each call reads the graph, and nothing is cached. Answers can be changed while an index is being built.
    """

    def __init__(self, graph: Callable[[], GraphClient], corpus_name: str, embedder: Callable[[], Embedder]) -> None:
        """
        Args:
            graph: Returns the client. Called when the client is needed.
            embedder: Returns the embedder. Called when the embedder is needed.
        """
        self._graph = graph
        self._corpus_name = corpus_name
        self._embedder = embedder

    def sizes(self) -> dict[str, MemorySize]:
        """Return a map from the name of each system with an index in the corpus to the size of its memory."""
        return {name: memory.size() for name, memory in self._memories().items()}

    def answers(self, *, like: str = "", limit: int = MOST_ANSWERS_LISTED) -> list[StoredAnswer]:
        """Return the most recent remembered answers, newest first.

        Args:
            like: Text that the question must contain, ignoring case; "" for any question.
        """
        if limit < 1:
            raise SettingsError(f"limit must be at least 1, got {limit}.", remedy="Ask for 1 answer or more.")
        found = [each for memory in self._memories().values() for each in memory.answers(like=like, limit=limit)]
        return sorted(found, key=lambda each: (each.asked, each.id), reverse=True)[:limit]

    def answer(self, id_: str) -> StoredAnswer:
        """Return the remembered answer with the given id, or with an id that starts with it.

        Raises:
            AnswerNotFound: There is no such answer, or there are several.
        """
        found = [each for memory in self._memories().values() for each in memory.with_ids([id_])] if id_ else []
        if len(found) == 1:
            return found[0]
        listed = f"overstory memory list --corpus {shlex.quote(self._corpus_name)}"
        if found:
            raise AnswerNotFound(
                f"{len(found)} remembered answers have ids that begin with {id_!r}.",
                several=True,
                remedy=f"Give more characters of the id; list the ids with: {listed} --json.",
            )
        raise AnswerNotFound(
            f"Corpus {self._corpus_name!r} remembers no answer {id_!r}.",
            remedy=f"List the remembered answers: {listed}. An answer is deleted with the passages behind it.",
        )

    def forget(self, ids: str | Sequence[str]) -> int:
        """Delete remembered answers, and return the number of deleted answers.

        Args:
            ids: Complete ids. Unknown ids are ignored.
        """
        wanted = [ids] if isinstance(ids, str) else list(ids)
        return sum(memory.forget(wanted) for memory in self._memories().values()) if wanted else 0

    def forget_all(self) -> int:
        """Delete all remembered answers, and return the number of deleted answers."""
        return sum(memory.forget(None) for memory in self._memories().values())

    def export(self, write: Callable[[str], object]) -> int:
        """Export the remembered answers as JSON Lines, and return the number of answers.

        Facts and passages are identified by their text and source, so that `restore` also finds them in another corpus.

        Args:
            write: Called with each line, including its line break.
        """
        write(f"{json.dumps({HEADER: _MEMORY_FORMAT})}\n")
        answers = 0
        for name, memory in self._memories().items():
            for record in memory.records():
                write(f"{json.dumps({'system': name, **record}, ensure_ascii=False)}\n")
                answers += 1
        return answers

    def restore(self, lines: Iterable[str], *, source: str = "memory") -> MemoryRestored:
        """Restore exported answers. Restoring an answer again changes nothing.

        An answer is restored only if its passages are in this corpus and still state the answer's facts.

        Args:
            source: Name of the file or stream, for messages.
        """
        numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
        _check_header(next(numbered, (1, "")), source)
        memories, report = self._memories(), MemoryRestored()
        for batch in batches(numbered, _ANSWERS_A_BATCH):
            for name, part in _by_system(batch, source).items():
                if name not in memories:
                    for _ in part:
                        report.leave_out(f"the corpus has no index of {name}")
                else:
                    report.add(self._restore(memories[name], part, source))
        return report

    def _restore(self, memory: Memory, part: Mapping[int, Mapping[str, Any]], source: str) -> MemoryRestored:
        try:
            return memory.restore(list(part.values()), self._embedder())
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise _broken(source, min(part), error) from error

    def _memories(self) -> dict[str, Memory]:
        graph = self._graph()
        corpus: Corpus = read_corpus(graph, self._corpus_name)
        remembering = (system for system in systems_of(corpus) if isinstance(system, Remembers))
        return {system.name: system.memory(graph, corpus) for system in remembering}


def _check_header(first: tuple[int, str], source: str) -> None:
    number, line = first
    try:
        format_ = parse_json(line)[HEADER]
    except (ValueError, TypeError, KeyError) as error:
        raise BrokenSource(
            "is not an export of remembered answers",
            source=source,
            line=number,
            remedy="Use a file written by `overstory memory export`; `overstory ingest` reads exports of a corpus.",
        ) from error
    if format_ != _MEMORY_FORMAT:
        raise BrokenSource("was exported by a later version", source=source, line=number, remedy="Upgrade Overstory.")


def _by_system(batch: Iterable[tuple[int, str]], source: str) -> dict[str, dict[int, Mapping[str, Any]]]:
    found: dict[str, dict[int, Mapping[str, Any]]] = {}
    for number, line in batch:
        try:
            record = parse_json(line)
            name = record.pop("system")
            if not isinstance(name, str):
                raise TypeError(f"{name!r:.40} is not the name of a system")
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise _broken(source, number, error) from error
        found.setdefault(name, {})[number] = record
    return found


def _broken(source: str, line: int, error: Exception) -> BrokenSource:
    why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
    return BrokenSource(f"not a remembered answer: {why}", source=source, line=line, remedy="Export the memory again.")
