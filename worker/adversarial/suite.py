"""The adversarial part of a run's plan: the same set, request and suite give the same plan."""

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Final

from msgspec import Struct, structs

from reteval.contract.choice import CONTROL, PARAPHRASE, PARAPHRASES, Choice, choose
from reteval.contract.kinds import SUITE
from reteval.contract.outcomes import PlannedRequest
from reteval.contract.runs import AdversarialRequest
from reteval.contract.testsets import Expect, Query
from worker.adversarial.draws import derive_seed
from worker.adversarial.hostile import plan_hostile
from worker.adversarial.misspelling import ATTESTED, ATTESTED_PACKAGE, read_attested
from worker.adversarial.out_of_corpus import plan_tier
from worker.adversarial.out_of_corpus_tier import repeat_some
from worker.adversarial.paraphrase import VALIDITY, Answers, count_failures, read_answers
from worker.adversarial.planning import KindPlan, Setting, plan_generated, plan_user_variants
from worker.adversarial.vocabulary import Vocabulary, has_word_list
from worker.adversarial.words import fold

_SHARED: Final = {"far": "words", "other_language": "a script"}


class Suite(Struct, frozen=True, kw_only=True):
    """What was planned, and what was not.

    A generated variant carries the id of the query it was made from, a user's variant its own.
    `sampled` are the clean queries chosen, `sampled_from` is how many there were.
    `dropped` has a key for each out-of-corpus tier asked for: entries left out as answerable.
    `hostile` are the groups of odd strings asked for.
    `limits` are caveats in words.
    """

    version: str
    seed: int
    requests: tuple[PlannedRequest, ...]
    sampled: tuple[str, ...]
    sampled_from: int
    kinds: tuple[KindPlan, ...]
    dropped: dict[str, int]
    limits: tuple[str, ...]
    hostile: tuple[str, ...] = ()


def is_scorable(query: Query, relevant_from: int) -> bool:
    """Whether the query has a document of grade `relevant_from` or more."""
    return any(judgment.grade >= relevant_from for judgment in query.relevant or ())


def build_suite(
    queries: Sequence[Query],
    request: AdversarialRequest | None,
    *,
    relevant_from: int,
    language: str = "",
    answers: Answers = MappingProxyType({}),
) -> Suite:
    """Plan the variants of a normalised test set, in the order of its queries.

    The variants that stand in the set are always planned; without a request nothing else is.
    Queries that expect nothing are no variants and are left to the clean plan. `answers` are
    those of the model that was asked about the queries of `choose_asked`.

    Raises:
        ValueError: a suite, preset or kind that does not exist.
    """
    clean = _find_clean(queries, relevant_from)
    planned, kinds = plan_user_variants(queries, clean)
    suite = Suite(
        version=SUITE,
        seed=0,
        requests=tuple(planned),
        sampled=(),
        sampled_from=len(clean),
        kinds=tuple(kinds),
        dropped={},
        limits=(),
    )
    if request is None:
        return suite
    return _add_generated(suite, request, queries, clean, language, answers)


def choose_asked(
    queries: Sequence[Query], request: AdversarialRequest | None, *, relevant_from: int
) -> list[Query]:
    """Return the queries that a model is to say otherwise: the sample, if that was asked for.

    Raises:
        ValueError: a suite, preset or kind that does not exist.
    """
    if request is None or not (choice := choose(request)).has(PARAPHRASE):
        return []
    clean = _find_clean(queries, relevant_from)
    return [clean[name] for name in _sample(list(clean), choice.sample, request.seed)]


def _find_clean(queries: Sequence[Query], relevant_from: int) -> dict[str, Query]:
    return {
        query.id: query
        for query in queries
        if not query.parent and is_scorable(query, relevant_from)
    }


def _add_generated(
    suite: Suite,
    request: AdversarialRequest,
    queries: Sequence[Query],
    clean: dict[str, Query],
    language: str,
    answers: Answers,
) -> Suite:
    choice = choose(request)
    vocabulary = Vocabulary.build(
        (query.query for query in queries if query.expect is not Expect.NOTHING),
        language=language,
        misspellings=read_attested() if choice.has(ATTESTED) else None,
    )
    taken = frozenset(fold(query.query) for query in queries)
    setting = Setting(
        seed=request.seed,
        vocabulary=vocabulary,
        taken=taken,
        paraphrases=dict(read_answers(clean.values(), answers, most=PARAPHRASES)),
    )
    sampled = _sample(list(clean), choice.sample, request.seed)
    made, kinds = plan_generated([clean[name] for name in sampled], choice.kinds, setting)
    answerable = list(clean.values())
    tiers = [
        plan_tier(tier, seed=request.seed, vocabulary=vocabulary, queries=answerable)
        for tier in choice.tiers
    ]
    if choice.has(CONTROL):
        tiers = [repeat_some(tier) for tier in tiers]
    dropped = {tier.tier: tier.dropped for tier in tiers}
    far = (planned for tier in tiers for planned in tier.requests)
    odd = plan_hostile(choice.hostile, seed=request.seed, queries=[clean[name] for name in sampled])
    return structs.replace(
        suite,
        seed=request.seed,
        requests=(*made, *suite.requests, *far, *odd),
        sampled=sampled,
        kinds=(*kinds, *suite.kinds),
        dropped=dropped,
        hostile=choice.hostile,
        limits=(
            *_describe_limits(dropped, vocabulary, choice),
            *_describe_model(choice, answers),
        ),
    )


def _sample(query_ids: Sequence[str], size: int, seed: int) -> tuple[str, ...]:
    """Choose by hash: a query stays in the sample while others come and go."""
    ranked = sorted(query_ids, key=lambda query_id: derive_seed(SUITE, seed, query_id))
    chosen = frozenset(ranked[:size])
    return tuple(query_id for query_id in query_ids if query_id in chosen)


def _describe_model(choice: Choice, answers: Answers) -> Iterator[str]:
    if choice.has(PARAPHRASE):
        yield f"{PARAPHRASE}: {VALIDITY}"
        if failures := count_failures(answers):
            yield f"{PARAPHRASE}: {failures}"


def _describe_limits(
    dropped: dict[str, int], vocabulary: Vocabulary, choice: Choice
) -> tuple[str, ...]:
    language = vocabulary.language.code
    limits = [
        f"{tier}: {count} pack entries left out, for they share {_SHARED[tier]} with the test set"
        for tier, count in dropped.items()
        if count
    ]
    if not has_word_list(language):
        limits.append(
            f"no word list for language {language!r}: "
            "a misspelling was only kept apart from words of the test set"
        )
    if choice.has(ATTESTED) and vocabulary.misspellings is None:
        limits.append(
            f"{ATTESTED}: not run (data_missing); "
            f"install the package {ATTESTED_PACKAGE!r} beside the worker for its word list"
        )
    return tuple(limits)
