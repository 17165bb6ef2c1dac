"""What both clients offer about alerts."""

from collections.abc import AsyncIterator, Iterator

from reteval import _schedule_calls
from reteval._async_sender import AsyncSender
from reteval._schedule_calls import AskedAlert
from reteval._sender import Sender
from reteval.contract.alerts import Alert, Evaluation


class Alerts(Sender):
    """A sender that knows the routes of alerts and of what they found."""

    def create_alert(self, request: AskedAlert) -> Alert:
        """Hold each run that ends from now on to a gate, and tell webhooks when that changes.

        Raises:
            OSError: a file that cannot be read.
        """
        return self._exchange(_schedule_calls.post_alert(request))

    def alerts(self, *, limit: int | None = None) -> Iterator[Alert]:
        """Iterate over alerts and their state, newest first; `limit` is the size of a page."""
        return self._rows(_schedule_calls.get_alerts(limit))

    def alert(self, alert_id: str) -> Alert:
        """Return an alert with its state."""
        return self._exchange(_schedule_calls.get_alert(alert_id))

    def replace_alert(
        self, alert_id: str, request: AskedAlert, *, version: int | None = None
    ) -> Alert:
        """Change an alert; it begins anew.

        With a `version`, `ClientError` where it has another one by now.
        """
        return self._exchange(_schedule_calls.put_alert(alert_id, request, version))

    def delete_alert(self, alert_id: str) -> None:
        """Delete an alert with what it found."""
        self._exchange(_schedule_calls.delete_alert(alert_id))

    def evaluations(self, alert_id: str, *, limit: int | None = None) -> Iterator[Evaluation]:
        """Iterate over what an alert found, newest first."""
        return self._rows(_schedule_calls.get_evaluations(alert_id, limit))


class AsyncAlerts(AsyncSender):
    """`Alerts` for asyncio."""

    async def create_alert(self, request: AskedAlert) -> Alert:
        """Hold each run that ends from now on to a gate, and tell webhooks when that changes.

        Raises:
            OSError: a file that cannot be read.
        """
        return await self._exchange(_schedule_calls.post_alert(request))

    def alerts(self, *, limit: int | None = None) -> AsyncIterator[Alert]:
        """Iterate over alerts and their state, newest first; `limit` is the size of a page."""
        return self._rows(_schedule_calls.get_alerts(limit))

    async def alert(self, alert_id: str) -> Alert:
        """Return an alert with its state."""
        return await self._exchange(_schedule_calls.get_alert(alert_id))

    async def replace_alert(
        self, alert_id: str, request: AskedAlert, *, version: int | None = None
    ) -> Alert:
        """Change an alert; it begins anew.

        With a `version`, `ClientError` where it has another one by now.
        """
        return await self._exchange(_schedule_calls.put_alert(alert_id, request, version))

    async def delete_alert(self, alert_id: str) -> None:
        """Delete an alert with what it found."""
        await self._exchange(_schedule_calls.delete_alert(alert_id))

    def evaluations(self, alert_id: str, *, limit: int | None = None) -> AsyncIterator[Evaluation]:
        """Iterate over what an alert found, newest first."""
        return self._rows(_schedule_calls.get_evaluations(alert_id, limit))
