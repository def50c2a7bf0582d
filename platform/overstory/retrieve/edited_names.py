"""Edits of names by hand as retrievers read them: a name that was merged is asked for by its other name."""

from __future__ import annotations

import threading
from collections import OrderedDict

from overstory.graph import Corpus, Transaction
from overstory.index.name_edits import edited_names
from overstory.text.names.edits import NO_EDITS, EditedNames

_MOST_KEPT_EDIT_LOGS = 8
"""Logs that are kept, some 1 KB an edit."""

_State = tuple[str, object, int]
_lock = threading.Lock()
_kept: OrderedDict[_State, EditedNames] = OrderedDict()


def cached_edits(tx: Transaction, corpus: Corpus) -> EditedNames:
    """What the log of a corpus makes of its names; read again when the corpus has changed."""
    if not corpus.edits_names:
        return NO_EDITS
    state = (corpus.label, corpus.created, corpus.version)
    with _lock:
        if state in _kept:
            _kept.move_to_end(state)
            return _kept[state]
    edits = edited_names(tx, corpus)
    with _lock:
        _kept[state] = edits
        while len(_kept) > _MOST_KEPT_EDIT_LOGS:
            _kept.popitem(last=False)
    return edits
