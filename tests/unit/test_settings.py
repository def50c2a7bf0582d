"""Settings from the environment, and errors for wrong values."""

from __future__ import annotations

from pathlib import Path

import pytest

from overstory.errors import SettingsError
from overstory.graph import GraphClient
from overstory.knowledge import Knowledge
from overstory.settings import Settings


def test_nothing_set_gives_the_defaults() -> None:
    settings = Settings.from_environment({})
    assert settings.database.uri is None
    assert settings.database.user == "neo4j"
    assert settings.server.heap == "1g"
    assert settings.places.data != settings.places.cache


def test_an_empty_value_counts_as_unset() -> None:
    assert Settings.from_environment({"OVERSTORY_NEO4J_URI": " "}).database.uri is None


def test_a_home_has_its_own_cache_but_shares_the_jars_of_the_user(tmp_path: Path) -> None:
    users = Settings.from_environment({}).places.cache
    own = Settings.from_environment({"OVERSTORY_HOME": str(tmp_path)}).places
    assert (own.data, own.cache, own.jar_cache) == (tmp_path, tmp_path / "cache", users)


def test_a_cache_set_by_the_user_holds_the_jars_too(tmp_path: Path) -> None:
    chosen = {"OVERSTORY_HOME": str(tmp_path), "OVERSTORY_CACHE": str(tmp_path / "c")}
    places = Settings.from_environment(chosen).places
    assert (places.data, places.cache, places.jar_cache) == (tmp_path, tmp_path / "c", tmp_path / "c")


def test_a_secret_comes_from_a_file_and_is_never_shown(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hunter2\n")
    settings = Settings.from_environment({"OVERSTORY_NEO4J_PASSWORD_FILE": str(tmp_path / "secret")})
    assert settings.database.password == "hunter2"
    assert "hunter2" not in repr(settings)


def test_a_graph_is_read_with_an_address_and_a_secret_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hunter2\n")
    name = "OVERSTORY_SOURCE_NEO4J"
    settings = Settings.from_environment({f"{name}_PASSWORD_FILE": str(tmp_path / "secret"), f"{name}_USER": "reader"})
    assert (settings.source.uri, settings.database.password) == (None, None)
    with pytest.raises(SettingsError, match="without an address"):
        GraphClient.open_source(settings)
    given = settings.reading_from("bolt://archive:7687")
    assert (given.source.uri, given.source.user, given.source.password) == ("bolt://archive:7687", "reader", "hunter2")
    assert "hunter2" not in repr(given)
    with pytest.raises(SettingsError) as raised:
        settings.reading_from("bolt://reader:hunter2@archive")
    assert "hunter2" not in str(raised.value)
    with pytest.raises(SettingsError, match=f"{name}_URI") as raised:
        Settings.from_environment({f"{name}_URI": "bolt://me:hunter2@archive"})
    assert "hunter2" not in str(raised.value)
    assert f"{name}_PASSWORD" in raised.value.remedy


def test_a_language_model_is_used_only_if_one_is_named() -> None:
    assert Settings.from_environment({}).llm.llm is None
    assert Settings.from_environment({"OVERSTORY_LLM_BASE_URL": "http://localhost:1/v1"}).llm.llm == "openai"
    local = Settings.from_environment({"OVERSTORY_LLM": "local", "OVERSTORY_LLM_API_KEY": "hunter2"})
    assert local.llm.llm == "local"
    assert local.llm.api_key == "hunter2"
    assert "hunter2" not in repr(local)


def test_a_reranker_is_used_only_if_one_is_named() -> None:
    default = Settings.from_environment({}).rerank
    assert (default.reranker, default.passages) == (None, 50)
    named = {"OVERSTORY_RERANK_BASE_URL": "http://localhost:1/v1", "OVERSTORY_RERANK_PASSAGES": "20"}
    settings = Settings.from_environment(named | {"OVERSTORY_RERANK_API_KEY": "hunter2"})
    assert (settings.rerank.reranker, settings.rerank.passages) == ("endpoint", 20)
    assert settings.rerank.api_key == "hunter2"
    assert "hunter2" not in repr(settings)
    assert Settings.from_environment({"OVERSTORY_RERANKER": "acme"}).rerank.reranker == "acme"


def test_the_corpus_of_the_environment_is_taken_where_none_is_named() -> None:
    settings = Settings.from_environment({"OVERSTORY_CORPUS": "plants"})
    assert Knowledge(settings=settings).corpus_name == "plants"
    assert Knowledge("films", settings=settings).corpus_name == "films"
    assert Knowledge(settings=Settings.from_environment({"OVERSTORY_CORPUS": ""})).corpus_name == "default"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OVERSTORY_RERANK_PASSAGES", "-1"),
        ("OVERSTORY_NEO4J_URI", "http://localhost:7474"),
        ("OVERSTORY_NEO4J_URI", "localhost"),
        ("OVERSTORY_NEO4J_URI", "bolt:/localhost:7687"),
        ("OVERSTORY_NEO4J_URI", "bolt://localhost:port"),
        ("OVERSTORY_NEO4J_URI", "bolt://localhost:76877"),
        ("OVERSTORY_NEO4J_URI", "bolt://localhost:7687?policy=eu"),
        ("OVERSTORY_QUERY_SECONDS", "soon"),
        ("OVERSTORY_QUERY_SECONDS", "nan"),
        ("OVERSTORY_SERVER_IDLE_MINUTES", "-1"),
        ("OVERSTORY_PROCESSES", "1.5"),
        ("OVERSTORY_SERVER_HEAP", "banana"),
        ("OVERSTORY_SERVER_HEAP", "100m"),
        ("OVERSTORY_SERVER_PAGECACHE", "1"),
        ("OVERSTORY_MEMORY", "2g"),
        ("OVERSTORY_SERVER_FAST_START", "perhaps"),
        ("OVERSTORY_LLM_FORM", "xml"),
        ("OVERSTORY_LLM_SECONDS", "-1"),
        ("OVERSTORY_LLM_MAX_TOKENS", "many"),
        ("OVERSTORY_NEO4J_PASSWORD_FILE", "no/such/file"),
    ],
)
def test_a_wrong_value_is_an_error_that_names_the_variable(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name) as caught:
        Settings.from_environment({name: value})
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("name", "example"),
    [
        ("OVERSTORY_SERVER_HEAP", '"512m"'),
        ("OVERSTORY_SERVER_PAGECACHE", '"512m"'),
        ("OVERSTORY_MEMORY", "500"),
        ("OVERSTORY_PROCESSES", "2"),
    ],
)
def test_a_wrong_size_is_answered_with_an_example_that_is_taken(name: str, example: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_environment({name: "banana"})
    assert f"such as {example}" in caught.value.remedy
    Settings.from_environment({name: example.strip('"')})


def test_an_address_in_code_goes_before_the_environment() -> None:
    settings = Settings.from_environment({"OVERSTORY_NEO4J_URI": "bolt://a:1", "OVERSTORY_NEO4J_PASSWORD": "secret"})
    database = settings.at("neo4j+s://b:2", user="ada").database
    assert (database.uri, database.user, database.password) == ("neo4j+s://b:2", "ada", "secret")
    assert settings.at() == settings


@pytest.mark.parametrize("uri", ["http://localhost:7474", "localhost", "", "bolt://"])
def test_what_is_no_address_is_refused_with_an_example(uri: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_environment({}).at(uri)
    assert "bolt://localhost:7687" in caught.value.remedy


def test_a_password_for_the_embedded_server_is_refused() -> None:
    with pytest.raises(SettingsError, match="password cannot be used without uri") as caught:
        Settings.from_environment({}).at(password="secret")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "uri",
    ["bolt://localhost", "neo4j+s://graph.example:7687/", "neo4j://graph.example:7687?policy=eu", "bolt://[::1]:7687"],
)
def test_an_address_of_any_form_that_the_driver_takes_is_kept(uri: str) -> None:
    assert Settings.from_environment({"OVERSTORY_NEO4J_URI": uri}).database.uri == uri


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    uri = "bolt://neo4j:secret@localhost:7687"
    with pytest.raises(SettingsError, match="localhost") as refused:
        Settings.from_environment({"OVERSTORY_NEO4J_URI": uri})
    assert "secret" not in str(refused.value)
    assert "OVERSTORY_NEO4J_PASSWORD" in refused.value.remedy
    with pytest.raises(SettingsError, match="localhost") as refused:
        Settings.from_environment({}).at(uri)
    assert "secret" not in str(refused.value)
