"""Parts that installed packages register under an entry-point group, ours like anybody's."""

from __future__ import annotations

from importlib.metadata import entry_points

from overstory.errors import ModelError


def make_part(group: str, name: str, settings: object, *, method: str) -> object:
    """What the entry point `name` gives when it is called with the settings.

    Args:
        group: "overstory.embedders" or the like; its last word, without the s, says in messages what is sought.
        method: what the part must have to be one.

    Raises:
        ModelError: no installed package has one of this name, it cannot be loaded, or it lacks the method.
    """
    kind = group.rpartition(".")[2].removesuffix("s")
    found = entry_points(group=group, name=name)
    if not found:
        known = ", ".join(sorted(entry_points(group=group).names)) or "none"
        raise ModelError(
            f"There is no {kind} {name!r}; known: {known}.",
            remedy=f"Set OVERSTORY_{kind.upper()} to one of these, or install the package that has it.",
        )
    try:
        make = next(iter(found)).load()
    except (ImportError, AttributeError) as error:
        raise ModelError(
            f"The {kind} {name!r} cannot be loaded: {error}", remedy="Reinstall the package that has it."
        ) from error
    part: object = make(settings)
    # isinstance with a protocol would look at every attribute, and so ask an endpoint for its dimension.
    if not callable(getattr(part, method, None)):
        raise ModelError(
            f"What the {kind} {name!r} gives is no {kind} but a {type(part).__name__}.",
            remedy="Report this to the makers of the package that has it.",
        )
    return part
