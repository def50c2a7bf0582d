"""Questions about all documents at once, which no single passage answers: "What are the main themes?"

GraphRAG calls them global questions. Such a question names nothing, so that all of its words are of a small vocabulary.
English only, as the question words of `form`.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MOST_WORDS = 30

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_TERM = re.compile(r"\W*what(?:['’]s|\s+is|\s+are)\s+(?:an?\s+)?\w+\W*", re.IGNORECASE)
""" "What is a theme?", which asks for the meaning of a word."""

_DOCUMENTS = _words(
    "archive archives article articles collection collections corpora corpus dataset datasets doc docs document"
    " documents everything file files papers passages records sources texts"
)
_POINTERS = _words("these this those")
"""What stands for documents where no noun follows: "What is this about?\" """
_THEMES = _words("subject subjects theme themes topic topics")
_POINTS = _words(
    "areas categories category concepts concerns contents domains field fields findings focus idea ideas"
    " insights issues matter matters message messages motifs patterns point points takeaways threads trends"
)
"""What is asked of all documents with a word of `_RANKS`, or with one for them."""
_RANKS = _words(
    "big biggest broad central common core different dominant essential frequent frequently general important key"
    " leading main major most often overall overarching primary principal prominent recurrent recurring"
    " significant top various"
)
_SUMMARIES = _words("digest gist outline overview overviews recap summary summaries survey synopsis")
_SUMMARISE = _words("characterise characterize describe outline recap summarise summarize sum")
_TREATS = _words(
    "about address addressed contain contained cover covered deal dealt discuss discussed explored in learn mention"
    " mentioned present speak talk treat treated"
)
_OTHERS = _words(
    "a across again all among an and any appear are available base be brief briefly by can collected come"
    " complete concise could data do does each entire few find first for found from full give given good have"
    " hello here hi high i identify indexed ingested into is it just kind knowledge learn level like list loaded"
    " made make me mine my name need of ok on one or our out over paragraph people please provide provided quick"
    " read rough run say sentence sentences set short shortly show so some tell that the their them there they"
    " through throughout to together two up upon us want was we were what what's what’s whats which whole will"
    " with within words would write you your"
)
_KNOWN = _DOCUMENTS | _POINTERS | _THEMES | _POINTS | _RANKS | _SUMMARIES | _SUMMARISE | _TREATS | _OTHERS


def asks_about_whole_corpus(question: str) -> bool:
    """Whether a question asks what all documents are about, and names nothing.

    True of "What are the main themes of these documents?", "What is this about?" and "Give me an overview", not of
    "What is the main theme of Dracula?".
    """
    found = _WORD.findall(question[: 20 * MOST_WORDS].lower())
    words = frozenset(found)
    if not found or len(found) > MOST_WORDS or len(question) > 20 * MOST_WORDS or not words <= _KNOWN:
        return False
    documents = words & _DOCUMENTS or {"data", "set"} <= words or {"knowledge", "base"} <= words
    if words & _THEMES or words & _SUMMARIES:
        return not _TERM.fullmatch(question)
    if words & _POINTS:
        return bool(words & _RANKS or documents)
    if words & _SUMMARISE:
        return bool(documents or words & _POINTERS)
    return bool(words & _TREATS and (documents or (words & _POINTERS and "about" in words)))
