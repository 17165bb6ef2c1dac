"""Two workers, one target limited to 50 requests a second: what the target's own log shows.

Two runs over the same target are started at once, each with `rate_per_s` 50, on two workers.
The target notes when each request came. Goals: no second with more than 50 requests, and at
least 45 a second on average.
"""

import argparse
import asyncio
import sys
import tempfile
import threading
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager

from programs import serving

from reteval import Client

RATE = 50
REPLY = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n["doc-1"]'


def main() -> int:
    """Run both and print the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=400)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(folder, workers=2) as service,
        listening() as (url, log),
        Client(service) as client,
    ):
        test_set = client.upload(
            {
                "name": "manners",
                "queries": [
                    {"query": f"question {number}", "relevant_ids": ["doc-1"]}
                    for number in range(options.queries)
                ],
            }
        )
        request = {
            "test_set": test_set.id,
            "endpoint": {"url": url},
            "limits": {"rate_per_s": RATE},
        }
        runs = [client.run(request) for _ in range(2)]
        for run in runs:
            client.wait(run.id)
    moments = sorted(log)
    most = max(bisect_left(moments, moment + 1.0) - place for place, moment in enumerate(moments))
    average = (len(moments) - 1) / (moments[-1] - moments[0])
    print(f"{len(moments)} requests of two runs in {moments[-1] - moments[0]:.1f} s")
    print(f"figure most_requests_in_any_second {most} goal <= {RATE}")
    print(f"figure average_requests_a_second {average:.1f} goal >= {0.9 * RATE:.0f}")
    return int(most > RATE or average < 0.9 * RATE)


@contextmanager
def listening() -> Iterator[tuple[str, list[float]]]:
    """Serve a target that notes when each request came, in a thread with a loop of its own."""
    log: list[float] = []
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                log.append(time.monotonic())
                for line in head.lower().split(b"\r\n"):
                    if line.startswith(b"content-length:"):
                        await reader.readexactly(int(line.partition(b":")[2]))
                writer.write(REPLY)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def open_server() -> asyncio.Server:
        return await asyncio.start_server(answer, "127.0.0.1", 0)

    server = asyncio.run_coroutine_threadsafe(open_server(), loop).result()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/search", log
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


if __name__ == "__main__":
    sys.exit(main())
