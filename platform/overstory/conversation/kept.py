"""The last turns of a corpus on disk, so that the next call of the command line can go on from them.

One file for each corpus, in the folder of the instance's data, which only its user can read. It has questions and short
answers; it is deleted with the corpus, and when a passage that an answer cites is deleted or changes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from overstory.conversation.conversation import MOST_TURNS
from overstory.llm.digests import digest_of
from overstory.settings import Settings
from overstory.text.questions.antecedents import Named, Turn
from overstory.whole_files import write_whole

_KEPT_VERSION = 1
_MOST_KEPT_BYTES = 1_000_000

_log = logging.getLogger(__name__)


class KeptConversation:
    """The kept turns of a corpus."""

    def __init__(self, settings: Settings, corpus_label: str) -> None:
        """
        Args:
            corpus_label: as the graph has it. Corpora of one name in two databases have a file each.
        """
        place = digest_of(settings.database.uri or "", settings.database.database, corpus_label)[:32]
        self.path: Path = settings.places.data / "conversations" / f"{place}.json"

    def read(self) -> list[Turn]:
        """The turns, oldest first; none where none are kept, or the file cannot be read."""
        try:
            if self.path.stat().st_size > _MOST_KEPT_BYTES:
                return []
            kept = json.loads(self.path.read_text(encoding="utf-8"))
            return [_turn(fields) for fields in kept["turns"]] if kept["version"] == _KEPT_VERSION else []
        except (OSError, ValueError, KeyError, TypeError):
            return []

    def write(self, turns: Iterable[Turn]) -> None:
        """Keep the last turns, in place of those kept before."""
        kept = [dataclasses.asdict(turn) for turn in turns][-MOST_TURNS:]
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(self.path, json.dumps({"version": _KEPT_VERSION, "turns": kept}, ensure_ascii=True))

    def forget(self) -> None:
        """Delete the turns. What cannot be deleted is logged: passages are deleted all the same."""
        try:
            with contextlib.suppress(FileNotFoundError):
                self.path.unlink()
        except OSError as error:
            _log.warning("The last questions and answers are still in %s: %s. Delete the file.", self.path, error)

    def forget_passages(self, chunks: Collection[str]) -> None:
        """Delete the turns if an answer cites one of these chunks."""
        if not self.path.exists():
            return
        gone = set(chunks)
        if any(gone.intersection(turn.chunks) for turn in self.read()):
            self.forget()


def _turn(fields: Mapping[str, Any]) -> Turn:
    return Turn(
        question=str(fields["question"]),
        answer=str(fields["answer"]),
        named=tuple(Named(**each) for each in fields["named"]),
        answered_with=tuple(Named(**each) for each in fields["answered_with"]),
        chunks=tuple(map(str, fields["chunks"])),
        mentioned=tuple(Named(**each) for each in fields.get("mentioned", ())),
    )
