"""A raw HTTP/1.1 client on asyncio, which can bind its own address and send requests that are never finished."""
import asyncio
import json
import socket


def call_body(method, identifier=1, **params):
    return json.dumps({"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}, ensure_ascii=False).encode()


def batch_body(calls):
    return b"[" + b",".join(calls) + b"]"


def request_head(length, token=None):
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    return (f"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{authorization}"
            f"Content-Length: {length}\r\n\r\n").encode()


class ConnectionClosed(Exception):
    """The server closed the connection before it sent any byte of a response."""


class Connection:
    @classmethod
    async def open(cls, port, address="127.0.0.1"):
        self = cls()
        self.reader, self.writer = await asyncio.open_connection(
            "127.0.0.1", port, local_addr=(address, 0), limit=1 << 20)
        self.writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reusable = True
        return self

    async def post(self, body, token=None, keep=1 << 20):
        """Sends a request and reads its response: the status and the first `keep` bytes of the body."""
        return await self.exchange(request_head(len(body), token) + body, keep)

    async def get(self, path, keep=1 << 20):
        """The same for a request without a body and a token."""
        return await self.exchange(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(), keep)

    async def exchange(self, request, keep):
        try:
            self.writer.write(request)
            head = await self.reader.readuntil(b"\r\n\r\n")
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            self.close()
            if getattr(error, "partial", b""):
                raise ConnectionError("the response ends in its head") from error
            raise ConnectionClosed() from error
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split()[1])
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
        try:
            if fields.get("transfer-encoding") == "chunked":
                body = await self.read_chunks(keep)
            else:
                body = await self.read(int(fields.get("content-length", 0)), keep)
        except asyncio.IncompleteReadError as error:
            self.close()
            raise ConnectionError("the response ends in its body") from error
        if fields.get("connection") == "close":
            self.close()
        return status, body

    async def read(self, length, keep):
        kept = bytearray()
        while length:
            part = await self.reader.read(min(length, 1 << 18))
            if not part:
                raise asyncio.IncompleteReadError(b"", length)
            length -= len(part)
            kept += part[:max(0, keep - len(kept))]
        return bytes(kept)

    async def read_chunks(self, keep):
        kept = b""
        while size := int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16):
            kept += await self.read(size, keep - len(kept))
            await self.reader.readexactly(2)
        await self.reader.readuntil(b"\r\n")
        return kept

    def close(self):
        self.reusable = False
        self.writer.close()
