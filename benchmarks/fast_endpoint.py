"""A search endpoint that costs next to nothing: fixed hits for every request, keep-alive.

`python benchmarks/fast_endpoint.py` prints `ready URL` and serves until it is terminated.
"""

import argparse
import asyncio
import json
from typing import cast

import uvloop


class Search(asyncio.Protocol):
    """Answers each complete request after a while; bodies are read by their Content-Length."""

    def __init__(self, reply: bytes, delay_s: float) -> None:
        self._reply = reply
        self._delay_s = delay_s
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
            if self._transport is None:
                return
            if self._delay_s:
                loop = asyncio.get_running_loop()
                loop.call_later(self._delay_s, self._transport.write, self._reply)
            else:
                self._transport.write(self._reply)


def make_reply(hits: int) -> bytes:
    """Return the whole answer, its hits in the default protocol."""
    found = [{"id": f"doc-{number:05d}", "score": 1.0 / number} for number in range(1, hits + 1)]
    body = json.dumps({"results": found}).encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % len(body) + body


async def serve(reply: bytes, delay_s: float) -> None:
    """Serve on a free loopback port until cancelled."""
    server = await asyncio.get_running_loop().create_server(
        lambda: Search(reply, delay_s), "127.0.0.1", 0
    )
    print(f"ready http://127.0.0.1:{server.sockets[0].getsockname()[1]}/search", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hits", type=int, default=10)
    parser.add_argument("--delay-ms", type=float, default=0.0)
    options = parser.parse_args()
    uvloop.run(serve(make_reply(options.hits), options.delay_ms / 1_000))
