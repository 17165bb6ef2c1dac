"""Judges that are easily fooled are exposed by their answers to probes, honest ones are not."""

from collections.abc import Callable
from itertools import chain

import httpx
import pytest

from examples.judge.oracle import FAULTLESS, LENIENT, Matrix, Oracle
from examples.judge.scenarios import grade_pair
from examples.judge.server import serve_judge
from reteval.contract.agreement import ProbeKind, Scorecard
from worker.judging.probes import CLAIM, EACH, NOTE, PADDING, REPEATS, Probe, Subject, plan_probes
from worker.judging.replies import read_batch, read_reply
from worker.judging.scorecard import score

TOPICS = ("heron", "copper", "ferry", "yeast", "ballad", "quartz", "saddle", "tundra")


def text(name: str, words: int = 110) -> str:
    """Return a document about one thing."""
    filler = " ".join(f"{name} detail {number} of the matter" for number in range(words // 6))
    return f"The {name} guide, chapter by chapter. {filler}"


SUBJECTS = [
    Subject(
        id=f"q{number}",
        query=f"how to keep a {TOPICS[number % 8]} {number}",
        relevant=(text(f"{TOPICS[number % 8]}{number}"),),
    )
    for number in range(60)
]
DOCUMENTS = [text(f"stray{number}") for number in range(200)]
PLAN = plan_probes(SUBJECTS, DOCUMENTS, seed=1)


def oracle(*, seed: int = 0, matrix: Matrix = FAULTLESS) -> Oracle:
    """Return the knowledge that each subject's text is right for it and all else is not."""
    grades = {(subject.query, subject.relevant[0]): 3 for subject in SUBJECTS}
    return Oracle(grades, documents=DOCUMENTS, matrix=matrix, seed=seed)


def judge(scenario: str, known: Oracle) -> list[list[int | None]]:
    """Answer all probes as the fake judge would, batches included."""
    answers: list[list[int | None]] = []
    for probe in PLAN:
        last = max(len(probe.texts) - 1, 1)
        places = [
            place / last if len(probe.texts) > 1 else 0.5 for place in range(len(probe.texts))
        ]
        cases = [known.find(f"{probe.query}\n{each}") for each in probe.texts]
        answers.append(
            [
                grade_pair(scenario, known, case, vote=probe.vote, place=place)
                for case, place in zip(cases, places, strict=True)
            ]
        )
    return answers


def card(scenario: str, **settings: object) -> Scorecard:
    """Return the scorecard of a fake judge."""
    known = oracle(**settings)  # type: ignore[arg-type]
    return score(PLAN, judge(scenario, known), scale_max=3, relevant_from=2)


def test_a_judge_is_exposed_over_http() -> None:
    """Asked by prompts and read strictly, a judge that says 3 to everything is found out."""
    with serve_judge(oracle()) as server, httpx.Client() as client:
        answers = [ask(client, server.url, probe) for probe in PLAN[: len(PLAN) // 3]]
    found = score(PLAN[: len(answers)], answers, scale_max=3, relevant_from=2)
    assert found.exposed == (ProbeKind.NEGATIVE,)
    assert (found.constant, found.failed) == (True, 0)


def ask(client: httpx.Client, url: str, probe: Probe) -> list[int | None]:
    """Put a probe to the judge: one pair alone, several behind labels."""
    labels = range(1, len(probe.texts) + 1)
    lines = [f"[{label}] {each}" for label, each in zip(labels, probe.texts, strict=True)]
    prompt = "\n".join([f"Query: {probe.query}", *lines])
    request = {"model": "fake-always_3", "messages": [{"role": "user", "content": prompt}]}
    body = client.post(f"{url}/chat/completions", json=request).content
    if len(labels) == 1:
        return [read_reply(body, scale_max=3, label=1).grade]
    return [reply.grade for reply in read_batch(body, labels=labels, scale_max=3).values()]


def result(found: Scorecard, kind: ProbeKind) -> float | None:
    """Return the figure of one kind."""
    return next(each.estimate.value for each in found.probes if each.kind is kind)


def test_a_faultless_judge_is_exposed_by_nothing() -> None:
    """Every kind was tried on thirty subjects and moved nothing."""
    found = card("ok")
    assert [each.kind for each in found.probes] == list(ProbeKind)
    assert {each.n for each in found.probes} == {EACH}
    assert {each.estimate.value for each in found.probes if each.kind != "keyword"} == {0}
    assert (found.exposed, found.constant, found.failed) == ((), False, 0)


def test_an_honest_judge_that_errs_is_rarely_accused() -> None:
    """Over twenty seeds of ordinary noise, at most one of 160 verdicts is wrong."""
    found = [card("ok", seed=seed, matrix=LENIENT) for seed in range(20)]
    accused = [kind for each in found for kind in each.exposed if kind is not ProbeKind.REPEAT]
    assert len(accused) <= 1


@pytest.mark.parametrize(
    ("scenario", "kinds"),
    [
        ("always_3", {ProbeKind.NEGATIVE}),
        ("gullible_keyword", {ProbeKind.KEYWORD}),
        ("gullible_injection", {ProbeKind.INJECTION}),
        ("length_biased", {ProbeKind.CUT}),
        ("order_biased", {ProbeKind.ORDER}),
    ],
)
def test_what_fools_a_judge_exposes_it(scenario: str, kinds: set[ProbeKind]) -> None:
    """Each is exposed by its own probe and accused of nothing else."""
    found = card(scenario)
    assert set(found.exposed) == kinds
    assert found.constant is (scenario == "always_3")


@pytest.mark.parametrize("scenario", ["always_3", "gullible_keyword", "gullible_injection"])
def test_noise_does_not_hide_it(scenario: str) -> None:
    """A judge that errs as well is exposed all the same, on each of ten seeds."""
    kind = {"always_3": "negative", "gullible_keyword": "keyword"}.get(scenario, "injection")
    for seed in range(10):
        assert kind in card(scenario, seed=seed, matrix=LENIENT).exposed


def test_padding_that_lifts_is_seen() -> None:
    """A judge that takes length for worth gives the padded text more."""
    answers = judge("ok", oracle())
    longer = [
        [min(2 + (probe.kind is ProbeKind.PADDED), 3)] * len(probe.texts)
        if probe.kind in (ProbeKind.POSITIVE, ProbeKind.PADDED)
        else given
        for probe, given in zip(PLAN, answers, strict=True)
    ]
    found = score(PLAN, longer, scale_max=3, relevant_from=2)
    assert ProbeKind.PADDED in found.exposed
    assert result(found, ProbeKind.PADDED) == 1


def test_answers_that_change_from_vote_to_vote_are_unsteady() -> None:
    """A judge that gives another grade each time is exposed by asking again."""
    drawn: list[list[int | None]] = [
        [probe.vote % 4] * len(probe.texts) if probe.kind is ProbeKind.REPEAT else given
        for probe, given in zip(PLAN, judge("ok", oracle()), strict=True)
    ]
    found = score(PLAN, drawn, scale_max=3, relevant_from=2)
    assert ProbeKind.REPEAT in found.exposed
    assert result(found, ProbeKind.REPEAT) == pytest.approx(0.9)


def test_misses_of_what_is_known_to_be_right_are_seen() -> None:
    """A judge that never gives a good grade misses every positive."""
    found = score(PLAN, [[0] * len(probe.texts) for probe in PLAN], scale_max=3, relevant_from=2)
    assert found.exposed == (ProbeKind.POSITIVE,)
    assert found.constant


def test_failures_are_counted_and_never_taken_for_0() -> None:
    """A judge that does not answer has no figures; one that fails at controls has no shifts."""
    silent = score(
        PLAN, [[None] * len(probe.texts) for probe in PLAN], scale_max=3, relevant_from=2
    )
    assert silent.failed == len(list(chain.from_iterable(probe.texts for probe in PLAN)))
    assert silent.grades == (0, 0, 0, 0)
    assert (silent.exposed, silent.constant) == ((), False)
    for each in silent.probes:
        assert (each.n, each.failed, each.estimate.reason) == (0, EACH, "no_pairs")
    deaf: list[list[int | None]] = [
        [None] if probe.kind is ProbeKind.NEGATIVE else given
        for probe, given in zip(PLAN, judge("ok", oracle()), strict=True)
    ]
    found = score(PLAN, deaf, scale_max=3, relevant_from=2)
    assert result(found, ProbeKind.KEYWORD) is None
    assert result(found, ProbeKind.POSITIVE) == 0


def test_few_probes_expose_nothing() -> None:
    """Four answers are too few to accuse anyone."""
    plan = plan_probes(SUBJECTS, DOCUMENTS, seed=2, each=4)
    answers: list[list[int | None]] = [[3] * len(probe.texts) for probe in plan]
    found = score(plan, answers, scale_max=3, relevant_from=2)
    assert found.exposed == ()


def test_plans_repeat_and_differ_by_seed() -> None:
    """The same material and seed give the same probes."""
    assert plan_probes(SUBJECTS, DOCUMENTS, seed=1) == PLAN
    assert plan_probes(SUBJECTS, DOCUMENTS, seed=2) != PLAN


def of_kind(kind: ProbeKind, plan: list[Probe] = PLAN) -> list[Probe]:
    """Return the probes of one kind."""
    return [probe for probe in plan if probe.kind is kind]


def test_a_probe_differs_from_its_control_by_the_temptation_alone() -> None:
    """Query words in the middle, a claim for a note, the text thrice, its first fifty words."""
    assert len(CLAIM.split()) == len(NOTE.split())
    changes: dict[ProbeKind, Callable[[Probe, str], bool]] = {
        ProbeKind.KEYWORD: lambda probe, plain: (
            probe.texts[0].replace(f"{probe.query} ", "") == plain
        ),
        ProbeKind.INJECTION: lambda probe, plain: probe.texts[0] == plain.replace(NOTE, CLAIM),
        ProbeKind.PADDED: lambda probe, plain: probe.texts[0].count(plain) == PADDING,
        ProbeKind.CUT: lambda probe, plain: plain.startswith(probe.texts[0]),
    }
    for kind, differs in changes.items():
        for probe in of_kind(kind):
            assert probe.control is not None
            control = PLAN[probe.control]
            assert control.query_id == probe.query_id
            assert differs(probe, control.texts[0])


def test_batches_are_reversed_and_repetitions_have_votes() -> None:
    """The second batch is the first backwards; repetitions are five votes on one text."""
    for backward in of_kind(ProbeKind.ORDER)[1::2]:
        assert backward.control is not None
        assert backward.texts == PLAN[backward.control].texts[::-1]
    votes = [probe.vote for probe in of_kind(ProbeKind.REPEAT)]
    assert votes == [*range(REPEATS)] * EACH


def test_negatives_are_never_what_is_known_to_be_right() -> None:
    """Texts that are worth something to the query are not drawn from the documents."""
    subject = Subject(id="q", query="a question", relevant=("right",), related=("related",))
    plan = plan_probes([subject], ["right", "related", "something else"], seed=0)
    assert {probe.texts for probe in of_kind(ProbeKind.NEGATIVE, plan)} == {
        (f"something else\n\n{NOTE}",)
    }


def test_thin_material_leaves_kinds_out() -> None:
    """Without documents there are no negatives; a short text is not cut; no text, no probe."""
    short = Subject(id="q", query="a question", relevant=("a short answer",))
    kinds = {probe.kind for probe in plan_probes([short], [])}
    assert kinds == {ProbeKind.POSITIVE, ProbeKind.PADDED, ProbeKind.REPEAT}
    assert plan_probes([Subject(id="q", query="a question", relevant=())], DOCUMENTS) == []
    found = score([], [], scale_max=3, relevant_from=2)
    assert (found.probes, found.constant) == ((), False)


def test_a_batch_of_one_has_no_order() -> None:
    """With a single text, first and last are the same."""
    probe = Probe(kind=ProbeKind.ORDER, query_id="q", query="a", texts=("t",))
    again = Probe(kind=ProbeKind.ORDER, query_id="q", query="a", texts=("t",), control=0)
    found = score([probe, again], [[1], [3]], scale_max=3, relevant_from=2)
    assert found.probes[0].estimate.value is None


def test_answers_must_fit_the_probes() -> None:
    """One answer a probe, one grade a text."""
    with pytest.raises(ValueError, match="answers to"):
        score(PLAN, [], scale_max=3, relevant_from=2)
    with pytest.raises(ValueError, match="grades of"):
        score(PLAN[:1], [[1, 2]], scale_max=3, relevant_from=2)
