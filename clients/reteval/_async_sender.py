"""How a client for asyncio sends: its connection, its pace, its pages. Knows no route."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx

from reteval import _flows, _requests
from reteval._downloads import Download
from reteval._requests import Call
from reteval._responses import Reply
from reteval._rows import AsyncRows
from reteval._transport import (
    broken_of,
    failure_of,
    find_target,
    read_chunks_async,
    reply_of,
    request_of,
)
from reteval.contract.backups import BrokenBackupError
from reteval.errors import ConnectionFailedError
from reteval.retries import Retry

T = TypeVar("T")


class AsyncSender:
    """`Sender` for asyncio."""

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        http: httpx.AsyncClient | None = None,
        timeout_s: float = 30.0,
        retry: Retry | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._target = find_target(url, api_key, os.environ)
        self._own = http is None
        # A proxy of the environment cannot reach the loopback interface of this machine.
        self._http = http or httpx.AsyncClient(trust_env=not self._target.loopback)
        self._timeout_s = timeout_s
        self._pace = _flows.Pace(retry or Retry(), clock)
        self._sleep = sleep

    @property
    def url(self) -> str:
        """Where the service is."""
        return self._target.url

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections, unless they belong to a client passed in."""
        if self._own:
            await self._http.aclose()

    def _rows(self, first: Call[Any]) -> AsyncRows[Any]:
        return AsyncRows(self._pages(first))

    async def _pages(self, first: Call[Any]) -> AsyncIterator[Any]:
        call: Call[Any] | None = first
        while call is not None:
            page = await self._exchange(call)
            for row in page.items:
                yield row
            call = _requests.next_page(call, page)

    async def _exchange(self, call: Call[T]) -> T:
        return await self._drive(_flows.exchange(call, self._pace.retry))

    async def _await_end(
        self,
        get: Callable[[int | None], Call[_flows.J]],
        timeout_s: float | None,
        on_progress: Callable[[_flows.J], object] | None = None,
    ) -> _flows.J:
        return await self._drive(_flows.await_end(get, self._pace, timeout_s, on_progress))

    async def _see_through(
        self,
        post: Callable[[int | None], Call[_flows.J]],
        get: Callable[[_flows.J, int | None], Call[_flows.J]],
        timeout_s: float | None,
    ) -> _flows.J:
        return await self._drive(_flows.see_through(post, get, self._pace, timeout_s))

    async def _download(self, call: Call[None], path: Path) -> None:
        await self._drive(_flows.exchange(call, self._pace.retry), send=partial(self._save, path))

    async def _drive(
        self,
        flow: _flows.Flow[T],
        send: Callable[[Call[object]], Awaitable[Reply | ConnectionFailedError]] | None = None,
    ) -> T:
        go_on: Callable[[], _flows.Step] = partial(flow.send, None)
        while True:
            try:
                step = go_on()
            except StopIteration as end:
                result: T = end.value
                return result
            try:
                if isinstance(step, _flows.Pause):
                    await self._sleep(step.seconds)
                    go_on = partial(flow.send, None)
                else:
                    go_on = partial(flow.send, await (send or self._send)(step))
            except BaseException as exc:  # noqa: BLE001 - the flow says what goes on, and raises it
                go_on = partial(flow.throw, exc)

    async def _send(self, call: Call[object]) -> Reply | ConnectionFailedError:
        arguments = request_of(call, self._target, self._timeout_s)
        if call.file is not None:
            arguments["content"] = read_chunks_async(call.file)
        request = self._http.build_request(**arguments)
        try:
            return reply_of(await self._http.send(request, follow_redirects=False))
        except httpx.RequestError as exc:
            return failure_of(exc, call, self._target)

    async def _save(self, path: Path, call: Call[object]) -> Reply | ConnectionFailedError:
        """Send a call whose answer is a backup; keep it once it has arrived whole."""
        request = self._http.build_request(**request_of(call, self._target, self._timeout_s))
        try:
            response = await self._http.send(request, follow_redirects=False, stream=True)
            async with aclosing(response):
                if response.status_code != HTTPStatus.OK:
                    await response.aread()
                    return reply_of(response)
                with Download(path) as file:
                    async for piece in response.aiter_bytes():
                        file.write(piece)
        except httpx.RequestError as exc:
            return failure_of(exc, call, self._target)
        except BrokenBackupError as exc:
            return broken_of(exc, call)
        return Reply(status=HTTPStatus.OK, headers={}, body=b"")
