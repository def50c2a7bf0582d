"""What the systems of a corpus remember of answers, behind one door: listed, shown, deleted, exported and restored."""

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
    """The remembered answers of one corpus. It holds nothing; each call looks at the graph.

    Changes need no lease: they can be made while an index is built.
    """

    def __init__(self, graph: Callable[[], GraphClient], corpus_name: str, embedder: Callable[[], Embedder]) -> None:
        """
        Args:
            graph, embedder: made when they are first needed.
        """
        self._graph = graph
        self._corpus_name = corpus_name
        self._embedder = embedder

    def sizes(self) -> dict[str, MemorySize]:
        """How much each system remembers, by its name; of systems that have an index here."""
        return {name: memory.size() for name, memory in self._memories().items()}

    def answers(self, *, like: str = "", limit: int = MOST_ANSWERS_LISTED) -> list[StoredAnswer]:
        """The newest remembered answers, newest first.

        Args:
            like: only those with this text in a question, upper and lower case being one.
        """
        if limit < 1:
            raise SettingsError(f"limit is {limit}.", remedy="Ask for 1 answer or more.")
        found = [each for memory in self._memories().values() for each in memory.answers(like=like, limit=limit)]
        return sorted(found, key=lambda each: (each.asked, each.id), reverse=True)[:limit]

    def answer(self, id_: str) -> StoredAnswer:
        """One remembered answer.

        Args:
            id_: its id, or enough of its beginning to tell it.
        """
        found = [each for memory in self._memories().values() for each in memory.with_ids([id_])] if id_ else []
        if len(found) == 1:
            return found[0]
        listed = f"overstory memory list --corpus {shlex.quote(self._corpus_name)}"
        if found:
            raise AnswerNotFound(
                f"{len(found)} remembered answers have ids that begin with {id_!r}.",
                several=True,
                remedy=f"Give more of it: {listed} --json.",
            )
        raise AnswerNotFound(
            f"Corpus {self._corpus_name!r} remembers no answer {id_!r}.",
            remedy=f"See which there are: {listed}. Answers go with the passages that they stand on.",
        )

    def forget(self, ids: str | Sequence[str]) -> int:
        """Deletes remembered answers; returns how many there were.

        Args:
            ids: whole ones. One that no answer has is not counted.
        """
        wanted = [ids] if isinstance(ids, str) else list(ids)
        return sum(memory.forget(wanted) for memory in self._memories().values()) if wanted else 0

    def forget_all(self) -> int:
        """Deletes all remembered answers; returns how many there were."""
        return sum(memory.forget(None) for memory in self._memories().values())

    def export(self, write: Callable[[str], object]) -> int:
        """Gives every line of an export (JSON lines, with line ends) to `write`; returns how many answers there were.

        Facts and passages are named by their texts and sources, so that `restore` finds them in another corpus, too.
        """
        write(f"{json.dumps({HEADER: _MEMORY_FORMAT})}\n")
        answers = 0
        for name, memory in self._memories().items():
            for record in memory.records():
                write(f"{json.dumps({'system': name, **record}, ensure_ascii=False)}\n")
                answers += 1
        return answers

    def restore(self, lines: Iterable[str], *, source: str = "memory") -> MemoryRestored:
        """Remembers exported answers whose passages are in this corpus and still state their facts.

        The same lines twice change nothing.

        Args:
            source: what the lines are from, for messages.
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
            "not an exported memory",
            source=source,
            line=number,
            remedy="Name a file that `overstory memory export` wrote; `overstory ingest` restores exports of a corpus.",
        ) from error
    if format_ != _MEMORY_FORMAT:
        raise BrokenSource("is an export of a later version", source=source, line=number, remedy="Upgrade Overstory.")


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
