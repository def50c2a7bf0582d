"""The words of a line of mdoc(7), many of which are macros themselves, as text."""

from __future__ import annotations

from collections.abc import Sequence

_ENCLOSED = {
    "Op": "[]",
    "Dq": "“”",
    "Sq": "‘’",
    "Pq": "()",
    "Aq": "<>",
    "Bq": "[]",
    "Brq": "{}",
    "Qq": '""',
    "Ql": "‘’",
}
_OPENING = {"Oo": "[", "Ao": "<", "Bo": "[", "Po": "(", "Do": "“", "So": "‘", "Qo": '"', "Bro": "{", "Xo": ""}
_CLOSING = {"Oc": "]", "Ac": ">", "Bc": "]", "Pc": ")", "Dc": "”", "Sc": "’", "Qc": '"', "Brc": "}", "Xc": ""}
_WORDS = {
    "Ux": "UNIX",
    "Bx": "BSD",
    "Fx": "FreeBSD",
    "Nx": "NetBSD",
    "Ox": "OpenBSD",
    "Dx": "DragonFly",
    "Bsx": "BSD/OS",
    "At": "AT&T UNIX",
    "Ud": "currently under development",
}
_PLAIN_WORDS = (
    "Ar Cm Ic Li Sy Em Pa Va Vt Ev Dv Er Fa Ft Ad An Mt Tn No Ms Cd Sx Fd Nm Fl Cm Lb St Lk Fn In Xr Ns Pf Ap Hf "
    "Bt Tg Fr Ot"
)
_PLAIN = frozenset(_PLAIN_WORDS.split())
CALLABLE = _PLAIN | _ENCLOSED.keys() | _OPENING.keys() | _CLOSING.keys() | _WORDS.keys()
_AFTER = frozenset(".,:;)]?!")


class MdocLine:
    """The text of a line of mdoc, whose words may be macros themselves."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._parts: list[str] = []
        self._tight = False

    def text(self, words: Sequence[str]) -> str:
        closing: list[str] = []
        after: list[str] = []
        words = list(words)
        while len(words) > 1 and words[-1] in _AFTER:
            after.append(words.pop())
        macro = ""
        said = True
        for word in words:
            if word in CALLABLE:
                self._leave(macro, said)
                macro, said = word, False
                if word in _ENCLOSED:
                    marks = _ENCLOSED[word]
                    self._open(marks[0])
                    closing.append(marks[1])
                elif word in _OPENING:
                    self._open(_OPENING[word])
                elif word in _CLOSING:
                    self._close(_CLOSING[word])
                elif word in _WORDS:
                    self._add(_WORDS[word])
                elif word in ("Ns", "Pf", "Ap"):
                    if word == "Ap":
                        self._close("'")
                    self._tight = word != "Pf"
                continue
            said = self._word(macro, word, said)
        self._leave(macro, said)
        for close in reversed(closing):
            self._close(close)
        for mark in reversed(after):
            self._close(mark)
        return "".join(self._parts).strip()

    def _word(self, macro: str, word: str, said: bool) -> bool:
        if word in _AFTER:
            self._leave(macro, said)
            self._close(word)
        elif word in ("(", "["):
            self._open(word)
        elif macro == "Fl":
            self._add(f"-{word}")
        elif macro == "Xr" and said and self._parts and not self._parts[-1].endswith(")"):
            self._close(f"({word})")
        elif macro == "Fn" and not said:
            self._add(f"{word}(")
        elif macro == "Fn":
            self._close(word if self._parts[-1].endswith("(") else f", {word}")
        elif macro == "In":
            self._add(f"<{word}>")
        elif macro == "Pf" and not said:
            self._add(word)
            self._tight = True
        else:
            self._add(word)
        return True

    def _leave(self, macro: str, said: bool) -> None:
        """What a macro says without words, or after its last one."""
        if macro == "Fn" and said:
            self._close(")")
        if said:
            return
        if macro == "Fl":
            self._add("-")
        elif macro == "Ar":
            self._add("file ...")
        elif macro == "Nm":
            self._add(self._name)

    def _add(self, word: str) -> None:
        if self._parts and not self._tight:
            self._parts.append(" ")
        self._parts.append(word)
        self._tight = False

    def _open(self, mark: str) -> None:
        self._add(mark)
        self._tight = True

    def _close(self, mark: str) -> None:
        self._parts.append(mark)
        self._tight = False
