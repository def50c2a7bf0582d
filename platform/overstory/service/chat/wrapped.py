"""Questions that a chat page has put into a prompt template, as Open WebUI does where it has found passages itself."""

from __future__ import annotations

OPENING, CLOSING = "<user_query>", "</user_query>"
_CONTEXT_OPENING, _CONTEXT_CLOSING = "<context>", "</context>"


def unwrapped(message: str) -> str:
    """Return what stands between <user_query> and </user_query>, or the whole message if nothing does.

    What stands between <context> and </context> is text of documents, in which another question may stand.
    """
    before, opened, rest = message.partition(_CONTEXT_OPENING)
    _, closed, after = rest.rpartition(_CONTEXT_CLOSING)
    own = f"{before}{after}" if opened and closed else message
    for text in (own, message):
        question = text.partition(OPENING)[2].rpartition(CLOSING)[0].strip()
        if question:
            return question
    return message
