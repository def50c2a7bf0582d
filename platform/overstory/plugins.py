"""Plugins, which packages register as entry points in groups such as `overstory.embedders`.

Overstory registers its own plugins in the same way. In messages, the kind of a plugin is the last word of its group
without "s", such as embedder, retriever or system.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points

from overstory.errors import OverstoryError

_OWN_PACKAGE = "overstory"


class PluginUnusable(Exception):
    """A plugin cannot be used, for the reason in the message. `load` and `make` convert this to an `OverstoryError`."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin that a package has registered.

    Attributes:
        kind: kind of the plugin, such as "embedder".
        package: name of the package; "unknown" if the entry point does not belong to a package.
    """

    kind: str
    name: str
    package: str
    point: EntryPoint

    @classmethod
    def of(cls, point: EntryPoint) -> Plugin:
        package: str | None = point.dist.name if point.dist else None
        return cls(_kind(point.group), point.name, package or "unknown", point)  # a package may lack metadata

    @property
    def is_own(self) -> bool:
        return self.package == _OWN_PACKAGE

    def load(self) -> object:
        """Import the object that the entry point refers to, usually a class."""
        try:
            return self.point.load()
        except OverstoryError:
            raise
        except Exception as error:  # the imported module of another package may raise any exception
            raise PluginUnusable(self._fails(error)) from error

    def make(self, *arguments: object, requires: Sequence[str]) -> object:
        """Create an instance of the plugin.

        Args:
            requires: attributes that the instance must have.
        """
        factory = self.load()
        try:
            made: object = factory(*arguments)  # type: ignore[operator] # if it is not callable, the handler below reports it
        except OverstoryError:
            raise
        except Exception as error:  # the code of another package may raise any exception
            raise PluginUnusable(self._fails(error)) from error
        # `isinstance` with a protocol would read every attribute. Reading `dimension` may send a request.
        if not all(hasattr(made, attribute) for attribute in requires):
            raise PluginUnusable(f"{self._where} is not a valid {self.kind}, but a {type(made).__name__}")
        return made

    @property
    def _where(self) -> str:
        return f"{self.point.value} of the package {self.package}"

    def _fails(self, error: Exception) -> str:
        return f"{self._where} fails: {type(error).__name__}: {error}"


def plugins(group: str, points: Iterable[EntryPoint] | None = None) -> list[Plugin]:
    """Return the plugins in a group, Overstory's own first, sorted by name. No plugin is imported.

    If a package is installed later, only the next process finds its plugins.

    Args:
        points: entry points to use instead of the entry points of the installed packages.
    """
    return list(_installed(group, tuple(sys.path)) if points is None else _sorted(points))


@lru_cache(maxsize=256)
def _installed(group: str, path: tuple[str, ...]) -> tuple[Plugin, ...]:
    """Return the plugins of the packages on `sys.path`. They are cached, because finding them takes about 10 ms."""
    del path
    return _sorted(entry_points(group=group))


def _sorted(points: Iterable[EntryPoint]) -> tuple[Plugin, ...]:
    plugins = map(Plugin.of, set(points))
    return tuple(sorted(plugins, key=lambda plugin: (not plugin.is_own, plugin.name, plugin.point.value)))


def names(group: str) -> list[str]:
    """Return the sorted names of the plugins in a group, without duplicates. No plugin is imported."""
    return sorted({plugin.name for plugin in plugins(group)})


def load(group: str, name: str, *, error: type[OverstoryError], setting: str = "") -> object:
    """Import the plugin with this name and return it, usually a class.

    If Overstory and another package register the same name, Overstory's own plugin is used.

    Args:
        error: class of the exception that is raised if the plugin cannot be used.
        setting: environment variable that contains the name of the plugin. The error message mentions it.
    """
    plugin = _find(group, name, error, setting)
    try:
        return plugin.load()
    except PluginUnusable as why:
        raise _unusable(plugin, why, error) from why.__cause__


def make(
    group: str,
    name: str,
    *arguments: object,
    error: type[OverstoryError],
    requires: Sequence[str],
    setting: str = "",
) -> object:
    """Create an instance of the plugin with this name.

    Args:
        error: as for `load`.
        requires: attributes that the instance must have.
        setting: as for `load`.
    """
    plugin = _find(group, name, error, setting)
    try:
        return plugin.make(*arguments, requires=requires)
    except PluginUnusable as why:
        raise _unusable(plugin, why, error) from why.__cause__


def _find(group: str, name: str, error: type[OverstoryError], setting: str) -> Plugin:
    found = next((plugin for plugin in plugins(group) if plugin.name == name), None)
    if found is None:
        known = ", ".join(names(group))
        remedy = f"Use one of: {known}." if known else f"No {_kind(group)} is installed."
        if setting:
            remedy = f"Set {setting} to one of: {known}. Or install the package that provides it."
        raise error(f"There is no {_kind(group)} {name!r}.", remedy=remedy)
    return found


def _unusable(plugin: Plugin, why: PluginUnusable, error: type[OverstoryError]) -> OverstoryError:
    return error(
        f"The {plugin.kind} {plugin.name!r} cannot be used: {why}.",
        remedy=f"Update, reinstall or remove the package {plugin.package}.",
    )


def _kind(group: str) -> str:
    return group.rpartition(".")[2].removesuffix("s")
