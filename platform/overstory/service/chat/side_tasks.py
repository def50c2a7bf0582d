"""Requests that chat pages send besides questions: for a title, tags, follow-up questions, search queries, or the end
of a sentence. No corpus is asked for them, and no language model: they are answered from the conversation itself.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

from overstory.display import shortened

SideTask = Literal["title", "tags", "follow_ups", "queries", "autocompletion", "emoji"]

_TITLE_CHARACTERS = 60
_LONGEST_WISH = 400
"""Characters of a prompt that say what it is for."""
DEFAULT_TITLE = "Conversation"

_TASK = re.compile(r"\s*#{1,4}\s*task\s*:", re.IGNORECASE)
_SIGNS: tuple[tuple[SideTask, re.Pattern[str]], ...] = (
    ("follow_ups", re.compile(r"follow[- _]?up", re.IGNORECASE)),
    ("title", re.compile(r"\btitle\b", re.IGNORECASE)),
    ("tags", re.compile(r"\btags\b", re.IGNORECASE)),
    ("queries", re.compile(r"\bqueries\b", re.IGNORECASE)),
    ("autocompletion", re.compile(r"autocomplet", re.IGNORECASE)),
    ("emoji", re.compile(r"\bemoji\b", re.IGNORECASE)),
)
_TITLE_WISH = re.compile(
    r"\s*(?:please\s+)?(?:provide|generate|create|write|give|summari[sz]e|suggest)\b.{0,200}"
    r"\btitle\b.{0,80}\b(?:conversation|chat|dialog|discussion|message)",
    re.IGNORECASE | re.DOTALL,
)
_HISTORY_BEGINS = re.compile(r"<chat_history>", re.IGNORECASE)
_HISTORY_ENDS = re.compile(r"</chat_history>", re.IGNORECASE)
_USER = re.compile(r"^[ \t]*(?:user|human)[ \t]*:", re.IGNORECASE | re.MULTILINE)
_ASSISTANT = re.compile(r"^[ \t]*(?:assistant|ai)[ \t]*:", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SideAnswer:
    """The answer to a request that is no question.

    Attributes:
        text: in the form that the pages ask for.
    """

    task: SideTask
    text: str


def side_answer(last: str, earlier: list[str]) -> SideAnswer | None:
    """The answer to a request that is no question to the corpus; None for a question.

    Args:
        last: what the user's last message says.
        earlier: what their messages before say, oldest first.
    """
    task = _task(last)
    if task is None:
        return None
    if task == "title":
        title = _title(last, earlier)
        wants_json = re.search(r"json", last, re.IGNORECASE)
        return SideAnswer(task, json.dumps({"title": title}, ensure_ascii=False) if wants_json else title)
    texts = {
        "tags": '{"tags": []}',
        "follow_ups": '{"follow_ups": []}',
        "queries": '{"queries": []}',
        "autocompletion": '{"text": ""}',
        "emoji": "💬",
    }
    return SideAnswer(task, texts[task])


def _task(text: str) -> SideTask | None:
    """The pages' prompts begin with a heading, or ask in the first words for the title of a conversation."""
    if _TASK.match(text):
        wish = text.partition(":")[2].lstrip()[:_LONGEST_WISH]
        found: list[tuple[int, SideTask]] = [
            (match.start(), task) for task, sign in _SIGNS if (match := sign.search(wish))
        ]
        return min(found)[1] if found else None
    return "title" if _TITLE_WISH.match(text) else None


def _title(text: str, earlier: list[str]) -> str:
    begin = _HISTORY_BEGINS.search(text)
    end = _HISTORY_ENDS.search(text, begin.end()) if begin else None
    said = _said_first(text[begin.end() : end.start()] if begin and end else text)
    first = said or (earlier[0] if earlier else "")
    return shortened(" ".join(first.split()), _TITLE_CHARACTERS) or DEFAULT_TITLE


def _said_first(history: str) -> str:
    """What the first lines of the user say in a conversation that is written down; empty if there are none."""
    user = _USER.search(history)
    if user is None:
        return ""
    assistant = _ASSISTANT.search(history, user.end())
    return history[user.end() : assistant.start() if assistant else len(history)].strip()
