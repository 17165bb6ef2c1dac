"""What both clients offer about webhooks, for those who own them."""

from reteval import _webhook_calls
from reteval._async_sender import AsyncSender
from reteval._rows import AsyncRows, Rows
from reteval._sender import Sender
from reteval._webhook_calls import Asked
from reteval.contract.webhooks import DEFAULT_GRACE_S, Delivery, Webhook, WebhookSecret


class Webhooks(Sender):
    """A sender that knows the routes of webhooks."""

    def create_webhook(self, request: Asked) -> WebhookSecret:
        """Register a webhook; the answer holds its secret, which is shown this once."""
        return self._exchange(_webhook_calls.post_webhook(request))

    def webhooks(self, *, limit: int | None = None) -> Rows[Webhook]:
        """Iterate over webhooks, newest first; `limit` is the size of a page."""
        return self._rows(_webhook_calls.get_webhooks(limit))

    def webhook(self, webhook_id: str) -> Webhook:
        """Return a webhook, without its secret."""
        return self._exchange(_webhook_calls.get_webhook(webhook_id))

    def replace_webhook(self, webhook_id: str, request: Asked) -> Webhook:
        """Change a webhook, or switch it on or off; its secret stays."""
        return self._exchange(_webhook_calls.put_webhook(webhook_id, request))

    def delete_webhook(self, webhook_id: str) -> None:
        """Delete a webhook and its log."""
        self._exchange(_webhook_calls.delete_webhook(webhook_id))

    def rotate_webhook(self, webhook_id: str, *, grace_s: int = DEFAULT_GRACE_S) -> WebhookSecret:
        """Make a new secret; the old one signs along for `grace_s`."""
        return self._exchange(_webhook_calls.post_rotation(webhook_id, grace_s))

    def ping_webhook(self, webhook_id: str) -> Delivery:
        """Queue an event of the type `ping`, to try the webhook out."""
        return self._exchange(_webhook_calls.post_ping(webhook_id))

    def deliveries(self, webhook_id: str, *, limit: int | None = None) -> Rows[Delivery]:
        """Iterate over what was delivered or waits, newest event first."""
        return self._rows(_webhook_calls.get_deliveries(webhook_id, limit))

    def delivery(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Return a delivery with its attempts."""
        return self._exchange(_webhook_calls.get_delivery(webhook_id, delivery_id))

    def replay_delivery(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Deliver an event once more, now; `ConflictError` where the webhook is off."""
        return self._exchange(_webhook_calls.post_replay(webhook_id, delivery_id))


class AsyncWebhooks(AsyncSender):
    """`Webhooks` for asyncio."""

    async def create_webhook(self, request: Asked) -> WebhookSecret:
        """Register a webhook; the answer holds its secret, which is shown this once."""
        return await self._exchange(_webhook_calls.post_webhook(request))

    def webhooks(self, *, limit: int | None = None) -> AsyncRows[Webhook]:
        """Iterate over webhooks, newest first; `limit` is the size of a page."""
        return self._rows(_webhook_calls.get_webhooks(limit))

    async def webhook(self, webhook_id: str) -> Webhook:
        """Return a webhook, without its secret."""
        return await self._exchange(_webhook_calls.get_webhook(webhook_id))

    async def replace_webhook(self, webhook_id: str, request: Asked) -> Webhook:
        """Change a webhook, or switch it on or off; its secret stays."""
        return await self._exchange(_webhook_calls.put_webhook(webhook_id, request))

    async def delete_webhook(self, webhook_id: str) -> None:
        """Delete a webhook and its log."""
        await self._exchange(_webhook_calls.delete_webhook(webhook_id))

    async def rotate_webhook(
        self, webhook_id: str, *, grace_s: int = DEFAULT_GRACE_S
    ) -> WebhookSecret:
        """Make a new secret; the old one signs along for `grace_s`."""
        return await self._exchange(_webhook_calls.post_rotation(webhook_id, grace_s))

    async def ping_webhook(self, webhook_id: str) -> Delivery:
        """Queue an event of the type `ping`, to try the webhook out."""
        return await self._exchange(_webhook_calls.post_ping(webhook_id))

    def deliveries(self, webhook_id: str, *, limit: int | None = None) -> AsyncRows[Delivery]:
        """Iterate over what was delivered or waits, newest event first."""
        return self._rows(_webhook_calls.get_deliveries(webhook_id, limit))

    async def delivery(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Return a delivery with its attempts."""
        return await self._exchange(_webhook_calls.get_delivery(webhook_id, delivery_id))

    async def replay_delivery(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Deliver an event once more, now; `ConflictError` where the webhook is off."""
        return await self._exchange(_webhook_calls.post_replay(webhook_id, delivery_id))
