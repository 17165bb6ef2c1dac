"""Has a model that the user describes say queries otherwise: one call a query."""

from collections.abc import Sequence

from msgspec import structs

from reteval.contract.choice import PARAPHRASES
from reteval.contract.endpoints import Endpoint
from reteval.contract.outcomes import Outcome
from reteval.contract.testsets import Query
from service.store.records import RunRecord
from worker.jobs.sharing import name_target, share_lanes, share_pace
from worker.jobs.targets import open_model, read_policy
from worker.jobs.work import Work, log
from worker.pipeline.paraphrases import drop_unfit
from worker.search.manners import Manners
from worker.search.scrubbing import Scrubber
from worker.search.searcher import Searcher
from worker.search.template import Ask


async def ask_model(
    work: Work, record: RunRecord, model: Endpoint, queries: Sequence[Query]
) -> dict[str, Outcome]:
    """Return the answer to each query by its id; those not asked before a stop are missing.

    The model is called as the run's endpoint is: under the same policy, limits and pace.
    """
    limits, policy = record.spec.request.limits, read_policy(work)
    model = await open_model(work, model)
    target = name_target(policy, model.url)
    scrubber = Scrubber(model.headers)
    answers: dict[str, Outcome] = {}

    def keep(place: int, outcome: Outcome) -> None:
        # What a model says is stored and sent on: it may have been told to repeat its headers.
        said = [scrubber.mask(text) for text in outcome.ids]
        answers[queries[place].id] = drop_unfit(structs.replace(outcome, ids=said))

    async with (
        share_lanes(work, target, limits) as lanes,
        Searcher(
            model,
            limits=limits,
            depth=PARAPHRASES,
            policy=policy,
            manners=Manners(pacer=share_pace(work, target, limits), lanes=lanes),
            run_id=record.id,
        ) as searcher,
    ):
        await searcher.search_all(
            [
                (place, Ask(text=query.query, id=query.id, fields=query.fields))
                for place, query in enumerate(queries)
            ],
            emit=keep,
            stopping=work.hold.stopping,
        )
    log.info("model.asked", run=record.id, asked=len(queries), answers=len(answers))
    return answers
