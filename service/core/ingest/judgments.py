"""Brings the judgments of one query, in either spelling, into one form and checks them."""

from collections.abc import Sequence

from msgspec import UNSET, Struct, field

from reteval.contract import limits
from reteval.contract.problems import ProblemItem
from reteval.contract.testsets import DocId, Judgment, Query, TestSetHead
from service.core.ingest.labels import find_flaw
from service.core.ingest.located import Located
from service.core.ingest.provenance import keep_provenance


class Judged(Struct, kw_only=True, gc=False):
    """The judgments of a query as stored: one a document, ids as strings, in the order sent.

    `repeats` counts those dropped because they said the same again.
    """

    relevant: list[Judgment] = field(default_factory=list)
    repeats: int = 0
    repeated: Judgment | None = None
    problems: list[ProblemItem] = field(default_factory=list)


class _Spelling(Struct, gc=False):
    # Parallel arrays, and how to point at their members.
    ids: Sequence[DocId]
    grades: Sequence[int]
    id_part: str
    grade_part: str


def judge(item: Located, head: TestSetHead) -> Judged:
    """Read `relevant`, or `relevant_ids` with `grades` (1 where there are none).

    An integer id and its decimal string are one document.
    """
    clash = _clash(item)
    if clash:
        return Judged(problems=[clash])
    spelling = _spell(item.query)
    if len(spelling.ids) > limits.MAX_JUDGMENTS_PER_QUERY:
        message = (
            f"{len(spelling.ids):,} judgments, over the {limits.MAX_JUDGMENTS_PER_QUERY:,} "
            "that a query may have"
        )
        fix = "Keep the relevant documents and drop the lowest grades."
        return Judged(problems=[item.problem(message, fix)])
    judged = _collect(item, spelling, head.scale.max)
    if item.query.relevant is not UNSET:
        judged.problems += keep_provenance(item, item.query.relevant, judged.relevant)
    return judged


def _clash(item: Located) -> ProblemItem | None:
    query = item.query
    if query.grades is UNSET and (query.relevant is UNSET or query.relevant_ids is UNSET):
        return None
    ids = 0 if query.relevant_ids is UNSET else len(query.relevant_ids)
    if query.relevant is not UNSET and query.relevant_ids is not UNSET:
        message = "judgments come twice, as 'relevant' and as 'relevant_ids'"
        return item.problem(message, "Keep one of the two.", part="/relevant_ids")
    if query.relevant is not UNSET and query.grades is not UNSET:
        fix = "Move the grades into 'relevant', or send 'relevant_ids'."
        return item.problem("'grades' stands beside 'relevant'", fix, part="/grades")
    if query.grades is not UNSET and len(query.grades) != ids:
        fix = "Send one grade for each id, in the same order, or no grades (each is then 1)."
        return item.problem(f"{len(query.grades)} grades for {ids} ids", fix, part="/grades")
    return None


def _spell(query: Query) -> _Spelling:
    if query.relevant is not UNSET:
        ids = [judgment.id for judgment in query.relevant]
        grades = [judgment.grade for judgment in query.relevant]
        return _Spelling(ids, grades, "/relevant/{}/id", "/relevant/{}/grade")
    sent = [] if query.relevant_ids is UNSET else query.relevant_ids
    grades = [1] * len(sent) if query.grades is UNSET else query.grades
    return _Spelling(sent, grades, "/relevant_ids/{}", "/grades/{}")


def _collect(item: Located, spelling: _Spelling, most: int) -> Judged:
    judged = Judged()
    held: dict[str, int] = {}
    for n, (sent, grade) in enumerate(zip(spelling.ids, spelling.grades, strict=True)):
        document = sent if isinstance(sent, str) else str(sent)
        if not limits.MIN_GRADE <= grade <= most:
            message = f"grade {grade} is outside {limits.MIN_GRADE} to scale.max {most}"
            fix = "Correct the grade, or raise scale.max."
            part = spelling.grade_part.format(n)
            judged.problems.append(item.problem(message, fix, part=part, judgment=n))
        first = held.get(document)
        if first is None:
            flaw = find_flaw(document, limits.MAX_ID_BYTES, blank="Give the document an id.")
            if flaw:
                part = spelling.id_part.format(n)
                judged.problems.append(
                    item.problem(f"document id {flaw[0]}", flaw[1], part=part, judgment=n)
                )
            held[document] = grade
            judged.relevant.append(Judgment(document, grade))
        elif first == grade:
            judged.repeats += 1
            judged.repeated = judged.repeated or Judgment(document, grade)
        else:
            message = f"document {document[:200]!r} has grade {grade} here and {first} before"
            part = spelling.id_part.format(n)
            judged.problems.append(
                item.problem(message, "Keep one of the two.", part=part, judgment=n)
            )
    return judged
