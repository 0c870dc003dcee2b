"""A mail server for tests: sink.py FOLDER BEHAVIOUR. Ends when its standard input is closed."""

import asyncio
import os
import socket
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

folder, behaviour = sys.argv[1:3]


class Handler:
    def __init__(self):
        self.accepted = 0
        self.rejected = 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        if behaviour == "rejecting" or (behaviour == "busy" and self.rejected < 2):
            self.rejected += 1
            with open(f"{folder}/rejections", "a") as file:
                file.write("x")
            return "550 5.1.1 unknown user" if behaviour == "rejecting" else "451 4.3.0 try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if behaviour == "slow":
            await asyncio.sleep(3)
        self.accepted += 1
        path = f"{folder}/{self.accepted:04d}"
        with open(path, "wb") as file:
            seal = "tls" if session.ssl else "plain"
            file.write(f"{envelope.mail_from}\n{' '.join(envelope.rcpt_tos)}\n{seal}\n".encode())
            file.write(envelope.original_content)
        os.rename(path, path + ".mail")
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    with open(f"{folder}/logins", "a") as file:
        file.write("x")
    right = isinstance(data, LoginPassword) and (data.login, data.password) == (b"user", b"secret")
    return AuthResult(success=right, handled=False)


async def silence(reader, writer):
    await asyncio.sleep(3600)


async def read_slowly(reader, writer):
    """Takes a mail at 160 kB a second."""
    writer.write(b"220 thin\r\n")
    while line := await reader.readline():
        word = line.split()[0].upper()
        writer.write(b"354 go on\r\n" if word == b"DATA" else b"250 OK\r\n")
        if word == b"DATA":
            content = b""
            while not content.endswith(b"\r\n.\r\n"):
                content += await reader.read(1 << 16)
                await asyncio.sleep(0.4)
            with open(f"{folder}/0001", "wb") as file:
                file.write(b"\n\nplain\n" + content)
            os.rename(f"{folder}/0001", f"{folder}/0001.mail")
            writer.write(b"250 OK\r\n")


async def main():
    handler = Handler()
    options = {"authenticated": {"authenticator": authenticate, "auth_required": True, "auth_require_tls": False}}
    if behaviour == "encrypted":
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(f"{folder}/certificate", f"{folder}/key")
        options["encrypted"] = {"tls_context": context, "authenticator": authenticate}
    loop = asyncio.get_running_loop()
    if behaviour == "silent":
        server = await asyncio.start_server(silence, "127.0.0.1", 0)
    elif behaviour == "thin":
        # The system would take megabytes that nobody has read.
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        listener.bind(("127.0.0.1", 0))
        server = await asyncio.start_server(read_slowly, sock=listener)
    else:
        server = await loop.create_server(
            lambda: SMTP(handler, enable_SMTPUTF8=True, **options.get(behaviour, {})), "127.0.0.1", 0
        )
    with open(f"{folder}/port.new", "w") as file:
        file.write(str(server.sockets[0].getsockname()[1]))
    os.rename(f"{folder}/port.new", f"{folder}/port")
    await loop.run_in_executor(None, sys.stdin.read)
    os._exit(0)


asyncio.run(main())
