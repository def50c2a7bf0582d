"""Times of facts as properties of the graph."""

from __future__ import annotations

from datetime import date

import pytest

from overstory.graph.times import FactTimes, time_properties, times_of


def test_an_end_is_stored_as_its_last_day() -> None:
    times = FactTimes(holds_from="2019", holds_to="2022-02", said_at="", ended=False, time_words="from 2019")
    assert time_properties(times) == {
        "holds_from": date(2019, 1, 1),
        "holds_from_precision": "year",
        "holds_to": date(2022, 2, 28),
        "holds_to_precision": "month",
        "time_words": "from 2019",
    }


@pytest.mark.parametrize(
    "times",
    [
        FactTimes(holds_from="", holds_to="", said_at="", ended=False, time_words=""),
        FactTimes(holds_from="2019", holds_to="2022-02", said_at="2023-06-12", ended=False, time_words="from 2019"),
        FactTimes(holds_from="", holds_to="", said_at="2023-06", ended=True, time_words="former"),
    ],
)
def test_times_are_read_back_with_their_precision(times: FactTimes) -> None:
    assert times_of(time_properties(times)) == times
