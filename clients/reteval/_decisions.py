"""What both clients offer to decide by: comparisons, gates, power."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any, TypeVar, Unpack

from reteval import _decision_calls, _flows
from reteval._async_sender import AsyncSender
from reteval._gates import GateDocument, GateSource, Held, gate_body, held_to
from reteval._sender import Sender
from reteval.contract.comparisons import Comparison, ComparisonRequest
from reteval.contract.gates import GateVerdict
from reteval.contract.power import PowerAnswer, PowerRequest

T = TypeVar("T")


class Decisions(Sender):
    """A sender that knows what decisions rest on."""

    def compare(
        self, request: ComparisonRequest | Mapping[str, Any], *, wait: int | None = None
    ) -> Comparison:
        """Compare two runs; with `wait`, at its end or after so many seconds."""
        return self._exchange(_decision_calls.post_comparison(request, wait))

    def comparison(self, comparison_id: str, *, wait: int | None = None) -> Comparison:
        """Return a comparison's state, and its report once it has ended."""
        return self._exchange(_decision_calls.get_comparison(comparison_id, wait))

    def wait_comparison(self, comparison_id: str, *, timeout_s: float | None = None) -> Comparison:
        """Wait for a comparison to end and return it. `WaitTimeoutError` after `timeout_s`."""
        return self._await_end(partial(_decision_calls.get_comparison, comparison_id), timeout_s)

    def gate(
        self, gate: GateSource, *, timeout_s: float | None = None, **held: Unpack[Held]
    ) -> GateVerdict:
        """Hold a run to a gate: a struct, a dict, or the path of a YAML or JSON file.

        Waits for what has not ended. `held` goes before what the gate itself says.

        >>> verdict = client.gate({"floors": [{"metric": "mrr", "at_least": 0.9}]}, run=run.id)
        >>> verdict.verdict.value
        'fail'
        >>> verdict.raise_for_gate()
        Traceback (most recent call last):
        reteval.contract.gates.GateFailedError: ...
        """
        return self._await_verdict(gate, GateVerdict, held_to(held), timeout_s)[0]

    def gate_document(
        self,
        gate: GateSource,
        gate_format: str,
        *,
        timeout_s: float | None = None,
        **held: Unpack[Held],
    ) -> GateDocument:
        """Do as `gate`; the verdict comes as `json`, `text`, `junit` or `markdown`."""
        return GateDocument(
            *self._await_verdict(gate, bytes, held_to(held, gate_format), timeout_s)
        )

    def power(self, request: PowerRequest | Mapping[str, Any]) -> PowerAnswer:
        """Tell how many queries show a difference, from a sigma or from two runs.

        >>> client.power({"sigma": 0.2, "delta": 0.05}).needed
        128
        """
        return self._exchange(_decision_calls.post_power(request))

    def _await_verdict(
        self, gate: GateSource, expect: type[T], params: dict[str, str], timeout_s: float | None
    ) -> tuple[T, int]:
        body = gate_body(gate)
        return self._drive(
            _flows.await_verdict(
                lambda wait: _decision_calls.post_gate(body, expect, params, wait),
                self._pace,
                timeout_s,
            )
        )


class AsyncDecisions(AsyncSender):
    """`Decisions` for asyncio."""

    async def compare(
        self, request: ComparisonRequest | Mapping[str, Any], *, wait: int | None = None
    ) -> Comparison:
        """Compare two runs; with `wait`, at its end or after so many seconds."""
        return await self._exchange(_decision_calls.post_comparison(request, wait))

    async def comparison(self, comparison_id: str, *, wait: int | None = None) -> Comparison:
        """Return a comparison's state, and its report once it has ended."""
        return await self._exchange(_decision_calls.get_comparison(comparison_id, wait))

    async def wait_comparison(
        self, comparison_id: str, *, timeout_s: float | None = None
    ) -> Comparison:
        """Wait for a comparison to end and return it. `WaitTimeoutError` after `timeout_s`."""
        return await self._await_end(
            partial(_decision_calls.get_comparison, comparison_id), timeout_s
        )

    async def gate(
        self, gate: GateSource, *, timeout_s: float | None = None, **held: Unpack[Held]
    ) -> GateVerdict:
        """Hold a run to a gate: a struct, a dict, or the path of a YAML or JSON file.

        Waits for runs and comparisons that have not ended, `WaitTimeoutError` after
        `timeout_s`. `held` goes before what the gate itself says.

        Raises:
            OSError: a file that cannot be read.
        """
        return (await self._await_verdict(gate, GateVerdict, held_to(held), timeout_s))[0]

    async def gate_document(
        self,
        gate: GateSource,
        gate_format: str,
        *,
        timeout_s: float | None = None,
        **held: Unpack[Held],
    ) -> GateDocument:
        """Do as `gate`; the verdict comes as `json`, `text`, `junit` or `markdown`."""
        return GateDocument(
            *await self._await_verdict(gate, bytes, held_to(held, gate_format), timeout_s)
        )

    async def power(self, request: PowerRequest | Mapping[str, Any]) -> PowerAnswer:
        """Tell how many queries show a difference, from a sigma or from two runs."""
        return await self._exchange(_decision_calls.post_power(request))

    async def _await_verdict(
        self, gate: GateSource, expect: type[T], params: dict[str, str], timeout_s: float | None
    ) -> tuple[T, int]:
        body = await asyncio.to_thread(gate_body, gate)
        return await self._drive(
            _flows.await_verdict(
                lambda wait: _decision_calls.post_gate(body, expect, params, wait),
                self._pace,
                timeout_s,
            )
        )
