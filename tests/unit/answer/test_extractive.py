"""Which sentences are chosen, what is guessed, and what is refused; with the default embedder and pipeline."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import pytest

from overstory.answer import ALWAYS, AnswerReader, Extract, extract, extractive, read_within
from overstory.answer.reader import _LONGEST_SHOWN_SENTENCE_CHARACTERS
from overstory.embed import make_embedder
from overstory.model import Evidence, Hit
from overstory.protocols import Embedder, Vectors, cosines_with
from overstory.settings import Settings

_TEAM = "The Kestrel team is led by Marta Oyelaran since March 2024. She studied mathematics in Ibadan."
_PROJECT = (
    "The team was part of the project Sparrow, which Jonas Lindqvist managed from 2019 on. He studied in Uppsala."
)
KESTREL = ("Kestrel", f"{_TEAM} {_PROJECT}")
NOSFERATU = ("Nosferatu", "Nosferatu is a silent film of 1922 directed by F. W. Murnau.")
MURNAU = (
    "F. W. Murnau",
    "F. W. Murnau (28 December 1888 – 11 March 1931) was a German film director. He was born in Bielefeld.",
)


@functools.cache
def reader() -> AnswerReader:
    settings = Settings.from_environment()
    return AnswerReader(make_embedder(settings.embedding), settings.extraction.pipeline)


def chosen(question: str, *passages: tuple[str, str], least: float | None = None) -> Extract:
    hits = tuple(Hit(str(at), title, "test", "", title, "", text, 1.0) for at, (title, text) in enumerate(passages))
    context = read_within(2_000, Evidence(question, "test", hits))
    return extract(question, context, reader()) if least is None else extract(question, context, reader(), least=least)


def texts(found: Extract) -> list[str]:
    return [each.shown for each in found.sentences]


# Refusals


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What is the salary of Marta Oyelaran?", "salary"),
        ("Who is the dentist of Marta Oyelaran?", "dentist"),
        ("How many cars does Jonas Lindqvist own?", "cars"),
    ],
)
def test_what_no_sentence_says_of_the_thing_named_is_not_answered(question: str, missing: str) -> None:
    found = chosen(question, KESTREL)
    assert found.sentences == ()
    assert found.confidence is not None
    assert missing in found.confidence.missing


BERGER = (
    "Staff",
    (
        "Tim Berger works in accounts. His sister Anna Berger lives in Kiel. "
        "The salary of Anna Berger is 52,000 euros. The limit is set with MAX_USERS. MAX_USERS defaults to 50."
    ),
)
OSPREY = ("Teams", "Marta Oyelaran leads Team Osprey. She was born in Lagos in 1981.")


@pytest.mark.parametrize(
    ("question", "of_whom"),
    [
        ("What is the salary of Tim Berger?", "Anna Berger"),
        ("Where does Tim Berger live?", "Anna Berger"),
        ("Where was Tim Berger born?", "Marta Oyelaran"),
    ],
)
def test_what_is_said_of_somebody_else_is_no_answer(question: str, of_whom: str) -> None:
    found = chosen(question, BERGER, OSPREY)
    assert found.sentences == ()
    assert found.confidence is not None
    assert found.confidence.names == ("Tim Berger",)
    assert chosen(question.replace("Tim Berger", of_whom), BERGER, OSPREY).sentences


FERRIES = (
    "Crew handbook",
    (
        "The ferry Sula was built in 1994 in Ulsteinvik and carries 320 passengers. Her sister ship Runde carries 280 "
        "passengers and 60 cars. Captain Ingrid Moen commands the Sula. Chief engineer of the Runde is Pål Aas."
    ),
)
BOARD = (
    "Minutes",
    (
        "Astrid Kleiva was elected to the board; she replaces Knut Rise, who retired in June. "
        "Rise had been with Norrvik Ferries for 31 years. "
        "The new propeller costs 1.2 million NOK. It was ordered from Brunvoll in March."
    ),
)


@pytest.mark.parametrize(
    "question", ["Who commands the Runde?", "When was the Runde built?", "How many cars does the Sula carry?"]
)
def test_what_a_fact_says_of_another_thing_is_no_answer(question: str) -> None:
    assert not chosen(question, FERRIES, BOARD).sentences


def test_what_is_said_of_whom_a_clause_is_about_is_no_guess_for_another() -> None:
    assert chosen("When did Astrid Kleiva retire?", FERRIES, BOARD).guess == ""


def test_how_long_asks_for_a_duration() -> None:
    found = chosen("How long was Knut Rise with Norrvik Ferries?", FERRIES, BOARD)
    assert texts(found)[0] == "Rise had been with Norrvik Ferries for 31 years."


def test_a_thing_that_ends_like_an_agent_is_nobody_in_between() -> None:
    found = chosen("When was the propeller ordered?", FERRIES, BOARD)
    assert texts(found)[0].endswith("It was ordered from Brunvoll in March.")


def test_a_sentence_that_stands_before_its_pronoun_is_not_said_again() -> None:
    found = chosen("How many passengers does the Runde carry?", FERRIES)
    assert (found.guess, len(texts(found))) == ("280 passengers", 1)


def test_relatives_are_not_counted_as_children() -> None:
    assert not chosen("How many children does Anna Berger have?", BERGER).sentences


def test_an_identifier_is_not_a_longer_one() -> None:
    found = chosen("What is the default of MAX_USER?", BERGER)
    assert found.sentences == ()
    assert found.confidence is not None
    assert found.confidence.missing == ("MAX_USER",)
    assert texts(chosen("What is the default of MAX_USERS?", BERGER))[0] == "MAX_USERS defaults to 50."


def test_what_is_not_of_the_thing_asked_for_does_not_answer() -> None:
    cluster = ("Search", "Team Osprey runs the search cluster. It has twelve machines.")
    assert not chosen("How much does the search cluster cost per year?", cluster, BERGER).sentences


@pytest.mark.parametrize("question", ["???", "\N{SHRUG}"])
def test_a_question_without_a_word_has_no_answer(question: str) -> None:
    assert not chosen(question, BERGER).sentences


def test_what_another_word_says_is_answered() -> None:
    assert chosen("Who is the leader of the Kestrel team?", KESTREL).sentences
    assert chosen("When was F. W. Murnau born?", MURNAU).guess == "28 December 1888"


def test_a_question_on_another_subject_is_not_answered() -> None:
    found = chosen("When was the Eiffel tower of Paris painted?", KESTREL, MURNAU)
    assert (found.sentences, found.short, found.guess) == ((), "", "")


def test_the_caller_sets_the_confidence_that_an_answer_needs() -> None:
    question = "What is the salary of Marta Oyelaran?"
    assert chosen(question, KESTREL, least=ALWAYS).sentences
    assert not chosen("Who leads the Kestrel team?", KESTREL, least=1.0).sentences


def test_the_confidence_grows_with_what_passages_say() -> None:
    question = "Who leads the Kestrel team?"
    with_it, without = chosen(question, KESTREL).confidence, chosen(question, MURNAU).confidence
    assert with_it is not None
    assert without is not None
    assert 0.0 <= without.value < with_it.value <= 1.0


# Guesses


def test_who_is_the_one_in_the_role_that_the_verb_of_the_question_says() -> None:
    assert chosen("Who managed the project Sparrow?", KESTREL).guess == "Jonas Lindqvist"
    assert chosen("Who leads the Kestrel team?", KESTREL).guess == "Marta Oyelaran"


RULES = (
    "Rules",
    (
        "Dogs are not allowed in the office. The backup runs every night. The canteen was open on Sundays. "
        "Some visitors sign in at the desk. Ada Bern manages Max Kern."
    ),
)


@pytest.mark.parametrize(
    ("question", "guess"),
    [
        ("Are dogs allowed in the office?", "No"),
        ("Does the backup run every night?", "Yes"),
        ("Is the canteen open on Sundays?", ""),
        ("Do visitors sign in at the desk?", ""),
        ("Does Ada Bern manage Max Kern?", "Yes"),
        ("Does Max Kern manage Ada Bern?", ""),
        ("Are dogs or cats allowed in the office?", ""),
    ],
)
def test_yes_and_no_only_where_a_sentence_says_all_of_it_or_denies_it(question: str, guess: str) -> None:
    assert chosen(question, RULES).guess == guess


def test_yes_and_no_of_a_list_of_questions_is_that_of_its_own_question() -> None:
    passage = ("Can I use a proxy?", "Yes, set the variable HTTP_PROXY before you start it.")
    assert chosen("Can I use a proxy?", passage).guess == "Yes"
    assert chosen("Can I use a printer?", passage).guess == ""


def test_a_figure_is_found_in_languages_that_are_not_parsed() -> None:
    passage = (
        "Lager",
        "Die Firma Weber und Söhne betreibt ein Lager in Ulm. Das Lager wurde am 31. März 1998 eröffnet.",
    )
    found = chosen("Wann wurde das Lager von Weber und Söhne eröffnet?", passage)
    assert texts(found)[0] == "Das Lager wurde am 31. März 1998 eröffnet."


def test_a_who_question_is_never_answered_with_a_thing() -> None:
    passage = ("Ledger", "The database Ledger was moved to Rotterdam by the team in 2021.")
    assert chosen("Who moved the database Ledger?", passage).guess == ""


@pytest.mark.parametrize(
    ("question", "guess"),
    [
        ("When did F. W. Murnau die?", "11 March 1931"),
        ("When was F. W. Murnau born?", "28 December 1888"),
        ("Where was the director of Nosferatu born?", "Bielefeld"),
        ("When did the director of Nosferatu die?", "11 March 1931"),
    ],
)
def test_dates_and_places_are_those_of_what_is_asked_also_of_somebody_in_between(question: str, guess: str) -> None:
    assert chosen(question, NOSFERATU, MURNAU).guess == guess


def test_the_dates_of_a_relative_are_not_those_of_who_is_named() -> None:
    son = (
        "Max Huber",
        "Max Huber (1 May 1900 – 2 June 1950) was a judge and the son of Ada Huber, who was born in Ulm.",
    )
    assert "1950" not in chosen("When did Ada Huber die?", son).guess


def test_a_number_is_given_with_what_is_counted() -> None:
    passage = ("History", "In 2015 the harbour authority of Aalborg ordered eleven buoys for 38,400 euros.")
    assert chosen("How many buoys did the harbour authority of Aalborg order?", passage).guess == "eleven buoys"


def test_where_several_may_be_meant_there_is_no_guess() -> None:
    passage = ("Ulm", "Ulm was visited by Ada Huber and by Max Born, and later by Cleo Reuter.")
    assert chosen("Who visited Ulm?", passage).guess == ""


def test_comparisons_are_decided_by_what_passages_say_of_both() -> None:
    stoker = ("Bram Stoker", "Bram Stoker (8 November 1847 – 20 April 1912) was an Irish author.")
    assert chosen("Who was born first, F. W. Murnau or Bram Stoker?", MURNAU, stoker).guess == "Bram Stoker"
    assert chosen("Who died later, F. W. Murnau or Bram Stoker?", MURNAU, stoker).guess == "F. W. Murnau"
    assert chosen("Are F. W. Murnau and Bram Stoker of the same nationality?", MURNAU, stoker).guess == "No"
    assert chosen("Who was born first, F. W. Murnau or Ada Huber?", MURNAU, KESTREL).guess == ""


def test_why_and_how_questions_have_no_guess() -> None:
    for question in ("Why is the Kestrel team led by Marta Oyelaran?", "How is the Kestrel team led?"):
        assert chosen(question, KESTREL, least=ALWAYS).guess == ""


# Sentences


def test_what_somebody_did_with_a_thing_stands_with_the_sentence_that_names_it() -> None:
    passages = [
        ("Leeds", "The library of Leeds was opened in 1884. Tom Baker has run it since 2003."),
        ("Exeter", "The library of Exeter stands in Castle Street. Maria Lopez has run it since 2011."),
    ]
    found = chosen("Who has run the library of Exeter?", *passages)
    assert found.best is not None
    assert found.best.shown == "The library of Exeter stands in Castle Street. Maria Lopez has run it since 2011."


def test_a_pronoun_is_shown_with_what_it_means() -> None:
    passage = ("Kestrel", "Marta Oyelaran leads the team. She studied mathematics in Ibadan. It takes four years.")
    found = chosen("What did Marta Oyelaran study?", passage)
    assert texts(found)[0] == "She [Marta Oyelaran] studied mathematics in Ibadan."


def test_a_pronoun_that_may_mean_two_people_is_not_resolved_but_shown_after_its_sentence() -> None:
    passage = (
        "Who is who",
        "Ada Huber and Max Born built the boat. He grew up on the island of Inishbofin in Ireland.",
    )
    found = chosen("Who grew up on the island of Inishbofin?", passage)
    assert all("[" not in text for text in texts(found))
    assert all(not text.startswith("He ") for text in texts(found))


def test_hops_of_a_chain_are_shown_in_their_order() -> None:
    found = chosen("Where was the director of Nosferatu born?", MURNAU, NOSFERATU)
    assert texts(found)[:2] == [NOSFERATU[1], "He [F. W. Murnau] was born in Bielefeld."]
    assert found.best is not None
    assert found.best.text == "He [F. W. Murnau] was born in Bielefeld."


def test_the_sentence_with_what_is_asked_comes_before_one_that_repeats_the_question() -> None:
    passage = (
        "Billing service",
        "The billing service is maintained by the Kestrel team. It runs in the data centre of Rotterdam.",
    )
    found = chosen("In which data centre does the billing service run?", passage)
    assert texts(found)[0] == "It [Billing service] runs in the data centre of Rotterdam."


def test_a_row_of_a_table_is_a_sentence_and_its_value_the_guess() -> None:
    table = (
        "| key | default | meaning |\n|---|---|---|\n| POLL_SECONDS | 45 | between two polls |\n| RETRIES | 7 | tries |"
    )
    found = chosen("What is the default of POLL_SECONDS?", ("Manual", table))
    assert texts(found)[0] == "| POLL_SECONDS | 45 | between two polls |"
    assert found.guess == "45"


def test_a_line_of_a_key_and_its_value_is_a_sentence() -> None:
    lines = "SESSION_MINUTES = 90  # idle time\nEXPORT_MAX_ROWS = 250000\nALARM_DELAY = 20"
    found = chosen("What is SESSION_MINUTES set to?", ("Settings", lines))
    assert found.guess == "90"


def test_a_how_to_question_is_answered_with_all_steps() -> None:
    steps = "1. Stop the daemon.\n2. List the snapshots.\n3. Restore the last snapshot.\n4. Start the daemon again."
    found = chosen(
        "How do I restore a snapshot?", ("Restoring", f"To restore a snapshot:\n\n{steps}\n\nIt takes long.")
    )
    assert texts(found) == ["To restore a snapshot:", *steps.split("\n")]


def test_a_sentence_that_several_passages_have_is_shown_once() -> None:
    said = "The river Danube flows through Ulm."
    found = chosen(
        "Which river flows through Ulm?", ("A", said), ("B", said), ("C", "Through Ulm flows the river: Danube.")
    )
    assert texts(found) == [said]


def test_navigation_is_no_answer() -> None:
    prev = "Prev The Debian Administrator's Handbook Next"
    written = "The Debian Administrator's Handbook was written by Raphael Hertzog."
    question = "Who wrote The Debian Administrator's Handbook?"
    assert texts(chosen(question, ("", prev), ("", f"{prev}\n\n{written}"))) == [written]
    assert chosen(question, ("", prev)).sentences == ()


def test_a_sentence_that_only_repeats_the_question_answers_only_yes_or_no() -> None:
    passage = ("", "Ulm is on the Danube.")
    assert texts(chosen("Is Ulm on the Danube?", passage)) == ["Ulm is on the Danube."]
    assert texts(chosen("Where on the Danube is Ulm?", passage)) == []


def test_references_of_a_passage_are_not_taken_for_ours() -> None:
    found = chosen(
        "Where was Ada Lovelace born?", ("", "Ada Lovelace was born in London in 1815.[3] She wrote.[2][p. 7]")
    )
    assert texts(found)[0] == "Ada Lovelace was born in London in 1815."
    assert found.guess == "London"


def test_german_dates_and_questions_are_understood_by_their_words() -> None:
    passage = ("Urlaub", "Alle haben 30 Tage Urlaub. Der Resturlaub verfällt am 31. März des folgenden Jahres.")
    found = chosen("Wann verfällt der Resturlaub?", passage)
    assert texts(found)[0] == "Der Resturlaub verfällt am 31. März des folgenden Jahres."


def test_control_characters_line_ends_and_endless_sentences_are_tamed() -> None:
    found = chosen("Where?", ("", "He was\nborn\x1b[31m in Ulm. The list goes " + "on and on " * 500))
    assert any("He was born[31m in Ulm." in text for text in texts(found))
    assert all(len(each.text) <= _LONGEST_SHOWN_SENTENCE_CHARACTERS for each in found.sentences)


def test_passages_without_a_word_give_nothing() -> None:
    assert chosen("Where?", ("", "… — !"), ("", "")) == Extract(())


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who founded the Alder Institute?", "It is false that Kurt Alder founded the Alder Institute."),
        ("Who designed the bridge at Dorn?", "The bridge at Dorn was not designed by Omar Lutz."),
        ("Who is the mayor of Ulm?", "The former mayor of Ulm was Franz Ott."),
        ("When was the gallery of Oslen opened?", "The gallery of Oslen will be opened in 2031."),
        ("When was Sven Arv born?", "The wife of Sven Arv, Tea Arv, was born on 1 May 1950."),
        ("Who succeeded Ben Maier?", "Ben Maier succeeded Lea Kunz as chair."),
    ],
)
def test_what_is_denied_hedged_or_said_of_another_is_no_guess(question: str, said: str) -> None:
    assert chosen(question, ("Notes", said), least=ALWAYS).guess == ""


def test_a_pronoun_after_two_people_has_no_bracket() -> None:
    said = "Priya Raman replaced Tom Okafor as head of data. He left for a competitor, Brightwell Ltd."
    assert all("[" not in text for text in texts(chosen("Who left for Brightwell?", ("Data", said), least=ALWAYS)))


def test_rows_of_capitals_are_quoted_and_the_first_of_a_list_of_codes_is_no_header() -> None:
    table = "| Site | Manager |\n|---|---|\n| Ulm North | Ada Huber |\n| Ulm South | Ben Maier |"
    assert chosen("Who is the manager of Ulm North?", ("Sites", table)).guess == "Ada Huber"
    codes = "E42 | The token has expired.\nE43 | The quota is exhausted.\nE44 | The disk is full."
    assert texts(chosen("What does E42 mean?", ("Errors", codes)))[0].startswith("E42 |")


def test_a_question_in_capitals_is_understood() -> None:
    assert chosen("WHO OWNS THE BILLING SERVICE?", ("Billing", "The billing service is owned by Marta Oyelaran.")).guess


# Questions on who or what somebody or something is


MAILS = (
    "Mail",
    "From: Nils Aker <nils@holm.example>\nTo: Petra Lind\nSubject: Keys\n\nThe keys are in the blue box.",
)
FLOOD = (
    "Flood of 2014",
    (
        "Most of the parish registers were saved because they had been moved upstairs in May, said the archivist "
        "Nils Aker, who had ordered the move against the advice of the council."
    ),
)


def test_who_somebody_is_stands_before_labels_headers_and_rows() -> None:
    rows = ("Boxes", "| Box | Owner |\n|---|---|\n| B12 | Nils Aker |\n| B13 | Petra Lind |")
    found = chosen("Who is Nils Aker?", MAILS, rows, ("Label", "Owner: Nils Aker"), FLOOD)
    assert "the archivist Nils Aker" in texts(found)[0]


def test_a_name_in_headers_alone_says_nobody_who_that_is() -> None:
    found = chosen("Who is Petra Lind?", MAILS)
    assert found.sentences == ()
    assert found.nearest


@pytest.mark.parametrize(
    ("question", "said", "other"),
    [
        ("Wer ist Karin Vogt?", "Wie Karin Vogt, Leiterin des Archivs, sagte, bleibt es zu.", "Der Rat dankt allen."),
        ("Qui est Luc Morel ?", "Selon Luc Morel, directeur du musée, la salle rouvrira.", "Le budget a été voté."),
        ("¿Quién es Bruno Salas?", "Bruno Salas fue elegido tesorero de la asociación.", "La reunión fue larga."),
        ("王小明是谁？", "档案馆馆长王小明宣布阅览室七月关闭。", "会议在九点开始。预算已经通过。"),
    ],
)
def test_a_sentence_with_the_name_comes_first_in_any_language(question: str, said: str, other: str) -> None:
    assert texts(chosen(question, ("1", other), ("2", said)))[0] == said


# The thing asked about


SHAFTS = (
    "Mine",
    (
        "The mine has three shafts: A, B and C. Shaft A was dug in 1902. B is the deepest; it goes down to 94 metres. "
        "Shaft C is closed to visitors. The north bridge weighs 80 tonnes. The south bridge was repainted in 2019."
    ),
)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How deep is shaft B?", "94 metres"),
        ("When was shaft A dug?", "1902"),
        ("How much does the north bridge weigh?", "80 tonnes"),
        ("How deep is shaft C?", ""),
        ("When was shaft C dug?", ""),
        ("How much does the south bridge weigh?", ""),
    ],
)
def test_a_figure_belongs_to_the_thing_asked_about(question: str, first: str) -> None:
    found = chosen(question, SHAFTS)
    assert (first in texts(found)[0]) if first else found.sentences == ()


# Lists


GROUP = (
    "Steering group",
    "Members of the Willow project:\n\n- Ana Prado (chair)\n- Kofi Mensah\n- Sara Holt (secretary)",
)


def test_a_list_is_answered_with_the_line_before_it() -> None:
    found = chosen("Who are the members of the Willow project?", GROUP)
    assert texts(found) == [
        "Members of the Willow project:",
        "Ana Prado (chair)",
        "Kofi Mensah",
        "Sara Holt (secretary)",
    ]


def test_an_item_of_a_list_answers_with_that_line() -> None:
    found = chosen("Who is the secretary of the Willow project?", GROUP)
    assert texts(found)[0] == "Members of the Willow project: Sara Holt (secretary)"


# Refusals are not literal


@pytest.mark.parametrize(
    ("question", "passage", "first"),
    [
        ("How many months can Borax be stored?", "name: Borax\nexpiry_months: 6\nshelf: C2", "expiry_months: 6"),
        (
            "How wide is the gate east?",
            "| item | width_cm |\n|---|---|\n| gate east | 120 |\n| gate west | 95 |",
            "120",
        ),
        (
            "When does the last ferry Gull leave?",
            "| line | first | last |\n|---|---|---|\n| Ferry Gull | 07:00 | 21:15 |",
            "21:15",
        ),
        ("What is the role of Ingrid Moen?", "Ingrid Moen is the captain of the Sula.", "captain"),
        ("What is required to dive at the pier?", "A permit is needed to dive at the pier.", "permit"),
    ],
)
def test_light_words_and_names_of_columns_are_no_reason_to_refuse(question: str, passage: str, first: str) -> None:
    assert first in texts(chosen(question, ("Notes", passage)))[0]


def test_a_word_that_a_passage_has_is_not_said_to_be_missing() -> None:
    found = chosen("What is the salary of Tim Berger?", BERGER)
    assert found.confidence is not None
    assert found.confidence.unsaid == ("salary",)
    assert found.confidence.names == ("Tim Berger",)
    assert found.nearest


# Time


NORVIK = (
    ("", "Board minutes of 4 March 2019. Ruth Amsel was appointed chief executive of Norvik Energy."),
    (
        "",
        (
            "Board minutes of 12 June 2023. Chief executive Ruth Amsel resigned. "
            "Pavel Horn was appointed chief executive of Norvik Energy from 1 July 2023."
        ),
    ),
)


@pytest.mark.parametrize(
    ("question", "guess"),
    [
        ("Who is the chief executive of Norvik Energy?", "Pavel Horn"),
        ("Who is the chief executive of Norvik Energy now?", "Pavel Horn"),
        ("Who was chief executive of Norvik Energy in 2021?", "Ruth Amsel"),
        ("Who was chief executive of Norvik Energy before Pavel Horn?", "Ruth Amsel"),
        ("Who was chief executive of Norvik Energy after Ruth Amsel?", "Pavel Horn"),
        ("Who was the first chief executive of Norvik Energy?", "Ruth Amsel"),
    ],
)
def test_a_question_about_time_selects_what_holds_then(question: str, guess: str) -> None:
    assert chosen(question, *NORVIK).guess == guess


def test_what_holds_now_is_said_with_its_time_and_what_held_before() -> None:
    found = chosen("Who is the chief executive of Norvik Energy?", *NORVIK)
    assert found.first_line == "Since 1 July 2023: Pavel Horn. Before: Ruth Amsel (from 4 March 2019)."


def test_sentences_are_scored_once_if_the_present_tense_selects_none(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counting(embedder: Embedder, question: str, passages: Sequence[str]) -> Vectors:
        asked.append(question)
        return cosines_with(embedder, question, passages)

    monkeypatch.setattr(extractive, "cosines_with", counting)
    question = "Who is the keeper of the lighthouse?"
    assert chosen(question, ("", "Ada Moss is the keeper of the lighthouse.")).guess == "Ada Moss"
    assert asked == [question]


@pytest.mark.parametrize(
    ("question", "passages", "guess"),
    [
        (
            "Where was the author of the novel behind Nosferatu born?",
            (
                "Nosferatu is a silent film of 1922, based on the novel Dracula.",
                "Bram Stoker was an Irish author, born in Dublin. He wrote the novel Dracula.",
            ),
            "Dublin",
        ),
        (
            "Where was the engineer of the engine in the Seahawk born?",
            (
                "The Seahawk is a boat of 1931, driven by the engine Tornado.",
                "Ada Moss was an engineer, born in Whitby. She built the engine Tornado.",
            ),
            "Whitby",
        ),
    ],
)
def test_a_shared_name_leads_to_the_passage_that_answers(question: str, passages: tuple[str, str], guess: str) -> None:
    assert chosen(question, *(("", text) for text in passages)).guess == guess


def test_a_time_that_nothing_covers_is_refused_with_the_times_covered() -> None:
    found = chosen("Who was chief executive of Norvik Energy in 2015?", *NORVIK)
    assert found.sentences == ()
    assert found.covered == ("since 4 March 2019", "since 1 July 2023")


def test_the_date_of_a_letter_applies_to_its_sentences() -> None:
    letter = "Harbour office, 12 May 2021\n\nDear Ms Holt,\n\nthe board has approved the new crane.\n\nYours, Olav Berg"
    found = chosen("When did the board approve the new crane?", ("Letter", letter))
    assert texts(found)[0] == "12 May 2021: the board has approved the new crane."
    assert found.guess == "12 May 2021"


def test_of_two_figures_that_of_the_year_asked_for_counts() -> None:
    assert (
        chosen("How many boats did Orbis sell in 2000?", ("", "Orbis sold 40 boats in 1999, and 55 in 2000.")).guess
        == "55"
    )
