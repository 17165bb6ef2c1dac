"""Chat answers for the tests of what reads them."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any


def chat(content: Any, *, finish: str | None = "stop", **more: Any) -> bytes:
    """Return a chat completion; `more` goes into the message, `logprobs` into the choice."""
    logprobs = more.pop("logprobs", None)
    message = {"role": "assistant", "content": content, **more}
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": logprobs}
    usage = {"prompt_tokens": 90, "completion_tokens": 3}
    envelope = {"model": "m-1", "system_fingerprint": "fp", "choices": [choice], "usage": usage}
    return json.dumps(envelope).encode()


def logprobs_of(tokens: Sequence[tuple[str, Mapping[str, float]]]) -> dict[str, Any]:
    """Return log-probabilities: each token with the chances of its alternatives."""
    return {
        "content": [
            {
                "token": token,
                "logprob": math.log(chances.get(token, 1.0)),
                "top_logprobs": [
                    {"token": name, "logprob": math.log(chance)} for name, chance in chances.items()
                ],
            }
            for token, chances in tokens
        ]
    }
