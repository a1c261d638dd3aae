"""Answers that leave together."""

from __future__ import annotations

import pytest
from tablier_service.transports.grpc import core
from tablier_service.transports.grpc.core import MOST_ANSWERS, Answers


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The calls whose answers have left. That of `broken` fails."""
    calls: list[str] = []

    def send(call: str, *_: object) -> None:
        calls.append(call)
        if call == "broken":
            raise ValueError("the call has ended")

    monkeypatch.setattr(core, "answer_and_close", send)
    return calls


def add(answers: Answers, call: str, *, others_come: bool) -> None:
    answers.add(call, b"", lambda _: None, others_come=others_come)


def test_an_answer_leaves_at_once_if_no_other_call_comes(sent: list[str]) -> None:
    answers = Answers()
    add(answers, "one", others_come=False)
    assert sent == ["one"]
    assert not answers


def test_answers_leave_with_the_last_of_several_calls(sent: list[str]) -> None:
    answers = Answers()
    add(answers, "one", others_come=True)
    add(answers, "two", others_come=True)
    assert answers
    assert sent == []
    add(answers, "three", others_come=False)
    assert sent == ["one", "two", "three"]
    assert not answers


def test_only_a_few_answers_wait(sent: list[str]) -> None:
    answers = Answers()
    for number in range(MOST_ANSWERS):
        assert sent == []
        add(answers, f"{number}", others_come=True)
    assert len(sent) == MOST_ANSWERS


def test_an_answer_that_cannot_be_sent_keeps_no_other(sent: list[str]) -> None:
    answers = Answers()
    add(answers, "broken", others_come=True)
    with pytest.raises(ValueError, match="ended"):
        add(answers, "two", others_come=False)
    answers.send()
    assert sent == ["broken", "two"]
