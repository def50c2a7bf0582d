"""Prompts: text files with named slots, into which untrusted texts are inserted safely.

A prompt is a file `prompts/NAME.md`. Each of the headings `## system`, `## user` and `## assistant` begins a message.
Text before the first heading is a comment.

The slot `{{slot}}` takes a trusted text, such as the user's question. The slot `{{data:slot}}` takes one or more
untrusted texts, such as retrieved passages. Each of these texts is enclosed in a tag:

    <passage-3f9a1c nr="1">
    …
    </passage-3f9a1c>

A text cannot close its own tag, for two reasons: the digits in the tag depend on all texts in the slot, and anything in
a text that looks like the tag is escaped. The control tokens of common models (`<|im_end|>`, `[/INST]`) are escaped as
well, because some servers would interpret them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import cast

from overstory.errors import SettingsError
from overstory.llm.digests import digest_of, fingerprint_of
from overstory.model import Message, Role
from overstory.surrogates import well_formed

_PROMPTS_VERSION = 1
"""Version of the code that fills slots. It is part of the fingerprint of every prompt."""

_MOST_CHARACTERS_TO_A_TAG = 32
"""A bracket is escaped if at most this many non-word characters separate it from the name of the tag."""

SlotValue = str | Sequence[str]

_HEADING = re.compile(r"^## (system|user|assistant)[ \t]*$", re.MULTILINE)
_SLOT = re.compile(r"\{\{(data:)?([a-z][a-z_]*)\}\}")
_BRACES = re.compile(r"\{\{|\}\}")

_CONTROL = re.compile(
    r"<(?=[|｜]|/?s>|<?/?SYS>|/?(?:start|end)_of_turn>|/?(?:bos|eos|pad|unk)>|/?think>)"  # ｜ is used by DeepSeek
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])",
    re.IGNORECASE,
)
_DEFUSED = {"<": "‹", "[": "⁅"}
_UNSEEN = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\U000e0000-\\U000e007f]"
)
"""Invisible characters: control characters, direction marks and tag characters. Models read them, but people cannot see
them."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: a list of messages with slots to be filled.

    Attributes:
        fingerprint: changes whenever the messages, or the way in which slots are filled, change.
        parts: the role of each message, and its text with unfilled slots.
    """

    name: str
    fingerprint: str
    parts: tuple[tuple[Role, str], ...]

    @property
    def slots(self) -> frozenset[str]:
        """The names of the slots, without the prefix `data:`."""
        return frozenset(name for _, text in self.parts for _, name in _SLOT.findall(text))

    def messages(self, **values: SlotValue) -> list[Message]:
        """Return the messages with all slots filled.

        Args:
            values: one text for each `{{slot}}`, and one or more texts for each `{{data:slot}}`.
        """
        if values.keys() != self.slots:
            raise TypeError(f"The prompt {self.name!r} needs values for {sorted(self.slots)}, got {sorted(values)}.")
        return [Message(role, _filled(text, values)) for role, text in self.parts]


@functools.cache
def prompt(name: str, package: str = "overstory.llm") -> Prompt:
    """Return the prompt in the file `prompts/NAME.md` of a package."""
    file = files(package) / "prompts" / f"{name}.md"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise SettingsError(
            f"There is no prompt {name!r} in {package}: {error}", remedy="Reinstall the package."
        ) from error
    return parse_prompt(name, text)


def read_prompt(path: Path) -> Prompt:
    """Read a prompt from a file that the user provides."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The prompt {path} cannot be read: {error}", remedy="Check the path.") from error
    return parse_prompt(path.stem, text)


def parse_prompt(name: str, text: str) -> Prompt:
    """Parse the text of a prompt file.

    Raises:
        SettingsError: The text contains no message, an empty message, or braces that do not form a slot.
    """
    pieces = _HEADING.split(text)
    parts: tuple[tuple[Role, str], ...] = tuple(
        (cast("Role", role), body.strip()) for role, body in zip(pieces[1::2], pieces[2::2], strict=True)
    )
    if not parts or not all(body for _, body in parts):
        raise SettingsError(
            f"The prompt {name!r} has no message, or an empty message.",
            remedy="Begin each message with a line ## system, ## user or ## assistant, and write its text below.",
        )
    if any(_BRACES.search(_SLOT.sub("", body)) for _, body in parts):
        raise SettingsError(
            f"The prompt {name!r} has double braces that are not a slot.",
            remedy="A slot is {{name}} or {{data:name}}, in lowercase letters and underscores.",
        )
    return Prompt(name, fingerprint_of(f"prompt-{name}", _PROMPTS_VERSION, parts), parts)


def as_data(tag: str, texts: Sequence[str]) -> str:
    """Enclose each untrusted text in a tag that the text cannot close, and number the tags from 1.

    Args:
        tag: name of the tag, consisting of letters and underscores.
    """
    # The length of the match is bounded. Otherwise a text with many "<" would take quadratic time.
    own = re.compile(rf"<(?=\W{{0,{_MOST_CHARACTERS_TO_A_TAG}}}{re.escape(tag)})", re.IGNORECASE)
    defused = [own.sub(_DEFUSED["<"], without_control_tokens(text)) for text in texts]
    mark = f"{tag}-{digest_of(tag, defused)[:6]}"
    return "\n".join(f'<{mark} nr="{nr}">\n{text}\n</{mark}>' for nr, text in enumerate(defused, start=1))


def without_control_tokens(text: str) -> str:
    """Remove invisible characters from a text, and replace the opening brackets of control tokens."""
    return _CONTROL.sub(lambda match: _DEFUSED[match.group()], _UNSEEN.sub("", well_formed(text)))


def _filled(text: str, values: Mapping[str, SlotValue]) -> str:
    """Fill all slots of a message in one pass, so that slots inside the inserted values are not filled."""

    def fill(slot: re.Match[str]) -> str:
        name, value = slot[2], values[slot[2]]
        if slot[1]:
            return as_data(name, [value] if isinstance(value, str) else value)
        if not isinstance(value, str):
            raise TypeError(f"The slot {name!r} takes one text, got {len(value)}.")
        return without_control_tokens(value)

    return _SLOT.sub(fill, text)
