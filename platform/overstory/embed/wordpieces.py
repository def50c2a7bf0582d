"""The tokenizer of all-MiniLM-L6-v2: texts to token ids."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from tokenizers import Tokenizer

from overstory.embed.files import checked
from overstory.surrogates import well_formed

TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
REMEDY = "Reinstall Overstory: pip install --force-reinstall --no-deps overstory"

_LONGEST_WORD_TOKENS = 100
"""Maximum tokens of a word: WordPiece maps longer words to the unknown token."""
_FIRST_LOOK_CHARACTERS = 4_096
"""Characters of a long text that are tokenized first; four times the length of 256 tokens of English."""


class WordPieces:
    """The tokenizer of all-MiniLM-L6-v2. Safe to use from several threads."""

    def __init__(self) -> None:
        path = Path(str(resources.files("overstory.embed") / "data" / "all-MiniLM-L6-v2" / "tokenizer.json"))
        tokenizer = Tokenizer.from_file(str(checked(path, TOKENIZER_SHA256, remedy=REMEDY)))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, [CLS] and [SEP] included."""
        return [len(ids) for ids in self._whole(texts)]

    def ids(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """Token ids of each text, truncated to `limit` with [CLS] and [SEP] kept.

        Only the necessary part of a long text is tokenized: 100 kB cost the same as 4 kB.
        """
        found = self._whole([text[:_FIRST_LOOK_CHARACTERS] for text in texts])
        for i, text in enumerate(texts):
            look = _FIRST_LOOK_CHARACTERS
            # Truncation may change the tokens of the last word, so they must lie beyond the limit.
            while look < len(text) and len(found[i]) < limit + _LONGEST_WORD_TOKENS:
                look *= 4
                found[i] = self._whole([text[:look]])[0]
        return [ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]] for ids in found]

    def _whole(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast([well_formed(text) for text in texts])]
