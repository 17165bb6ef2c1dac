"""What a judge is asked: nothing that can change an answer is left out of its digest."""

from typing import Any

import pytest
from msgspec import structs

from reteval.contract.judge_prompts import read_prompts
from reteval.contract.judges import JudgeModel, JudgeRequest
from worker.judging.questions import (
    CUT_MARK,
    Asked,
    cut_text,
    digest_question,
    write_body,
    write_schema,
)

MODEL = JudgeModel(base_url="https://a.example", name="m")
REQUEST = JudgeRequest(model=MODEL)
ASKED = Asked(query="a  question", document="words", cut=False)


def digest(asked: Asked = ASKED, *, seed: int = 0, prompt: str = "h", **changes: Any) -> str:
    """Digest a question that differs in some way."""
    model = structs.replace(MODEL, **changes.pop("model", {}))
    request = structs.replace(REQUEST, model=model, **changes)
    return digest_question(request, prompt, asked, seed=seed)


def test_everything_that_can_change_an_answer_is_in_the_digest() -> None:
    """Each change alone makes another question."""
    found = {
        digest(),
        digest(seed=1),
        digest(prompt="i"),
        digest(votes=3),
        digest(logprobs=True),
        digest(model={"name": "n"}),
        digest(model={"base_url": "https://b.example"}),
        digest(model={"params": {"api-version": "2"}}),
        digest(model={"options": {"temperature": 1}}),
        digest(structs.replace(ASKED, query="another")),
        digest(structs.replace(ASKED, document="other words")),
    }
    assert len(found) == 11


def test_what_cannot_change_an_answer_is_not() -> None:
    """Blanks and compatible forms of the query, the key, and how many votes beyond one."""
    same = {
        digest(),
        digest(structs.replace(ASKED, query=" a question ")),
        digest(model={"key": "secret", "headers": {"X": "y"}}),
    }
    assert len(same) == 1
    assert digest(votes=3) == digest(votes=5)


@pytest.mark.parametrize("most", [200, 201, 999])
def test_long_text_keeps_both_its_ends(most: int) -> None:
    """It is exactly as long as allowed, twice as much of the beginning, and marked as cut."""
    text = "".join(chr(0x4E00 + at) for at in range(1_000))
    cut, was_cut = cut_text(text, most)
    head, _, tail = cut.partition(CUT_MARK)
    assert (len(cut), was_cut) == (most, True)
    assert text.startswith(head)
    assert text.endswith(tail)
    assert abs(len(head) - 2 * len(tail)) <= 2
    assert cut_text(text, 1_000) == (text, False)


def test_options_go_over_defaults_and_null_takes_one_out() -> None:
    """A model that thinks wants other names for its bounds."""
    options = {"max_tokens": None, "max_completion_tokens": 4_096, "temperature": 1}
    request = structs.replace(REQUEST, model=structs.replace(MODEL, options=options))
    body = write_body(request, read_prompts()["graded"])
    assert body == {
        "model": "m",
        "temperature": 1,
        "seed": "{{field.seed}}",
        "max_completion_tokens": 4_096,
    }


def test_schema_names_every_grade() -> None:
    """And nothing else."""
    assert write_schema(read_prompts()["binary"])["properties"]["grade"]["enum"] == [0, 1]
