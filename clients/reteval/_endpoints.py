"""What both clients offer about endpoints: probe, save, change."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from reteval import _endpoint_calls
from reteval._async_sender import AsyncSender
from reteval._endpoint_calls import Described
from reteval._requests import Call
from reteval._rows import AsyncRows, Rows
from reteval._sender import Sender
from reteval.contract.catalogues import PresetCatalogue
from reteval.contract.probes import Probe, ProbeRequest
from reteval.contract.saved_endpoints import SavedEndpoint


def _state_of(probe: Probe, wait: int | None) -> Call[Probe]:
    return _endpoint_calls.get_probe(probe.id, wait)


class Endpoints(Sender):
    """A sender that knows the routes of endpoints."""

    def probe(
        self, request: ProbeRequest | Mapping[str, Any], *, timeout_s: float | None = None
    ) -> Probe:
        """Send up to five queries to an endpoint and return all that was seen of them.

        Raises:
            WaitTimeoutError: it had not ended after `timeout_s`.
        """
        post = partial(_endpoint_calls.post_probe, request)
        return self._see_through(post, _state_of, timeout_s)

    def read_probe(self, probe_id: str, *, wait: int | None = None) -> Probe:
        """Return a probe that was begun before; with `wait`, at its end or after so long."""
        return self._exchange(_endpoint_calls.get_probe(probe_id, wait))

    def save_endpoint(self, request: Described) -> SavedEndpoint:
        """Keep an endpoint under a name; its header values are never shown again."""
        return self._exchange(_endpoint_calls.post_endpoint(request))

    def endpoints(self, *, limit: int | None = None) -> Rows[SavedEndpoint]:
        """Iterate over saved endpoints, newest first; `limit` is the size of a page."""
        return self._rows(_endpoint_calls.get_endpoints(limit))

    def endpoint(self, id_or_name: str) -> SavedEndpoint:
        """Return a saved endpoint, without its header values."""
        return self._exchange(_endpoint_calls.get_endpoint(id_or_name))

    def replace_endpoint(self, known: SavedEndpoint | str, request: Described) -> SavedEndpoint:
        """Describe a saved endpoint anew, header values included.

        Of a `SavedEndpoint`, only if nobody changed it since (`ClientError` with the status 412);
        of an id or a name, whatever it is by now.
        """
        return self._exchange(_endpoint_calls.put_endpoint(known, request))

    def rotate_secrets(
        self, known: SavedEndpoint | str, headers: Mapping[str, str]
    ) -> SavedEndpoint:
        """Give headers of a saved endpoint new values; runs that have begun keep the old ones."""
        return self._exchange(_endpoint_calls.put_secrets(known, headers))

    def delete_endpoint(self, id_or_name: str) -> None:
        """Delete a saved endpoint; runs keep the copy they were made with."""
        self._exchange(_endpoint_calls.delete_endpoint(id_or_name))

    def endpoint_presets(self) -> PresetCatalogue:
        """Return the presets, each with the description it stands for."""
        return self._exchange(_endpoint_calls.get_presets())


class AsyncEndpoints(AsyncSender):
    """`Endpoints` for asyncio."""

    async def probe(
        self, request: ProbeRequest | Mapping[str, Any], *, timeout_s: float | None = None
    ) -> Probe:
        """Send up to five queries to an endpoint, as `Client.probe` does."""
        post = partial(_endpoint_calls.post_probe, request)
        return await self._see_through(post, _state_of, timeout_s)

    async def read_probe(self, probe_id: str, *, wait: int | None = None) -> Probe:
        """Return a probe that was begun before; with `wait`, at its end or after so long."""
        return await self._exchange(_endpoint_calls.get_probe(probe_id, wait))

    async def save_endpoint(self, request: Described) -> SavedEndpoint:
        """Keep an endpoint under a name; its header values are never shown again."""
        return await self._exchange(_endpoint_calls.post_endpoint(request))

    def endpoints(self, *, limit: int | None = None) -> AsyncRows[SavedEndpoint]:
        """Iterate over saved endpoints, newest first; `limit` is the size of a page."""
        return self._rows(_endpoint_calls.get_endpoints(limit))

    async def endpoint(self, id_or_name: str) -> SavedEndpoint:
        """Return a saved endpoint, without its header values."""
        return await self._exchange(_endpoint_calls.get_endpoint(id_or_name))

    async def replace_endpoint(
        self, known: SavedEndpoint | str, request: Described
    ) -> SavedEndpoint:
        """Describe a saved endpoint anew, as `Client.replace_endpoint` does."""
        return await self._exchange(_endpoint_calls.put_endpoint(known, request))

    async def rotate_secrets(
        self, known: SavedEndpoint | str, headers: Mapping[str, str]
    ) -> SavedEndpoint:
        """Give headers of a saved endpoint new values; runs that have begun keep the old ones."""
        return await self._exchange(_endpoint_calls.put_secrets(known, headers))

    async def delete_endpoint(self, id_or_name: str) -> None:
        """Delete a saved endpoint; runs keep the copy they were made with."""
        await self._exchange(_endpoint_calls.delete_endpoint(id_or_name))

    async def endpoint_presets(self) -> PresetCatalogue:
        """Return the presets, each with the description it stands for."""
        return await self._exchange(_endpoint_calls.get_presets())
