"""A search endpoint that costs next to nothing: ten fixed hits for every request, keep-alive.

`python benchmarks/fast_endpoint.py` prints `ready URL` and serves until it is terminated.
"""

import asyncio
import json
from typing import cast

import uvloop

HITS = [{"id": f"doc-{number:05d}", "score": 1.0 / number} for number in range(1, 11)]
BODY = json.dumps({"results": HITS}).encode()
REPLY = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY)
) + BODY


class Search(asyncio.Protocol):
    """Answers each complete request; bodies are read by their Content-Length."""

    def __init__(self) -> None:
        self._buffer = b""
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete."""
        self._buffer += data
        while True:
            head, blank, rest = self._buffer.partition(b"\r\n\r\n")
            if not blank:
                return
            length = 0
            for line in head.split(b"\r\n")[1:]:
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if len(rest) < length:
                return
            self._buffer = rest[length:]
            if self._transport is not None:
                self._transport.write(REPLY)


async def serve() -> None:
    """Serve on a free loopback port until cancelled."""
    server = await asyncio.get_running_loop().create_server(Search, "127.0.0.1", 0)
    print(f"ready http://127.0.0.1:{server.sockets[0].getsockname()[1]}/search", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve())
