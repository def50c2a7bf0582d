"""What stands on matching documents alone, of what systems make of several passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from overstory.graph import batches
from overstory.model.parts import CommunityReport, Part
from overstory.retrieve.among import Among

_FIRST_DOCUMENTS_READ = 20
"""Documents of each that are looked at first: of most, one of these does not match."""
_MOST_DOCUMENTS_STOOD_ON = 10_000
"""Documents of one report or community; what stands on more is left out."""
_STANDING_A_STATEMENT = 200
"""Reports or communities."""


@dataclass(frozen=True, slots=True)
class SupportFilter:
    """Finds out what stands on the documents that a filter lets through, and on no other."""

    among: Among

    @property
    def restricted(self) -> bool:
        """Whether nothing may be told of other documents."""
        return self.among.matching.restricted

    def own(self, ids: Iterable[str], statement: str) -> set[str]:
        """Which of these do; one that stands on nothing does not.

        Args:
            statement: gives documents of each: "systems/tree/stands_on".
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
        """Those of a retriever's parts that do. Where nothing may be told of other documents, a report must be on a
        community all of whose passages match, since it says how large this is, and no remembered answer is told, since
        its question may be somebody else's."""
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
        """Those whose first documents all match, and how many these are."""
        rows = self.among.tx.run(statement, self.among.corpus.label, ids=list(ids), most=most)
        documents = self.among.matching.documents
        return {
            row["id"]: len(row["documents"])
            for row in rows
            if row["documents"] and documents.issuperset(row["documents"])
        }
