"""FAQs: questions with the documents that answer them, as test sets."""

from typing import IO

from reteval.contract.testsets import TestSetHead
from service.core.backend import Backend
from service.core.building.faq import QUESTION_NAMES, read_faq
from service.core.building.rows import read_objects, read_table
from service.core.test_sets import StagedSet, stage


async def stage_faq(
    backend: Backend, head: TestSetHead, file: IO[bytes], *, table: bool
) -> StagedSet:
    """Read a table or JSON lines of questions; nothing of a refused one stays in the store.

    Raises:
        MalformedTextError, InvalidError: the rows cannot be read, or break a rule.
    """
    rows = read_table(file, required=QUESTION_NAMES) if table else read_objects(file)
    return await stage(backend, head, read_faq(rows, grade=head.scale.max))
