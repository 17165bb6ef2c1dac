"""What both clients offer of what can be asked for: metrics, formats, kinds and their variants."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from reteval._async_sender import AsyncSender
from reteval._requests import Call, get_from, post_to, segment
from reteval._sender import Sender
from reteval.contract.catalogues import FormatCatalogue, KindCatalogue, MetricCatalogue
from reteval.contract.previews import Preview, PreviewRequest

Asked = PreviewRequest | Mapping[str, Any]


class Catalogues(Sender):
    """A sender that knows what there is to ask for."""

    def metrics(self) -> MetricCatalogue:
        """Return the metrics, each with its formula and a worked example."""
        return self._exchange(get_metrics())

    def formats(self) -> FormatCatalogue:
        """Return the formats that test sets are uploaded in."""
        return self._exchange(get_formats())

    def kinds(self) -> KindCatalogue:
        """Return the kinds of changed queries, and the presets that choose among them.

        >>> [preset.name for preset in client.kinds().presets]
        ['quick', 'default', 'full']
        """
        return self._exchange(get_kinds())

    def preview_variants(self, request: Asked, *, timeout_s: float | None = None) -> Preview:
        """Show the changed queries that a run would send; nothing is sent.

        Raises:
            WaitTimeoutError: it had not ended after `timeout_s`.
        """
        return self._see_through(partial(post_preview, request), _state_of, timeout_s)

    def read_preview(self, preview_id: str, *, wait: int | None = None) -> Preview:
        """Return a preview that was begun before; with `wait`, at its end or after so long."""
        return self._exchange(get_preview(preview_id, wait))


class AsyncCatalogues(AsyncSender):
    """`Catalogues` for asyncio."""

    async def metrics(self) -> MetricCatalogue:
        """Return the metrics, each with its formula and a worked example."""
        return await self._exchange(get_metrics())

    async def formats(self) -> FormatCatalogue:
        """Return the formats that test sets are uploaded in."""
        return await self._exchange(get_formats())

    async def kinds(self) -> KindCatalogue:
        """Return the kinds of changed queries, and the presets that choose among them."""
        return await self._exchange(get_kinds())

    async def preview_variants(self, request: Asked, *, timeout_s: float | None = None) -> Preview:
        """Show the changed queries that a run would send, as `Client.preview_variants` does."""
        return await self._see_through(partial(post_preview, request), _state_of, timeout_s)

    async def read_preview(self, preview_id: str, *, wait: int | None = None) -> Preview:
        """Return a preview that was begun before; with `wait`, at its end or after so long."""
        return await self._exchange(get_preview(preview_id, wait))


def get_metrics() -> Call[MetricCatalogue]:
    """List the metrics."""
    return get_from("/v1/metrics", MetricCatalogue)


def get_formats() -> Call[FormatCatalogue]:
    """List the formats of test sets."""
    return get_from("/v1/formats", FormatCatalogue)


def get_kinds() -> Call[KindCatalogue]:
    """List the kinds of changed queries."""
    return get_from("/v1/adversarial/kinds", KindCatalogue)


def post_preview(request: Asked, wait: int | None = None) -> Call[Preview]:
    """Have changed queries made."""
    return post_to("/v1/adversarial/preview", Preview, request, wait=wait, keyed=True)


def get_preview(preview_id: str, wait: int | None = None) -> Call[Preview]:
    """Read a preview; with `wait`, held so many seconds or to its end."""
    return get_from(f"/v1/adversarial/previews/{segment(preview_id)}", Preview, wait=wait)


def _state_of(preview: Preview, wait: int | None) -> Call[Preview]:
    return get_preview(preview.id, wait)
