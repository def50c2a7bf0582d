"""The API: one corpus, from documents to evidence. Every command and every integration goes through it.

Source of truth is the graph. A `Knowledge` holds a connection, an embedder and an extractor, each made when it is first
needed, and copies of parts of the graph that questions use while they are of the version of the corpus; several may be
open on one corpus, in one process or many.

Methods block until they are done, but for those that asynchronous code awaits (`asearch`, `aask`, `aingest`, `aindex`).
It calls the others in a thread: `await asyncio.to_thread(…)`.
"""

from __future__ import annotations

from collections.abc import Sequence

from overstory.filters import Where, read_filter
from overstory.knowledge.asynchronous import Asynchronous
from overstory.knowledge.contents import CorpusContents
from overstory.knowledge.disabling import Disabling
from overstory.knowledge.names import NameEditing
from overstory.knowledge.restricted import RestrictedKnowledge
from overstory.knowledge.several import SeveralCorpora
from overstory.knowledge.single_documents import SingleDocuments
from overstory.knowledge.single_names import SingleNames
from overstory.knowledge.staging import Staging


class Knowledge(Asynchronous, Staging, NameEditing, CorpusContents, SingleDocuments, SingleNames, Disabling):
    """One corpus. Use it in a `with` or `async with` block, or call `close`. Safe to share between threads.

    A method that changes the corpus says `WriterBusy` while another one does; searches never wait.
    """

    @staticmethod
    def over(corpora: Sequence[Knowledge | RestrictedKnowledge | str]) -> SeveralCorpora:
        """Several corpora, in one database or in many, that are searched and asked as if they were one.

        Args:
            corpora: each a `Knowledge`, a part of one (`restricted_to`), whose filter holds for it alone, or the name
                of a corpus in the database of the settings.

        Raises:
            SettingsError: there are none, or one is named twice.
        """
        opened = {name: Knowledge(name) for name in corpora if isinstance(name, str)}
        every = [opened[each] if isinstance(each, str) else each for each in corpora]
        return SeveralCorpora(every, opened=list(opened.values()))

    def restricted_to(self, where: Where) -> RestrictedKnowledge:
        """The documents that fulfil a filter, to be read by somebody who may see no others.

        Raises:
            FilterError: `where` cannot be read.
            MetadataNotFound: no document has a key that it asks for.
            CorpusNotFound, IndexMissing, DatabaseError: the corpus cannot be filtered.
        """
        fixed = read_filter(where)
        self._matching(fixed)
        return RestrictedKnowledge(self, fixed)
