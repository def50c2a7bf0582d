"""Typed settings: the fields of a frozen dataclass declare the options of a system's index or retriever.

    @dataclass(frozen=True, slots=True)
    class SeragIndexSettings:
        levels: int = option(2, "community levels between the root and the chunks", least=1, most=8)
        semantic: bool = option(False, "a second tree, over meaning alone")

- `parse` reads options in command-line form (`serag:levels=3,semantic`).
- `check` validates a settings object that a program has created.
- `usage` returns the help text.

A settings class can define presets, which are named combinations of values:

    presets: ClassVar[Presets] = {"flat": Preset("without the tree", {"coarse": 0.0})}
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar, get_args, get_type_hints

from overstory.errors import SettingsError


class Preset(NamedTuple):
    """A named combination of option values.

    Attributes:
        changes: Map from field names to the values that the preset sets.
    """

    help: str
    changes: Mapping[str, object]


Presets = Mapping[str, Preset]
"""Map from names to presets. If two presets set the same field, the later preset takes precedence."""

DEFAULTS = "defaults"
"""Name of the option that resets all fields to their defaults. Every settings class has it."""

_DECLARED = "overstory"
_SWITCH = {"yes": True, "true": True, "no": False, "false": False}


class SettingsClass(Protocol):
    """A frozen dataclass whose fields are declared with `option` or have plain default values."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


S = TypeVar("S", bound=SettingsClass)


@dataclass(frozen=True, slots=True)
class _Declared:
    help: str
    least: float
    most: float
    only_with: tuple[str, object] | None


@dataclass(frozen=True, slots=True)
class Option:
    """An option in the form in which the help shows it.

    Attributes:
        name: Name on the command line.
        values: Allowed values, such as "1 to 8" or "auto|exact|gds".
        default: Default value as it is written on the command line.
        switch: True for a yes/no option.
    """

    name: str
    values: str
    default: str
    help: str
    switch: bool

    @property
    def spelled(self) -> str:
        """The option with its values, such as "levels=1 to 8", or "semantic, no-semantic" for a switch."""
        return f"{self.name}, no-{self.name}" if self.switch else f"{self.name}={self.values}"


def option(
    default: Any,  # must have the type of the field
    help: str,  # noqa: A002 # click uses this name, too
    *,
    least: float = -math.inf,
    most: float = math.inf,
    only_with: tuple[str, object] | None = None,
) -> Any:
    """Declare a dataclass field as an option.

    Args:
        least, most: Lowest and highest allowed value, if the option is a number.
        only_with: Name of another field, and the value which that field must have for this option to take effect. If
            that field has another value, setting this option is an error.
    """
    return field(default=default, metadata={_DECLARED: _Declared(help, least, most, only_with)})


def parse(kind: type[S], text: str, *, of: str, base: S | None = None) -> S:
    """Parse a comma-separated list of options, such as `levels=3,semantic,no-reuse,paper`, into a settings object.

    An option with a number or a word is written `name=value`. A switch is written `name` or `no-name`. A preset is
    written as its name. The option `defaults` discards `base` and starts from the default settings.

    Args:
        of: What the settings belong to, for messages, such as "The SeRAG index".
        base: Settings to change; by default the default settings.
    """
    options = {_shown(declared.name): declared for declared in fields(kind)}
    presets = presets_of(kind)
    chosen: set[str] = set()
    changes: dict[str, object] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, given, value = (each.strip() for each in part.partition("="))
        if not given and name == DEFAULTS:
            base = kind()
        elif not given and name in presets:
            chosen.add(name)
        elif name in options and (given or _type(kind, options[name]) is bool):
            _put(changes, options[name].name, _value(kind, options[name], value if given else "yes", of), of)
        elif not given and _type_named(kind, options, name.removeprefix("no-")) is bool:
            _put(changes, options[name.removeprefix("no-")].name, False, of)
        else:
            what = (
                f"{of} needs a value for {name!r}."
                if name in options and not given
                else f"{of} has no option {part!r}."
            )
            raise SettingsError(what, remedy=f"Use {usage(kind)}.")
    from_presets = {
        key: each for name, preset in presets.items() if name in chosen for key, each in preset.changes.items()
    }
    settings = replace(base if base is not None else kind(), **(from_presets | changes))
    for declared in options.values():
        if declared.name in changes:
            _sets_something(settings, declared, of)
    return settings


def check(settings: S, *, of: str) -> S:
    """Return the settings unchanged if all values are allowed.

    Args:
        of: What the settings belong to, for messages, such as "The SeRAG index".

    Raises:
        SettingsError: A value is not allowed.
    """
    kind = type(settings)
    for declared in fields(kind):
        _in_bounds(kind, declared, getattr(settings, declared.name), of)
        _sets_something(settings, declared, of)
    return settings


def options_of(kind: type[SettingsClass]) -> list[Option]:
    """Return all options of a settings class, in field order."""
    usual = kind()
    return [
        Option(
            name=_shown(declared.name),
            values=_range(_type(kind, declared), _declared(declared)),
            default=_value_spelled(getattr(usual, declared.name)),
            help=_declared(declared).help,
            switch=_type(kind, declared) is bool,
        )
        for declared in fields(kind)
    ]


def usage(kind: type[SettingsClass]) -> str:
    """Return all options of a settings class on one line, each with its values and its help text."""
    parts = [f"{each.spelled} ({each.help})" if each.help else each.spelled for each in options_of(kind)]
    presets = [f"{name} ({preset.help})" for name, preset in presets_of(kind).items()]
    return "; ".join([*parts, *presets, f"{DEFAULTS} (reset all)"])


def described(settings: SettingsClass) -> str:
    """Return the settings that differ from the defaults, in the form that `parse` reads; "" if none differs."""
    usual = type(settings)()
    return ",".join(
        _spelled(declared, value)
        for declared in fields(type(settings))
        if (value := getattr(settings, declared.name)) != getattr(usual, declared.name)
    )


def stored(settings: SettingsClass) -> dict[str, object]:
    """Return the settings as a dictionary from field names to values. `restored` converts it back."""
    return {declared.name: getattr(settings, declared.name) for declared in fields(type(settings))}


def restored(kind: type[S], values: Mapping[str, object]) -> S:
    """Create settings from the dictionary that `stored` returned, possibly in another version of this package.

    Unknown fields are ignored, and missing fields get their default values.
    """
    known = {declared.name for declared in fields(kind)}
    return kind(**{name: value for name, value in values.items() if name in known})


def refuse_class(wanted: object) -> None:
    if isinstance(wanted, type):
        raise SettingsError(f"{wanted.__name__} is a class.", remedy=f"Pass an instance of it: {wanted.__name__}()")


def presets_of(kind: type[SettingsClass]) -> Presets:
    """Return the presets of a settings class."""
    found: Presets = getattr(kind, "presets", {})
    return found


def _shown(field_name: str) -> str:
    return field_name.replace("_", "-")


def _put(changes: dict[str, object], name: str, value: object, of: str) -> None:
    if changes.get(name, value) != value:
        shown = _shown(name)
        both = f"{_value_spelled(changes[name])} and {_value_spelled(value)}"
        raise SettingsError(f"{shown} of {_lower(of)} is given twice, as {both}.", remedy=f"Give {shown} once.")
    changes[name] = value


def _sets_something(settings: SettingsClass, declared: Field[Any], of: str) -> None:
    condition = _declared(declared).only_with
    value = getattr(settings, declared.name)
    if condition is None or value == declared.default or getattr(settings, condition[0]) == condition[1]:
        return
    needed = f"{_shown(condition[0])}={_value_spelled(condition[1])}"
    name = _shown(declared.name)
    raise SettingsError(
        f"{name} of {_lower(of)} is {_value_spelled(value)}, which has no effect without {needed}.",
        remedy=f"Add {needed}, or omit {name}.",
    )


def _type(kind: type[SettingsClass], declared: Field[Any]) -> Any:
    return get_type_hints(kind)[declared.name]


def _type_named(kind: type[SettingsClass], options: Mapping[str, Field[Any]], name: str) -> Any:
    return _type(kind, options[name]) if name in options else None


def _declared(declared: Field[Any]) -> _Declared:
    found: _Declared = declared.metadata.get(_DECLARED, _Declared("", -math.inf, math.inf, None))
    return found


def _value(kind: type[SettingsClass], declared: Field[Any], text: str, of: str) -> object:
    wanted = _type(kind, declared)
    value: object = text
    if wanted is bool:
        value = _SWITCH.get(text.lower(), text)
    elif wanted in (int, float):
        try:
            value = wanted(text) if text.isascii() and len(text) < 20 else text
        except ValueError:
            value = text
    _in_bounds(kind, declared, value, of)
    return value


def _in_bounds(kind: type[SettingsClass], declared: Field[Any], value: object, of: str) -> None:
    wanted, about = _type(kind, declared), _declared(declared)
    choices = get_args(wanted)
    if choices:
        fits = value in choices
    elif wanted is bool:
        fits = isinstance(value, bool)
    elif wanted is int:
        fits = isinstance(value, int) and not isinstance(value, bool) and about.least <= value <= about.most
    elif wanted is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        fits = number and math.isfinite(value) and about.least <= value <= about.most  # type: ignore[arg-type,operator]
    else:
        fits = isinstance(value, wanted)
    if not fits:
        name = _shown(declared.name)
        raise SettingsError(
            f"{name} of {_lower(of)} must be {_range(wanted, about)}, got {value!r}.",
            remedy=f"Give {_range(wanted, about)}: {about.help or name}.",
        )


def _lower(of: str) -> str:
    """Convert the first letter to lower case, so that "The SeRAG index" can be used inside a sentence."""
    return of[:1].lower() + of[1:]


def _range(wanted: Any, about: _Declared) -> str:
    choices = get_args(wanted)
    if choices:
        return "|".join(map(str, choices))
    if wanted is bool:
        return "yes|no"
    if wanted is str:
        return "TEXT"
    bounded = [_bound(about.least), _bound(about.most)]
    if all(bounded):
        return " to ".join(bounded)
    if bounded[0]:
        return f"{bounded[0]} or more"
    return f"at most {bounded[1]}" if bounded[1] else "a whole number" if wanted is int else "a number"


def _bound(number: float) -> str:
    if math.isinf(number):
        return ""
    return f"{int(number):,}" if number == int(number) else f"{number:g}"


def _value_spelled(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _spelled(declared: Field[Any], value: object) -> str:
    name = _shown(declared.name)
    if isinstance(value, bool):
        return name if value else f"no-{name}"
    return f"{name}={value}"
