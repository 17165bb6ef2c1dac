"""A door that speaks TLS in front of a server that does not, as managed stores have one."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path


@contextlib.asynccontextmanager
async def serve_tls(certificate: Path, *, socket: str) -> AsyncIterator[int]:
    """Pass bytes between TLS connections to a loopback port and a unix socket."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_unix_connection(socket)
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            await asyncio.gather(_copy(reader, inner_writer), _copy(inner_reader, writer))

    server = await asyncio.start_server(pass_on, "localhost", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()
