"""A litestar application that answers bytes it holds, and nothing else: the limit of an API."""

import os
import socket
import sys
import threading
import time
from mimetypes import guess_type
from pathlib import Path

from granian import Granian
from granian.constants import Interfaces
from litestar import Litestar, Request, Response, get

FOLDER = "BARE_FOLDER"


def application() -> Litestar:
    """Hold each file of the folder, and answer it under its name."""
    held = {path.name: path.read_bytes() for path in Path(os.environ[FOLDER]).iterdir()}
    media = {name: found for name in held if (found := guess_type(name)[0])}

    @get(["/{name:str}", "/static/{name:str}"])
    async def answer(request: Request, name: str) -> Response[bytes]:
        if request.headers.get("If-None-Match"):
            return Response(b"", status_code=304)
        return Response(held[name], media_type=media.get(name, "application/json"))

    return Litestar([answer], openapi_config=None)


def main() -> None:
    """Serve the files of a folder as the service is served."""
    os.environ[FOLDER] = sys.argv[1]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    threading.Thread(target=_announce, args=(port,), daemon=True).start()
    Granian(
        "bare_api:application",
        factory=True,
        address="127.0.0.1",
        port=port,
        interface=Interfaces.ASGI,
        websockets=False,
        log_enabled=False,
    ).serve()


def _announce(port: int) -> None:
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                print(f"ready http://127.0.0.1:{port}", flush=True)
                return
        time.sleep(0.05)


if __name__ == "__main__":
    main()
