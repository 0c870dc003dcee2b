"""A mail server for tests that fails in one way: faulty.py FOLDER FAULT. Ends when its standard input is closed.

Once the folder has a file `mended` it takes mails as the server of sink.py does.
"""

import asyncio
import os
import ssl
import sys

folder, fault = sys.argv[1:3]

# What is answered at a stage in the place of what a server says that takes mails. `close` ends the connection.
FAULTS = {
    "greets_with_554": {"greeting": "554 5.3.2 no service here"},
    "greets_with_421": {"greeting": "421 4.7.0 too many connections"},
    "closes_before_greeting": {"greeting": "close"},
    "speaks_http": {"greeting": "HTTP/1.1 400 Bad Request"},
    "greets_without_end": {"greeting": "endless"},
    "refuses_login": {"AUTH": "535 5.7.8 authentication failed"},
    "cannot_check_login": {"AUTH": "454 4.7.0 temporary authentication failure"},
    "requires_login": {"MAIL": "530 5.7.0 authentication required"},
    "refuses_sender": {"MAIL": "553 5.7.1 sender not owned by this login"},
    "denies_relay": {"RCPT": "554 5.7.1 relay access denied"},
    "denies_access": {"RCPT": "550 5.7.1 access denied"},
    "denies_some": {"RCPT a": "550 5.7.1 access denied"},
    "has_reached_quota": {"RCPT": "550 5.4.5 daily sending limit exceeded"},
    "closes_after_sender": {"RCPT": "421 4.3.2 going down"},
    "has_expired_certificate": {},
    "closes_during_content": {"content": "close"},
    "closes_for_some": {"content a": "close"},
    "fails_after_content": {"content": "451 4.3.0 try again later"},
    "greylists": {"RCPT": "450 4.2.0 greylisted"},
    "refuses_content": {"content": "554 5.7.1 rejected as spam"},
    "finds_mail_too_large": {"content": "552 5.3.4 message too big"},
}
REPLIES = {
    "greeting": "220 ready", "AUTH": "235 2.7.0 welcome", "MAIL": "250 2.1.0 OK", "RCPT": "250 2.1.5 OK",
    "DATA": "354 go on", "content": "250 2.0.0 OK", "STARTTLS": "220 go on", "QUIT": "221 bye",
}


def note(name):
    with open(f"{folder}/{name}", "a") as file:
        file.write("x")


class Session:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.isEncrypted = False
        self.isMended = os.path.exists(f"{folder}/mended")

    async def say(self, text):
        self.writer.write(text.encode() + b"\r\n")
        await self.writer.drain()

    async def answer(self, stage):
        """False if the connection ends."""
        faults = {} if self.isMended else FAULTS[fault]
        usual = REPLIES.get(stage.split(" ")[0], "250 OK")
        reply = faults.get(stage) or faults.get(stage.split(" ")[0]) or usual
        if reply != usual:
            note("faults")
        if reply == "endless":
            while True:
                await self.say("\r\n".join(["220-" + "A" * 100] * 500))
        if reply != "close":
            await self.say(reply)
        return reply != "close" and not reply.startswith("421") and stage != "QUIT"

    async def run(self):
        if not await self.answer("greeting"):
            return
        sender, recipients = "", []
        while line := (await self.reader.readline()).decode().strip():
            word = line.split(" ")[0].upper()
            if word in ("EHLO", "HELO"):
                offers = ["faulty", "AUTH PLAIN"]
                if fault == "has_expired_certificate" and not self.isEncrypted:
                    offers = ["faulty", "STARTTLS"]
                lines = [f"250{'-' if place + 1 < len(offers) else ' '}{text}" for place, text in enumerate(offers)]
                await self.say("\r\n".join(lines))
                continue
            if word == "MAIL":
                sender = line.split("<")[1].split(">")[0]
            if word == "RCPT":
                recipients.append(line.split("<")[1].split(">")[0])
            if word == "AUTH":
                note("logins")
                if len(line.split(" ")) < 3:
                    await self.say("334 ")
                    await self.reader.readline()
            if not await self.answer("RCPT a" if line.startswith("RCPT TO:<a") else word):
                return
            if word == "STARTTLS":
                context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
                name = "renewed" if self.isMended else "certificate"
                context.load_cert_chain(f"{folder}/{name}", f"{folder}/key")
                note("handshakes")
                await self.writer.start_tls(context)
                self.isEncrypted = True
            if word == "DATA":
                content = await self.reader.readuntil(b"\r\n.\r\n")
                stage = "content a" if recipients[0].startswith("a") else "content"
                faults = {} if self.isMended else FAULTS[fault]
                if stage not in faults and "content" not in faults:
                    self.keep(sender, recipients, content[:-3])
                if not await self.answer(stage):
                    return

    def keep(self, sender, recipients, content):
        path = f"{folder}/{len([name for name in os.listdir(folder) if name.endswith('.mail')]) + 1:04d}"
        with open(path, "wb") as file:
            seal = "tls" if self.isEncrypted else "plain"
            file.write(f"{sender}\n{' '.join(recipients)}\n{seal}\n".encode() + content.replace(b"\r\n..", b"\r\n."))
        os.rename(path, path + ".mail")


async def serve(reader, writer):
    try:
        await Session(reader, writer).run()
    except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    with open(f"{folder}/port.new", "w") as file:
        file.write(str(server.sockets[0].getsockname()[1]))
    os.rename(f"{folder}/port.new", f"{folder}/port")
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)


asyncio.run(main())
