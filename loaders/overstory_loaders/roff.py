"""roff, the language of manual pages, as far as text depends on it: strings, macros, conditions, escapes.

What only says how a page looks (fonts, sizes, distances) is dropped. A page may call itself without end; the number of
lines that it may become is bounded.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

MOST_ROFF_LINES = 250_000
"""Lines that a page may become when its macros are expanded."""
MOST_ROFF_CHARACTERS = 32_000_000
"""Characters of these lines, and of those that come of expanding strings."""
_MOST_NESTED_STRINGS = 20
"""Strings within each other."""
_MOST_STRING_CHARACTERS = 100_000
"""Characters of a string or a line with its strings expanded."""
_LONGEST_ROFF_NAME_CHARACTERS = 200
"""Characters of a name in brackets: without a limit, each of many open brackets is searched to the end of the line."""

_SPECIAL_WORDS = (
    "- - hy \u2010 en – em — bu • sq □ dq \" aq ' cq ’ oq ‘ lq “ rq ” ga ` aa ´ ha ^ ti ~ rs \\ sl / ul _ ru _ bv | "
    "br | co © rg ® tm ™ de ° dg † dd ‡ sc § ps ¶ ct ¢ Eu € Po £ Ye ¥ +- ± mu × di ÷ -> → <- ← <> ↔ ua ↑ da ↓ lA ⇐ rA "
    "⇒ >= ≥ <= ≤ != ≠ == ≡ ~= ≈ ap ∼ if ∞ sr √ pl + mi − eq = ** * mc µ Fo « Fc » fo ‹ fc › ss ß AE Æ ae æ OE Œ "
    "oe œ /O Ø /o ø oA Å oa å ,C Ç ,c ç -D Ð Sd ð TP Þ Tp þ 12 ½ 14 ¼ 34 ¾ S1 ¹ S2 ² S3 ³ fm ′ sd ″ *a α *b β *g "
    "γ *d δ *e ε *h η *l λ *m μ *p π *r ρ *s σ *t τ *f φ *w ω *W - *S Σ *D Δ ff ff fi fi fl fl Fi ffi Fl ffl at @ "
    "sh # Do $ lB [ rB ] lC { rC } la ⟨ ra ⟩ ci ○ OK ✓ no ¬ es ∅ mo ∈ fa ∀ te ∃ nb ⊄ tmu × pc · md ⋅ Bq „ bq ‚ r! "
    "¡ r? ¿ shc \u00ad"
)
_SPECIAL = _SPECIAL_WORDS.split(" ")
SPECIAL_CHARACTERS = dict(zip(_SPECIAL[::2], _SPECIAL[1::2], strict=True))
"""Characters by their names in groff; `*W` is what pod2man makes dashes of."""
_ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", ":": "\u0308", "~": "\u0303", "v": "\u030c", ",": "\u0327"}
_LITERAL = {
    "-": "-",
    "e": "\\",
    "E": "\\",
    "\\": "\\",
    " ": " ",
    "~": " ",
    "0": " ",
    "t": "\t",
    "'": "'",
    "`": "`",
    ".": ".",
    '"': "",
    "_": "_",
    "a": "",
    "@": "@",
    "<": "<",
    ">": ">",
    "]": "]",
    "+": "+",
}
_DROPPED = frozenset("&|^%:,/)!cdpru{}z?")
_QUOTED = frozenset("hvlLDbXZABCHNoRSwx")
_NAMED = frozenset("fFgkmMnVY*")
_BRACKETED = rf"[^\]\n]{{0,{_LONGEST_ROFF_NAME_CHARACTERS}}}+"
_ESCAPE = re.compile(
    rf"""\\(?:
      (?P<special>\((?P<two>..)|\[(?P<long>{_BRACKETED})\])
    | (?P<size>s(?:\[{_BRACKETED}\]|'[^']*'|[+-]?\(..|\([+-]?..|[+-]?(?:[1-3][0-9]|[0-9])))
    | (?P<named>[fFgkmMnVY*][+-]?)(?:\((?P<name2>..)|\[(?P<name>{_BRACKETED})\]|(?P<name1>[^\n]))
    | (?P<quoted>[hvlLDbXZABCHNoRSwx])(?P<mark>['"|])(?P<inner>(?:(?!(?P=mark)).)*)(?P=mark)
    | (?P<argument>\$(?:[0-9*@]|\([^\n][^\n]|\[{_BRACKETED}\]))
    | (?P<one>.)
    )?""",
    re.VERBOSE,
)
_STRING = re.compile(rf"\\([*n])(?:\((..)|\[({_BRACKETED})\]|(.))")
_ARGUMENT = re.compile(rf"\\\$(?:([0-9*@])|\((..)|\[({_BRACKETED})\])")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)\\[\"#].*")
_REQUEST = re.compile(r"[.'][ \t]*([^\s\\]*)[ \t]*(.*)", re.DOTALL)
_WORD = re.compile(r'"((?:[^"]|"")*)"?|((?:[^\s\\]|\\.)+)', re.DOTALL)
_NUMBER = re.compile(r"([-+*/%<>=&:]=?|(?<!\s))\s*+\(?(-?\d+)(?:\.\d+)?[a-zA-Z]?\)?")


class RoffLine(NamedTuple):
    """A line of a page as it is printed: the name of a macro with its arguments, or a text with "" for the name."""

    macro: str
    arguments: list[str]
    text: str


def arguments_of(rest: str) -> list[str]:
    """The arguments of a macro: words, or what stands in quotes."""
    return [quoted.replace('""', '"') if word == "" else word for quoted, word in _WORD.findall(rest)]


class Roff:
    """Reads a page: yields its text and the macros that nobody but its reader knows.

    Args:
        page: what the file holds.
        include: the text of a file that the page names, "" where it cannot be had.
    """

    def __init__(self, page: str, include: Callable[[str], str]) -> None:
        self._lines = deque(page.split("\n"))
        self._include = include
        self._macros: dict[str, list[str]] = {}
        self._strings: dict[str, str] = {"lq": "“", "rq": "”", "R": "®", "Tm": "™", "S": ""}
        self._registers: dict[str, int] = {".g": 1, ".x": 1, ".y": 22, ".l": 70, ".$": 0}
        self._otherwise: list[bool] = []
        self._left = MOST_ROFF_LINES
        self._characters = MOST_ROFF_CHARACTERS

    @property
    def cut(self) -> bool:
        """True if the page became longer than allowed."""
        return self._left < 0 or self._characters < 0

    def lines(self) -> Iterator[RoffLine]:
        while self._lines:
            line = self._next()
            if self.cut:
                return
            found = _REQUEST.match(line) if line[:1] in (".", "'") else None
            if found is None:
                yield RoffLine("", [], plain(self._expanded(line), self._registers))
            elif found[1]:
                in_columns = found[1] == "It" and "\t" in found[2]
                yield from self._request(found[1], found[2].replace("\t", " Ta ") if in_columns else found[2])

    def _next(self) -> str:
        line = self._lines.popleft()
        self._left -= 1
        self._characters -= len(line)
        line = _COMMENT.sub(r"\1", line)
        while line.endswith("\\") and not line.endswith("\\\\") and self._lines and len(line) < _MOST_STRING_CHARACTERS:
            line = line[:-1] + _COMMENT.sub(r"\1", self._lines.popleft())
            self._left -= 1
        return line

    def _request(self, name: str, rest: str) -> Iterator[RoffLine]:
        match name:
            case "de" | "am" | "de1" | "dei":
                self._define(rest, more=name == "am")
            case "ig":
                self._until((rest.split() or ["."])[0])
            case "ds" | "as" | "ds1":
                self._set_string(rest, more=name == "as")
            case "nr":
                self._set_register(rest)
            case "rm":
                for each in rest.split():
                    self._macros.pop(each, None)
                    self._strings.pop(each, None)
            case "rn" | "als":
                self._rename(rest, keep=name == "als")
            case "if" | "ie":
                self._condition(rest, remember=name == "ie")
            case "el":
                self._branch(self._otherwise.pop() if self._otherwise else False, rest)
            case "while":
                self._branch(False, rest)  # counts something for the printer
            case "so" | "mso":
                if name == "so" and rest.strip():
                    self._lines.extendleft(reversed(self._include(rest.split()[0]).split("\n")))
            case _:
                words = arguments_of(self._expanded(rest))
                if name in self._macros:
                    self._call(name, words)
                else:
                    yield RoffLine(name, [plain(word, self._registers) for word in words], "")

    def table(self) -> list[str]:
        """The lines up to the end of a table, with escapes."""
        return self._until("TE")

    def expanded(self, text: str) -> str:
        """A text of a table without strings and escapes."""
        return plain(self._expanded(text), self._registers)

    def _until(self, end: str) -> list[str]:
        """The lines up to the request that ends a block, which is dropped."""
        found: list[str] = []
        while self._lines:
            line = self._lines.popleft()
            self._left -= 1
            self._characters -= len(line)
            if line[:1] in (".", "'") and line[1:].strip() == end:
                break
            found.append(line)
        return found

    def _define(self, rest: str, *, more: bool) -> None:
        name, *ends = rest.split() or [""]
        body = [line.replace("\\\\", "\\") for line in self._until(ends[0] if ends else ".")]
        self._macros[name] = (self._macros.get(name, []) if more else []) + body

    def _call(self, name: str, words: list[str]) -> None:
        body = self._macros[name]
        self._characters -= sum(map(len, words)) * max(1, len(body))
        if self._characters < 0 or len(body) > self._left:
            self._left = -1
            return

        def argument(found: re.Match[str]) -> str:
            key = found[1] or found[2] or found[3] or ""
            if key in ("*", "@"):
                return " ".join(f'"{word}"' if key == "@" else word for word in words)
            return words[int(key) - 1] if key.isdecimal() and 0 < int(key) <= len(words) else name * (key == "0")

        counted = [line.replace("\\n(.$", str(len(words))).replace("\\n[.$]", str(len(words))) for line in body]
        self._lines.extendleft(_ARGUMENT.sub(argument, line) for line in reversed(counted))

    def _set_string(self, rest: str, *, more: bool) -> None:
        name, _, text = rest.partition(" ")
        text = text.lstrip().removeprefix('"')
        whole = (self._strings.get(name, "") if more else "") + text.replace("\\\\", "\\")
        self._strings[name] = whole[:_MOST_STRING_CHARACTERS]

    def _set_register(self, rest: str) -> None:
        words = self._expanded(rest).split()
        if len(words) > 1:
            before = self._registers.get(words[0], 0) if words[1][0] in "+-" else 0
            self._registers[words[0]] = before + self._number(words[1])

    def _rename(self, rest: str, *, keep: bool) -> None:
        names = rest.split()
        if len(names) > 1:
            old, new = (names[1], names[0]) if keep else (names[0], names[1])
            if old in self._macros:
                self._macros[new] = self._macros[old] if keep else self._macros.pop(old)
            if old in self._strings:
                self._strings[new] = self._strings[old] if keep else self._strings.pop(old)

    def _condition(self, rest: str, *, remember: bool) -> None:
        negated = rest.startswith("!")
        holds, then = self._holds(rest.removeprefix("!").lstrip())
        holds = holds != negated
        if remember:
            self._otherwise.append(not holds)
        self._branch(holds, then)

    def _holds(self, rest: str) -> tuple[bool, str]:
        """Whether a condition at the beginning of a line holds, and what stands after it."""
        kind = rest[:1]
        if kind in ("n", "o", "t", "e", "v") and (len(rest) < 2 or not rest[1].isalnum()):
            return kind in ("n", "o"), rest[1:]
        if kind in ("d", "r", "m", "c", "F", "S"):
            name, _, then = rest[1:].lstrip().partition(" ")
            known = self._macros.keys() | self._strings.keys() if kind == "d" else self._registers.keys()
            return name in known or (kind in "cF"), then
        if kind and kind in "'\"^|\x07":
            parts = self._expanded(rest[1:]).split(kind, 2)
            return (len(parts) == 3 and parts[0] == parts[1]), parts[2] if len(parts) == 3 else ""
        rest = _STRING.sub(self._value, rest)
        end = _end_of_expression(rest)
        condition, then = rest[:end].replace(" ", ""), rest[end + 1 :]
        if "\\{" in condition:
            condition, _, after = condition.partition("\\{")
            then = f"\\{{{after} {then}"
        return self._number(self._expanded(condition)) > 0, then

    def _branch(self, holds: bool, rest: str) -> None:
        """Takes or skips what a condition stands before: the rest of its line, or a block of lines in braces."""
        rest = rest.lstrip()
        if not rest.startswith("\\{"):
            if holds and rest:
                self._lines.appendleft(rest)
            return
        body, depth = [rest[2:].removeprefix("\\").lstrip()], 1
        depth += body[0].count("\\{") - body[0].count("\\}")
        while depth > 0 and self._lines:
            line = self._lines.popleft()
            self._left -= 1
            self._characters -= len(line)
            bare = _COMMENT.sub(r"\1", line)
            depth += bare.count("\\{") - bare.count("\\}")
            body.append(line)
        if holds:
            last, brace, after = body[-1].rpartition("\\}")
            body[-1] = last + after if brace else body[-1]
            edges = (0, len(body) - 1)  # where a brace may stand alone, which is no line
            kept = [line for at, line in enumerate(body) if at not in edges or line.strip(".' \t")]
            self._lines.extendleft(reversed(kept))

    def _expanded(self, text: str) -> str:
        """A text with the strings that it names."""
        for _ in range(_MOST_NESTED_STRINGS):
            if "\\*" not in text or len(text) > _MOST_STRING_CHARACTERS:
                break
            self._characters -= len(text)
            text = _STRING.sub(self._string, text)
        return text

    def _string(self, found: re.Match[str]) -> str:
        if found[1] == "n":
            return found.group()
        name = found[2] or found[3] or found[4] or ""
        value = self._strings.get(name.split(" ")[0], "")
        self._characters -= len(value)
        return "" if self.cut else value

    def _value(self, found: re.Match[str]) -> str:
        """As `_string`, with the numbers of registers."""
        name = found[2] or found[3] or found[4] or ""
        return str(self._registers.get(name, 0)) if found[1] == "n" else self._string(found)

    def _number(self, text: str) -> int:
        """An expression's value, from left to right as roff reads it; 0 for what is none."""
        value = 0
        for operator, digits in _NUMBER.findall(plain(text, self._registers)):
            number = int(digits[:9])
            match operator:
                case "+":
                    value += number
                case "-":
                    value -= number
                case "*":
                    value *= number
                case "/" | "%":
                    value = value // number if number else 0
                case "<" | ">" | "=" | "==" | "<=" | ">=":
                    value = int(_COMPARED[operator](value, number))
                case "&":
                    value = int(value > 0 and number > 0)
                case ":":
                    value = int(value > 0 or number > 0)
                case _:
                    value = number
            value = max(-(2**31), min(2**31, value))
        return value


def _end_of_expression(text: str) -> int:
    """The first space outside of parentheses, or the end of the text."""
    depth = 0
    for place, character in enumerate(text):
        if character == " " and depth <= 0:
            return place
        depth += (character == "(") - (character == ")")
    return len(text)


_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "<": int.__lt__,
    ">": int.__gt__,
    "=": int.__eq__,
    "==": int.__eq__,
    "<=": int.__le__,
    ">=": int.__ge__,
}


def plain(text: str, registers: dict[str, int] | None = None) -> str:
    """A text as it is printed, without escapes."""
    if "\\" not in text:
        return text

    def replaced(found: re.Match[str]) -> str:
        if found["special"]:
            return _special(found["two"] or found["long"] or "")
        if found["one"]:
            return _LITERAL.get(found["one"], "" if found["one"] in _DROPPED | _QUOTED | _NAMED else found["one"])
        if found["named"] and found["named"][0] == "n":
            name = found["name2"] or found["name"] or found["name1"] or ""
            return str((registers or {}).get(name, 0))
        if found["quoted"] == "o":
            return (found["inner"] or "")[:1]
        if found["quoted"] == "w":
            return str(len(plain(found["inner"])))
        if found["quoted"] == "N":
            return _character(found["inner"], 10)
        return found["inner"] if found["quoted"] == "Z" else ""

    return _ESCAPE.sub(replaced, text)


def _special(name: str) -> str:
    if name in SPECIAL_CHARACTERS:
        return SPECIAL_CHARACTERS[name]
    if name.startswith("char"):
        return _character(name[4:], 10)
    if re.fullmatch(r"u[0-9A-F]{4,6}(?:_[0-9A-F]{4,6})*", name):
        return "".join(_character(part, 16) for part in name[1:].split("_"))
    if len(name) == 2 and name[0] in _ACCENTS and name[1].isalpha():
        return name[1] + _ACCENTS[name[0]]
    return ""


def _character(digits: str, base: int) -> str:
    try:
        code = int(digits[:7], base)
        return chr(code) if code >= ord(" ") and not 0xD800 <= code < 0xE000 else ""
    except (ValueError, OverflowError):
        return ""
