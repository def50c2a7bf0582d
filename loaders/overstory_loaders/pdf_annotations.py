"""Reads the text that a PDF page shows on top of its contents: values of form fields, free text and stamps."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from overstory_loaders.blocks import clean_text

if TYPE_CHECKING:
    from pypdf import PageObject

CHECKED, UNCHECKED = "☒", "☐"
_HIDDEN = 0b10_0010
"""Flags of an annotation that is not shown on the screen: Hidden and NoView."""
_PUSH_BUTTON, _PASSWORD = 1 << 16, 1 << 13
_MOST_PARENTS = 50
_OFF = "Off"

_BASELINE_SHARE = 0.3
"""Height of the baseline in a field of one line, as a fraction of the field's height."""
_TALLEST_LINE_POINTS = 30.0
"""Maximum height of a field of one line. The label of a taller field is next to its first line."""
_FIRST_BASELINE_POINTS = 12.0
_SLACK_POINTS = 3.0
"""Distance by which a label may lie outside the lines of its field, and by which two baselines of a line may differ."""
_WIDEST_GAP_POINTS = 40.0
"""Maximum distance of the label on the right of a check box."""
_HIGHEST_LABEL_POINTS = 18.0
"""Maximum distance of the label above a field."""


@dataclass(frozen=True, slots=True)
class TextRun:
    """A piece of the text of a page, with the position of its beginning in points."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class FormField:
    """A form field on a page.

    Attributes:
        name: description of the field or, failing that, its name.
        value: value as it is shown. For a check box, the name of its state; "" if it is not checked.
        box: left, bottom, right and top of the field in points.
    """

    name: str
    value: str
    box: tuple[float, float, float, float]
    is_check_box: bool = False

    @property
    def line(self) -> str:
        return f"{self.name}: {self.value}" if self.name else self.value


TextOfForm = Callable[[Any], str]
"""Function that returns the text that an appearance stream draws."""


def shown_annotations(page: PageObject, text_of: TextOfForm) -> Iterator[FormField | str]:
    """Yield the form fields of a page, and the texts of its stamps and free-text annotations. Comments are left out."""
    for each in _resolved(page.get("/Annots")) or ():
        annotation = _resolved(each)
        if not isinstance(annotation, dict) or int(annotation.get("/F", 0)) & _HIDDEN:
            continue
        kind = annotation.get("/Subtype")
        if kind == "/Widget":
            field = _field(annotation, text_of)
            if field is not None and (field.value or field.is_check_box):
                yield field
        elif kind == "/FreeText":
            yield _string(annotation.get("/Contents")) or _drawn(annotation, text_of)
        elif kind == "/Stamp":
            yield (
                _drawn(annotation, text_of) or _string(annotation.get("/Contents")) or _string(annotation.get("/Name"))
            )


def filled(runs: Sequence[TextRun], fields: Sequence[FormField]) -> str:
    """Return the text of a page with each value after the label that is printed next to its field, or above it.

    A check box is shown as ☒ or ☐ before the label on its right. Fields without a label follow as "name: value".
    """
    by_height = sorted(range(len(runs)), key=lambda place: runs[place].y)
    heights = [runs[place].y for place in by_height]
    before: dict[int, list[str]] = {}
    after: dict[int, list[str]] = {}
    unlabelled: list[str] = []
    for field in sorted(fields, key=lambda each: (-each.box[3], each.box[0])):
        _, bottom, _, top = field.box
        lowest, highest = bottom - _SLACK_POINTS, top + _HIGHEST_LABEL_POINTS
        near = by_height[bisect_left(heights, lowest) : bisect_right(heights, highest)]
        near = [place for place in near if runs[place].text.strip()]
        if field.is_check_box and (label := _on_right(runs, near, field)) is not None:
            before.setdefault(label, []).append(CHECKED if field.value else UNCHECKED)
        elif not field.value:
            continue
        elif (label := _label(runs, near, field)) is not None:
            after.setdefault(label, []).append(field.value)
        else:
            unlabelled.append(field.line)
    shown: list[str] = []
    for place, run in enumerate(runs):
        if place - 1 in after and not (shown[-1][-1].isspace() or run.text[0].isspace()):
            shown.append(" ")
        shown.append(_labelled(run.text, before.get(place, ()), after.get(place, ())))
    return "\n".join(["".join(shown).rstrip(), *unlabelled])


def _on_right(runs: Sequence[TextRun], near: Sequence[int], field: FormField) -> int | None:
    _, bottom, right, top = field.box
    found = [
        place
        for place in near
        if bottom - _SLACK_POINTS <= runs[place].y <= top and 0 <= runs[place].x - right <= _WIDEST_GAP_POINTS
    ]
    return min(found, key=lambda place: runs[place].x, default=None)


def _label(runs: Sequence[TextRun], near: Sequence[int], field: FormField) -> int | None:
    """Return the place of the nearest text on the left of a field or, failing that, above it."""
    left, bottom, right, top = field.box
    is_line = top - bottom <= _TALLEST_LINE_POINTS
    baseline = bottom + _BASELINE_SHARE * (top - bottom) if is_line else top - _FIRST_BASELINE_POINTS
    reach = (top - bottom) / 2 if is_line else _FIRST_BASELINE_POINTS
    on_left = [
        place for place in near if runs[place].x < left and abs(runs[place].y - baseline) <= reach + _SLACK_POINTS
    ]
    if on_left:
        nearest = min(abs(runs[place].y - baseline) for place in on_left)
        row = [place for place in on_left if abs(runs[place].y - baseline) <= nearest + _SLACK_POINTS]
        return max(row, key=lambda place: (runs[place].x, place))
    above = [
        place
        for place in near
        if runs[place].y >= top - _SLACK_POINTS and left - _FIRST_BASELINE_POINTS <= runs[place].x <= right
    ]
    return min(above, key=lambda place: (runs[place].y, abs(runs[place].x - left)), default=None)


def _labelled(text: str, marks: Sequence[str], values: Sequence[str]) -> str:
    if not marks and not values:
        return text
    label = text.strip()
    before, _, after = text.partition(label)
    joint = ": " if values and label[-1].isalnum() else " "
    return f"{before}{' '.join([*marks, label])}{joint if values else ''}{' '.join(values)}{after}"


def _field(widget: Any, text_of: TextOfForm) -> FormField | None:
    kind = _inherited(widget, "/FT")
    flags = _inherited(widget, "/Ff")
    flags = flags if isinstance(flags, int) else 0
    sides = [float(_resolved(side)) for side in _resolved(widget["/Rect"])]
    box = (min(sides[::2]), min(sides[1::2]), max(sides[::2]), max(sides[1::2]))
    if kind == "/Btn":
        return None if flags & _PUSH_BUTTON else FormField(_name(widget), _state(widget), box, is_check_box=True)
    if flags & _PASSWORD and kind == "/Tx":
        return None
    value = _inherited(widget, "/V")
    if kind == "/Sig":
        signer = _string(value.get("/Name")) if isinstance(value, dict) else ""
        return FormField(_name(widget), _drawn(widget, text_of) or signer, box)
    shown = ", ".join(_choice(each, widget) for each in _list(value)) if kind == "/Ch" else _string(value)
    return FormField(_name(widget), shown or _drawn(widget, text_of), box)


def _state(widget: Any) -> str:
    """Return the name of the state of a check box or radio button; "" if it is not checked."""
    appearances = _resolved((_resolved(widget.get("/AP")) or {}).get("/N"))
    states = [_string(each) for each in appearances or ()] if isinstance(appearances, dict) else []
    value = _string(_inherited(widget, "/V"))
    state = _string(widget.get("/AS")) or (value if not states or value in states else _OFF)
    options = _list(_inherited(widget, "/Opt"))
    if state.isdecimal() and int(state) < len(options):
        return _string(options[int(state)])
    return "" if state == _OFF else state


def _choice(value: Any, widget: Any) -> str:
    """Return the text that is shown for a choice, which may differ from the stored value."""
    for option in _list(_inherited(widget, "/Opt")):
        pair = _list(option)
        if len(pair) == 2 and _string(pair[0]) == _string(value):  # stored value and shown text
            return _string(pair[1])
    return _string(value)


def _name(widget: Any) -> str:
    names = [_string(each.get("/T")) for each in _lineage(widget)]
    described = next((text for each in _lineage(widget) if (text := _string(each.get("/TU")))), "")
    return described or ".".join(name for name in reversed(names) if name)


def _inherited(widget: Any, key: str) -> Any:
    return next((value for each in _lineage(widget) if (value := _resolved(each.get(key))) is not None), None)


def _lineage(widget: Any) -> Iterator[Any]:
    for _ in range(_MOST_PARENTS):
        if not isinstance(widget, dict):
            return
        yield widget
        widget = _resolved(widget.get("/Parent"))


def _drawn(annotation: Any, text_of: TextOfForm) -> str:
    """Return the text that the appearance of an annotation draws."""
    appearance = _resolved((_resolved(annotation.get("/AP")) or {}).get("/N"))
    return clean_text(text_of(appearance)) if hasattr(appearance, "get_data") else ""


def _resolved(value: Any) -> Any:
    from pypdf.generic import NullObject

    value = value.get_object() if hasattr(value, "get_object") else value
    return None if isinstance(value, NullObject) else value


def _list(value: Any) -> list[Any]:
    value = _resolved(value)
    return [_resolved(each) for each in value] if isinstance(value, list) else [value]


def _string(value: Any) -> str:
    """Return a text, a name or the text in a stream; "" for anything else."""
    from pypdf.generic import NameObject

    value = _resolved(value)
    if hasattr(value, "get_data"):
        value = value.get_data()
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if not isinstance(value, str):
        return str(value) if isinstance(value, int | float) else ""
    return clean_text(value.removeprefix("/") if isinstance(value, NameObject) else value)
