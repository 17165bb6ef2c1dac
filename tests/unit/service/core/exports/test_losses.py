from typing import Any

import pytest

from reteval.contract.exports import ExportFormat, Loss
from reteval.contract.testsets import Expect, Judgment, Query, Scale
from service.core.exports.layout import LABELS
from service.core.exports.losses import Survey
from service.core.exports.registry import LAYOUTS
from tests.unit.service.core.exports.written import a_set, lost

PLAIN = Query(id="q_0123456789ab", query="x", relevant=[Judgment("a")])
QUEPID = LAYOUTS[ExportFormat.QUEPID].losses


def a_query(**changes: Any) -> Query:
    """Return a query that loses nothing but what is changed."""
    fields = {name: getattr(PLAIN, name) for name in ("id", "query", "relevant")}
    return Query(**(fields | changes))


def find(loss: Loss, *queries: Query, **changes: Any) -> bool:
    """Tell whether a loss is seen in a set."""
    survey = Survey({loss}, a_set(queries, **changes))
    survey.take(queries)
    return survey.found == {loss} and not survey.open


@pytest.mark.parametrize(
    ("loss", "changes"),
    [
        (Loss.IDS, {"id": "mine"}),
        (Loss.GRADES, {"relevant": [Judgment("a", 1), Judgment("b", 2)]}),
        (Loss.UNJUDGED, {"relevant": []}),
        (Loss.UNSCORABLE, {"relevant": [Judgment("a", 0)]}),
        (Loss.PROVENANCE, {"relevant": [Judgment("a"), Judgment("b", rater="ann")]}),
        (Loss.TAGS, {"tags": ["t"]}),
        (Loss.SPLIT, {"split": "tune"}),
        (Loss.EXPECT, {"expect": Expect.NOTHING}),
        (Loss.CLUSTER_ID, {"cluster_id": "c"}),
        (Loss.SOURCE, {"source": "faq"}),
        (Loss.PARENT, {"parent": "p"}),
        (Loss.KIND, {"kind": "typo"}),
        (Loss.FIELDS, {"fields": {"a": 1}}),
        (Loss.WHITE_SPACE, {"query": "a  b"}),
        (Loss.ENCODED_IDS, {"relevant": [Judgment("a b")]}),
        (Loss.FORMULAS, {"relevant": [Judgment("-a")]}),
    ],
)
def test_loss_is_seen_where_it_is(loss: Loss, changes: dict[str, Any]) -> None:
    """Each loss is told of a query that has it, and not of one that has not."""
    assert (find(loss, a_query(**changes)), find(loss, PLAIN)) == (True, False)


def test_texts_are_lost_always() -> None:
    """A format without texts loses those of every set."""
    assert find(Loss.TEXTS, PLAIN)


def test_same_texts_are_seen_across_stretches() -> None:
    """Two queries with one text meet, however far apart they stand."""
    survey = Survey({Loss.SAME_TEXTS}, a_set([PLAIN]))
    survey.take([PLAIN])
    assert survey.open == {Loss.SAME_TEXTS}
    survey.take([a_query(id="another")])
    assert survey.found == {Loss.SAME_TEXTS}


@pytest.mark.parametrize(
    ("loss", "changes"),
    [
        (Loss.SCALE, {"scale": Scale(max=4)}),
        (Loss.RELEVANT_FROM, {"relevant_from": 2}),
        (Loss.LANGUAGE, {"language": "de"}),
        (Loss.ID_RULE, {"id_rule": "lower"}),
    ],
)
def test_head_is_told_where_it_is_not_the_usual(loss: Loss, changes: dict[str, Any]) -> None:
    """JSON lines lose only what is said of the whole set, and only where it is said."""
    assert lost(ExportFormat.JSONL, a_query(tags=["t"]), **changes) == (loss,)
    assert lost(ExportFormat.JSONL, a_query(tags=["t"])) == ()


def test_losses_come_in_the_order_of_the_enum() -> None:
    """What is told of a format is its own losses that are there, in a fixed order."""
    queries = (a_query(id="-1", tags=["t"], split="s"), a_query(id="b"))
    assert lost(ExportFormat.QUEPID, *queries) == (
        Loss.IDS,
        Loss.TAGS,
        Loss.SPLIT,
        Loss.SAME_TEXTS,
        Loss.FORMULAS,
    )


def test_every_loss_is_of_some_format() -> None:
    """No name is in the contract for nothing."""
    assert set().union(*(layout.losses for layout in LAYOUTS.values())) == set(Loss)
    assert LABELS <= QUEPID
