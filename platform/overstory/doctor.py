"""Checks of a set-up, with remedies: the server, the database, the models. Read only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version

from overstory import server
from overstory.display import counted
from overstory.embed import make_embedder
from overstory.errors import OverstoryError
from overstory.graph import GraphClient
from overstory.graph.failures import GDS_REMEDY
from overstory.graph.gds import projections
from overstory.graph.schema import refuse_others, schema_version
from overstory.llm import make_chat_model
from overstory.server import Check
from overstory.settings import Settings
from overstory.sources.installed import catalogue
from overstory.text import make_extractor


def diagnose(settings: Settings) -> list[Check]:
    """All checks of a set-up. A stopped embedded server is not started for them."""
    checks = [Check("overstory", ok=True, detail=version("overstory"))]
    if settings.database.uri is None:
        checks += server.diagnose(settings)
        reachable = server.status(settings).state == "running"
    else:
        reachable = True
    if reachable:
        checks += list(_database(settings))
    checks.append(_checked("embedder", lambda: make_embedder(settings.embedding).fingerprint))
    checks.append(_checked("extractor", lambda: make_extractor(settings.extraction).fingerprint))
    checks.append(_checked("llm", lambda: _llm(settings)))
    for name, why in catalogue().unusable.items():
        checks.append(Check("loader", ok=False, detail=f"{name}: {why}", remedy="Reinstall its package."))
    return checks


def _database(settings: Settings) -> Iterator[Check]:
    try:
        with GraphClient.open(settings) as graph:
            found = graph.capabilities
            yield Check("database", ok=True, detail=f"Neo4j {found.version} {found.edition} at {graph.uri}")
            gds = found.gds or "not installed; searching works without it"
            yield Check("gds", ok=bool(found.gds), detail=gds, remedy=GDS_REMEDY)
            if found.gds:
                yield _projections(graph)
            yield _checked("schema", lambda: _schema(graph))
    except OverstoryError as error:
        yield Check("database", ok=False, detail=str(error), remedy=error.remedy)


def _projections(graph: GraphClient) -> Check:
    """In-memory graphs that killed runs left take the server's memory until somebody drops them."""
    try:
        left = [each for each in projections(graph) if each.is_abandoned]
    except OverstoryError as error:
        return Check("projections", ok=False, detail=str(error), remedy=error.remedy)
    if not left:
        return Check("projections", ok=True, detail="none left by runs that were killed")
    stages = ", ".join(sorted({each.stage for each in left}))
    return Check(
        "projections",
        ok=False,
        detail=f"{counted(len(left), 'in-memory graph')} left by runs that were killed ({stages})",
        remedy="The next stage that uses Graph Data Science drops them, and so does a restart of the server.",
    )


def _schema(graph: GraphClient) -> str:
    found = schema_version(graph)
    refuse_others(found)
    return f"version {found}" if found else "none yet: nothing has been loaded"


def _llm(settings: Settings) -> str:
    """Creates the model without a request, which might cost money and take long."""
    if settings.llm.llm is None:
        return "not set; optional"
    model = make_chat_model(settings.llm)
    model.close()
    return f"{model!r}; `overstory llm check` sends it a question"


def _checked(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, ok=True, detail=look())
    except OverstoryError as error:
        return Check(name, ok=False, detail=str(error), remedy=error.remedy)
