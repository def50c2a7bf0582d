from __future__ import annotations

import pytest

from overstory.text.questions.whole_corpus import asks_about_whole_corpus


@pytest.mark.parametrize(
    "question",
    [
        "What are the main themes of these documents?",
        "what are the main topics",
        "What are the key themes and topics in this corpus?",
        "Which topics do these documents cover?",
        "What topics are covered in the documents?",
        "Which themes are discussed across the collection?",
        "What main themes run through the documents?",
        "What are these documents about?",
        "what's this about",
        "What do these documents talk about?",
        "What is in this collection of documents?",
        "What is this corpus about?",
        "Give me an overview",
        "Can you give me a brief summary of everything, please?",
        "Please summarise the documents.",
        "Summarize everything in a few words",
        "Overview",
        "Main themes?",
        "List the main topics.",
        "Tell me what these documents are about.",
        "I need a short overview of what is in the knowledge base",
        "What are the most important ideas?",
        "Which issues do the articles discuss?",
        "What is the gist of all the documents?",
        "Which fields or subjects do the documents cover?",
        "What can I learn from this collection?",
    ],
)
def test_questions_on_all_documents(question: str) -> None:
    assert asks_about_whole_corpus(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is the main theme of Dracula?",
        "What are the main themes of War and Peace?",
        "What are the documents about Einstein about?",
        "Summarize the plot of Dracula.",
        "Give me an overview of Neo4j.",
        "What are the main topics of the documents on Ulm?",
        "What are the main rivers of Germany?",
        "Who wrote the documents?",
        "How many documents are there?",
        "Which subject did Marie Curie study?",
        "What is a theme?",
        "What is an overview?",
        "What is a document?",
        "What are the issues?",
        "What is the data type of embedding?",
        "What is this film about?",
        "What is it about?",
        "Show me the data",
        "documents",
        "",
        "?!",
        "main topics " * 1_000,
    ],
)
def test_questions_that_name_something_or_say_too_little(question: str) -> None:
    assert not asks_about_whole_corpus(question)
