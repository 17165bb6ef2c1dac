"""Why an answer of a language model is no judgment."""

from enum import StrEnum


class JudgeError(StrEnum):
    """The ways a chat answer that did arrive can fail to be a grade; never grade 0 instead."""

    INVALID_REPLY = "invalid_reply"
    REPORTED = "reported"
    TRUNCATED = "truncated"
    CONTENT_FILTER = "content_filter"
    REFUSAL = "refusal"
    TOOL_CALL = "tool_call"
    NULL_CONTENT = "null_content"
    EMPTY = "empty"
    INVALID_GRADE = "invalid_grade"
    OMITTED = "omitted"
    WRONG_ID = "wrong_id"

    @property
    def repairable(self) -> bool:
        """Whether asking once more, with the form of the answer repeated, may help."""
        return self in _REPAIRABLE


_REPAIRABLE = frozenset(
    {
        JudgeError.NULL_CONTENT,
        JudgeError.EMPTY,
        JudgeError.INVALID_GRADE,
        JudgeError.TOOL_CALL,
        JudgeError.OMITTED,
        JudgeError.WRONG_ID,
    }
)
