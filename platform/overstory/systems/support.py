"""Filters communities, reports and remembered answers by the documents on which they are based."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from overstory.graph import batches
from overstory.model.parts import CommunityReport, Part
from overstory.retrieve.among import Among

_FIRST_DOCUMENTS_READ = 20  # number of source documents checked first; they rule out most items
_MOST_DOCUMENTS_STOOD_ON = 10_000  # maximum number of source documents of an item; larger items are left out
_STANDING_A_STATEMENT = 200  # number of communities or reports that one statement checks


@dataclass(frozen=True, slots=True)
class SupportFilter:
    """Selects the communities, reports and remembered answers whose source documents all match a filter."""

    among: Among

    @property
    def restricted(self) -> bool:
        """True if the user must not learn anything about documents that do not match the filter."""
        return self.among.matching.restricted

    def own(self, ids: Iterable[str], statement: str) -> set[str]:
        """Return the ids of the items whose source documents all match the filter.

        Items without source documents are left out.

        Args:
            ids: Ids of communities or reports.
            statement: Name of the statement that finds the source documents of each item, such as
                "systems/tree/stands_on".
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
        """Return the evidence parts whose source documents all match the filter.

        If the filter is restricted, two more rules apply:

        - A report is kept only if all documents of its community match, because the report reveals the size of the
          community.
        - Remembered answers are left out, because another user may have asked their questions.
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
        """Check the first `most` source documents of each item.

        Return a map from the ids of the items whose checked documents all match to the number of checked documents.
        """
        rows = self.among.tx.run(statement, self.among.corpus.label, ids=list(ids), most=most)
        documents = self.among.matching.documents
        return {
            row["id"]: len(row["documents"])
            for row in rows
            if row["documents"] and documents.issuperset(row["documents"])
        }
