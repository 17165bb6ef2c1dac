"""A headless Chromium that opens pages and says how long each took, over its DevTools protocol."""

import asyncio
import contextlib
import itertools
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

import aiohttp

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
_PAINTED: Final = (
    "new Promise(done => requestAnimationFrame(() => "
    "requestAnimationFrame(() => done(performance.now()))))"
)
"""Milliseconds from asking for the page until a frame was painted after it had loaded."""
_PORT_LINE: Final = "DevTools listening on ws://"
_PATIENCE_S: Final = 60


class Browser:
    """One tab, which keeps nothing from one page to the next."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)

    async def open(self, url: str) -> float:
        """Open a page; return the seconds from asking for it until it was painted whole."""
        await self.call("Page.navigate", url=url)
        await self._await_event("Page.loadEventFired")
        answer = await self.call(
            "Runtime.evaluate", expression=_PAINTED, awaitPromise=True, returnByValue=True
        )
        return float(answer["result"]["value"]) / 1_000

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol."""
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                message = await self._socket.receive_json()
                if message.get("id") == number:
                    if "error" in message:
                        raise RuntimeError(f"{method}: {message['error']['message']}")
                    result: dict[str, Any] = message["result"]
                    return result

    async def _await_event(self, name: str) -> None:
        async with asyncio.timeout(_PATIENCE_S):
            while (await self._socket.receive_json()).get("method") != name:
                pass


@contextlib.asynccontextmanager
async def browsing(folder: str) -> AsyncIterator[Browser]:
    """Start a browser with its files in a folder, and end it."""
    with _started(folder) as address:
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://{address}/json") as answer:
                tabs = await answer.json()
            page = next(tab for tab in tabs if tab["type"] == "page")
            async with session.ws_connect(page["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                browser = Browser(socket)
                await browser.call("Page.enable")
                await browser.call("Network.enable")
                await browser.call("Network.setCacheDisabled", cacheDisabled=True)
                yield browser


@contextlib.contextmanager
def _started(folder: str) -> Iterator[str]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        raise FileNotFoundError(f"none of {', '.join(NAMES)} is installed")
    words = [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
    words += [f"--user-data-dir={folder}/browser", "about:blank"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None  # noqa: S101
            line = next(line for line in process.stderr if _PORT_LINE in line)
            yield line.split(_PORT_LINE)[1].partition("/")[0]
        finally:
            process.terminate()
            process.communicate()
