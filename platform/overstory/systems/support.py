"""Keeps only derived items (communities, reports, remembered answers) that are based on matching documents alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from overstory.graph import batches
from overstory.model.parts import CommunityReport, Part
from overstory.retrieve.among import Among

_FIRST_DOCUMENTS_READ = 20  # documents checked first; for most items, one of them does not match
_MOST_DOCUMENTS_STOOD_ON = 10_000  # source documents of an item; items with more are left out
_STANDING_A_STATEMENT = 200  # communities or reports checked per statement


@dataclass(frozen=True, slots=True)
class SupportFilter:
    """Finds communities, reports and remembered answers whose source documents all match a filter."""

    among: Among

    @property
    def restricted(self) -> bool:
        """True if the caller may not learn anything about documents that do not match."""
        return self.among.matching.restricted

    def own(self, ids: Iterable[str], statement: str) -> set[str]:
        """Return the ids of items whose source documents all match. Items without source documents are left out.

        Args:
            ids: Ids of communities or reports.
            statement: Statement that returns the source documents of each item, such as "systems/tree/stands_on".
        """
        own: set[str] = set()
        for some in batches(list(dict.fromkeys(ids)), _STANDING_A_STATEMENT):
            open_ = self._support(some, statement, _FIRST_DOCUMENTS_READ)
            whole = {id_ for id_, size in open_.items() if size < _FIRST_DOCUMENTS_READ}
            large = [id_ for id_ in open_ if id_ not in whole]
            most = min(len(self.among.matching.documents), _MOST_DOCUMENTS_STOOD_ON)
            read = self._support(large, statement, most + 1) if large else {}
            own |= whole | {id_ for id_, size in read.items() if size <= most}
        return own

    def parts(self, parts: Sequence[Part]) -> tuple[Part, ...]:
        """Return the evidence parts whose source documents all match.

        If the filter is restricted, two more rules apply. A report is kept only if all passages of its community match,
        because the report gives the size of the community. Remembered answers are left out, because their questions may
        come from another user.
        """
        documents = self.among.matching.documents
        left = [part for part in parts if part.standing is not None and documents.issuperset(part.documents)]
        asked: dict[str, set[str]] = {}
        for part in left:
            for statement, id_ in self._asked(part).items():
                asked.setdefault(statement, set()).add(id_)
        own = {statement: self.own(sorted(ids), statement) for statement, ids in asked.items()}
        return tuple(
            part
            for part in left
            if all(id_ in own[statement] for statement, id_ in self._asked(part).items())
            and not (self.restricted and part.kind == "answer")
        )

    def _asked(self, part: Part) -> Mapping[str, str]:
        standing = part.standing or {}
        if self.restricted and isinstance(part, CommunityReport):
            return {**standing, "systems/tree/stands_on": part.community}
        return standing

    def _support(self, ids: Sequence[str], statement: str, most: int) -> dict[str, int]:
        """Return the number of documents of each item whose first `most` documents all match."""
        rows = self.among.tx.run(statement, self.among.corpus.label, ids=list(ids), most=most)
        documents = self.among.matching.documents
        return {
            row["id"]: len(row["documents"])
            for row in rows
            if row["documents"] and documents.issuperset(row["documents"])
        }
