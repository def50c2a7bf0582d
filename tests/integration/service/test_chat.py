"""The chat endpoint by the `openai` client, with and without a language model, and what chat pages send besides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from markdown_it import MarkdownIt
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam, ChatCompletionStreamOptionsParam
from tests.chat_endpoint import Endpoint, saying, streaming
from tests.passages import PASSAGES, OpenCorpus
from tests.serving import Running, serving

from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.protocols import Embedder, Extractor
from overstory.settings import LlmSettings, Settings
from overstory_service.routes.chat import side_answer

QUESTION = "Where was Albert Einstein born?"


def assistant(text: str) -> ChatCompletionMessageParam:
    return {"role": "assistant", "content": text}


def user(text: str) -> ChatCompletionMessageParam:
    return {"role": "user", "content": text}


@pytest.fixture(scope="module")
def people(open_module_corpus: OpenCorpus) -> Knowledge:
    knowledge = open_module_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    return knowledge


@pytest.fixture
def chat(service: Running) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{service.url}/v1", api_key="any", max_retries=0) as client:
        yield client


def streamed(chat: openai.OpenAI, model: str, *messages: ChatCompletionMessageParam) -> list[ChatCompletionChunk]:
    options: ChatCompletionStreamOptionsParam = {"include_usage": True}
    with chat.chat.completions.create(
        model=model,
        messages=messages,
        stream=True,
        stream_options=options,
    ) as pieces:
        return list(pieces)


def test_corpora_are_models(chat: openai.OpenAI, people: Knowledge) -> None:
    listed = [model.id for model in chat.models.list()]
    assert people.corpus_name in listed
    assert f"{people.corpus_name}:dense" in listed


def test_one_model_is_known_by_its_name(chat: openai.OpenAI, people: Knowledge) -> None:
    for name in (people.corpus_name, f"{people.corpus_name}:lexical"):
        assert chat.models.retrieve(name).id == name
    with pytest.raises(openai.NotFoundError):
        chat.models.retrieve("no such corpus")


def test_the_list_of_models_may_end_with_a_slash(client: httpx.Client, people: Knowledge) -> None:
    assert client.get("/v1/models/").json() == client.get("/v1/models").json()


@pytest.fixture(scope="module")
def hostile(open_module_corpus: OpenCorpus) -> Knowledge:
    """A corpus whose titles, names and sentences have Markdown and HTML that a chat page would render."""
    knowledge = open_module_corpus("hostile")
    image = "![x](https://evil.example/x.png)"
    text = f'Mallory Vane wrote {image} the novel <img src="https://evil.example/y.png"> Glass Harbour.'
    knowledge.ingest_documents([Document(f"{image}.md", "", text, f"Mallory Vane {image} <b>")])
    knowledge.index()
    return knowledge


@pytest.mark.parametrize("stream", [False, True])
def test_markdown_of_documents_is_not_rendered(chat: openai.OpenAI, hostile: Knowledge, stream: bool) -> None:
    asked = user("Which novel did Mallory Vane write?")
    if stream:
        pieces = streamed(chat, hostile.corpus_name, asked)
        said = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
    else:
        whole = chat.chat.completions.create(model=hostile.corpus_name, messages=[asked])
        said = str(whole.choices[0].message.content)
    rendered = MarkdownIt("commonmark", {"html": True}).render(said)
    assert "Glass Harbour" in rendered
    assert "evil.example/x.png" in rendered
    assert "<img" not in rendered
    assert "<b>" not in rendered
    assert rendered.count("<a ") == rendered.count("/#/document/") == 1


def test_a_question_in_a_prompt_template_is_taken_out(chat: openai.OpenAI, people: Knowledge) -> None:
    wrapped = f"### Task:\nRespond to the user query.\n<context>\n</context>\n<user_query>\n{QUESTION}\n</user_query>"
    answers = [
        chat.chat.completions.create(model=people.corpus_name, messages=[user(text)]).choices[0].message
        for text in (QUESTION, wrapped)
    ]
    assert answers[0].content == answers[1].content


def test_an_answer_has_its_sources(chat: openai.OpenAI, people: Knowledge) -> None:
    answer = chat.chat.completions.create(model=people.corpus_name, messages=[user(QUESTION)])
    message = answer.choices[0].message
    assert message.content is not None
    assert "Ulm" in message.content
    assert "**Sources**" in message.content
    assert message.annotations
    for each in message.annotations:
        found = each.url_citation
        number = message.content[found.start_index : found.end_index]
        assert number.strip("[]").isdigit()
        assert f"/#/document/{people.corpus_name.replace(' ', '%20')}/" in found.url
    cited = message.model_extra["citations"]  # type: ignore[index] # ours
    assert cited[0]["passages"]
    assert answer.usage is not None
    assert answer.usage.total_tokens == 0


def test_a_streamed_answer_is_the_same(chat: openai.OpenAI, people: Knowledge) -> None:
    whole = chat.chat.completions.create(model=f"{people.corpus_name}:hybrid", messages=[user(QUESTION)])
    pieces = streamed(chat, f"{people.corpus_name}:hybrid", user(QUESTION))
    said = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
    assert said == whole.choices[0].message.content
    assert pieces[-1].usage is not None
    last = pieces[-2].choices[0]
    assert last.finish_reason == "stop"
    assert last.delta.model_extra["citations"] == whole.choices[0].message.model_extra["citations"]  # type: ignore[index]


def test_a_question_goes_on_from_the_ones_before(chat: openai.OpenAI, people: Knowledge) -> None:
    history = [
        user("Who discovered polonium?"),
        assistant("Marie Curie discovered polonium. [1]"),
    ]
    answer = chat.chat.completions.create(
        model=people.corpus_name, messages=[*history, user("And where was she born?")]
    )
    assert "Warsaw" in str(answer.choices[0].message.content)
    bare = chat.chat.completions.create(
        model=people.corpus_name,
        messages=[user("Where was Marie Curie born?"), history[1], user("discoveries")],
    )
    assert "polonium" in str(bare.choices[0].message.content)


def test_parts_of_a_message_are_read_and_a_filter_holds(chat: openai.OpenAI, people: Knowledge) -> None:
    parts: Any = [{"type": "text", "text": QUESTION}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    answer = chat.chat.completions.create(model=people.corpus_name, messages=[{"role": "user", "content": parts}])
    assert "Ulm" in str(answer.choices[0].message.content)
    with pytest.raises(openai.NotFoundError, match="nokey"):
        chat.chat.completions.create(
            model=people.corpus_name, messages=[user(QUESTION)], extra_body={"where": "nokey = 1"}
        )


@pytest.mark.parametrize(
    ("model", "messages", "error"),
    [
        ("no such corpus", [user(QUESTION)], openai.NotFoundError),
        ("{corpus}:none", [user(QUESTION)], openai.BadRequestError),
        ("{corpus}", [{"role": "assistant", "content": "x"}], openai.BadRequestError),
        ("{corpus}", [user("x" * 10_001)], openai.BadRequestError),
        ("{corpus}", [], openai.UnprocessableEntityError),
    ],
)
def test_errors_are_those_of_the_client(
    chat: openai.OpenAI, people: Knowledge, model: str, messages: list[Any], error: type[openai.APIStatusError]
) -> None:
    for stream in (False, True):
        with pytest.raises(error) as caught:
            chat.chat.completions.create(
                model=model.format(corpus=people.corpus_name), messages=messages, stream=stream
            )
        assert "remedy" in str(caught.value.response.json())
        assert str(caught.value) != f"Error code: {caught.value.status_code}"


def test_a_token_has_its_corpora_as_models_alone(
    settings: Settings, models: tuple[Embedder, Extractor], tmp_path: Path, people: Knowledge
) -> None:
    with serving(settings, models, tmp_path) as running:
        token = running.token("chat", "read", corpora=("another",))
        with openai.OpenAI(base_url=f"{running.url}/v1", api_key=token, max_retries=0) as client:
            assert list(client.models.list()) == []
            for model in (people.corpus_name, "nothing"):
                with pytest.raises(openai.NotFoundError) as caught:
                    client.chat.completions.create(model=model, messages=[user(QUESTION)])
                assert caught.value.body["message"].startswith(f"There is no corpus '{model}'")  # type: ignore[index]
            running.tokens.revoke("chat")
            with pytest.raises(openai.AuthenticationError):
                client.models.list()


OPEN_WEBUI_TITLE = """### Task:
Generate a concise, 3-5 word title with an emoji summarizing the chat history.
### Output:
JSON format: { "title": "your concise title here" }
### Chat History:
<chat_history>
USER: Where was Albert Einstein born?
ASSISTANT: In Ulm.
</chat_history>"""


@pytest.mark.parametrize(
    ("text", "task", "said"),
    [
        (OPEN_WEBUI_TITLE, "title", '{"title": "Where was Albert Einstein born?"}'),
        ("### Task:\nGenerate 1-3 broad tags categorizing the main themes", "tags", '{"tags": []}'),
        ("### Task:\nSuggest 3-5 relevant follow-up questions or prompts", "follow_ups", '{"follow_ups": []}'),
        ("### Task:\nAnalyze the chat history to generate search queries", "queries", '{"queries": []}'),
        ("Please generate a concise, 5-word-or-less title for the conversation", "title", "Who wrote it?"),
    ],
)
def test_what_pages_ask_besides_is_known(text: str, task: str, said: str) -> None:
    found = side_answer(text, ["Who wrote it?"])
    assert found is not None
    assert (found.task, found.text) == (task, said)


@pytest.mark.parametrize(
    "question",
    [QUESTION, "What is the title of the conversation with Goethe?", "Task: name the title", "Which tags are there?"],
)
def test_questions_are_no_side_tasks(question: str) -> None:
    assert side_answer(question, []) is None


def test_side_tasks_reach_no_corpus(chat: openai.OpenAI, people: Knowledge) -> None:
    answer = chat.chat.completions.create(model=people.corpus_name, messages=[user(OPEN_WEBUI_TITLE)])
    assert json.loads(str(answer.choices[0].message.content)) == {"title": QUESTION}
    pieces = streamed(chat, people.corpus_name, user(OPEN_WEBUI_TITLE))
    assert json.loads(str(pieces[0].choices[0].delta.content)) == {"title": QUESTION}


def test_with_a_language_model_pieces_come_as_it_writes_them(
    settings: Settings, models: tuple[Embedder, Extractor], tmp_path: Path, people: Knowledge, endpoint: Endpoint
) -> None:
    llm = LlmSettings(llm="openai", model="m", base_url=endpoint.url, api_key="x", cache_megabytes=0)
    rewritten = json.dumps({"question": "Where was Marie Curie born?"})
    endpoint.acts = [saying(rewritten), streaming("She was born ", "in Warsaw ", "[1].")]
    history = [user("Who is Marie Curie?"), assistant("A physicist.")]
    with (
        serving(replace(settings, llm=llm), models, tmp_path) as running,
        openai.OpenAI(base_url=f"{running.url}/v1", api_key="any", max_retries=0) as client,
    ):
        pieces = streamed(client, people.corpus_name, *history, user("Where was she born?"))
    texts = [piece.choices[0].delta.content for piece in pieces if piece.choices and piece.choices[0].delta.content]
    assert "".join(texts).startswith("She was born in Warsaw [1].")
    assert len(texts) >= 3
    assert pieces[-1].usage is not None
    assert pieces[-1].usage.total_tokens > 0
    assert "Where was Marie Curie born?" in json.dumps(endpoint.requests[-1])
