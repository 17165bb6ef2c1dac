"""What the store keeps of judgings and their jobs."""

from msgspec import Struct

from reteval.contract.judge_prompts import JudgePrompt
from reteval.contract.judges import Judge
from reteval.contract.judgings import JobKind, JudgingRequest, JudgingState, Review
from reteval.contract.pools import PoolCounts
from reteval.contract.runs import TestSetRef
from service.store.records import JobRecord


class JudgingSpec(Struct, frozen=True, kw_only=True):
    """The part of a judging that never changes. Header values in `request` are empty strings."""

    id: str
    name: str
    request: JudgingRequest
    test_set: TestSetRef
    scale_max: int
    queries: int
    code_version: str


class JudgingRecord(Struct, frozen=True, kw_only=True):
    """A judging. `job` is the id of the job that changes it, or did last.

    `sealed` are the header values of its endpoints; `revision` grows with every write.
    """

    spec: JudgingSpec
    state: JudgingState
    created_ms: int
    revision: int
    job: str
    error: str
    pool: PoolCounts
    judges: tuple[Judge, ...]
    review: Review
    frozen: TestSetRef | None
    sealed: bytes

    @property
    def id(self) -> str:
        """The judging's id."""
        return self.spec.id


class StepSpec(Struct, frozen=True, kw_only=True):
    """The part of a job of a judging that never changes.

    A job that has to do with a judge has `judge`, without header values, and its `prompt`;
    `query_id` and `doc_id` are of the pair that a judge is tried on.
    """

    id: str
    judging: str
    kind: JobKind
    code_version: str
    judge: Judge | None = None
    prompt: JudgePrompt | None = None
    query_id: str = ""
    doc_id: str = ""


class StepRecord(JobRecord, frozen=True, kw_only=True):
    """A job of a judging."""

    spec: StepSpec

    @property
    def id(self) -> str:
        """The job's id."""
        return self.spec.id
