"""A server with two companies: LearnTrack's demo data in the first, "Port", and a second one, "Digue"."""
import os
import re
import socketserver
import subprocess
import threading
import time

from harness import ACCOUNTS, PASSWORD

PORT = 1
BASILE = "basile@digue.fr"


class Mails(socketserver.ThreadingTCPServer):
    """Takes mails for as long as the stories run."""

    daemon_threads = allow_reuse_address = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Conversation)
        self.received = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def token_for(self, email, before=None):
        """The secret of the link in the last mail to this address, other than that of `before`."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            for mail in reversed(self.received):
                found = re.search(r"#invitation=([\w-]+)", mail)
                if found and f"<{email}>" in mail and found[1] != before:
                    return found[1]
            time.sleep(0.1)
        raise AssertionError(f"no mail to {email}: {self.received}")


class Conversation(socketserver.StreamRequestHandler):
    def say(self, words):
        self.wfile.write(f"{words}\r\n".encode())

    def handle(self):
        self.say("220 stories")
        to = ""
        for line in self.rfile:
            word = line.decode().strip()
            if word.upper().startswith("RCPT"):
                to = word
            if word.upper() == "DATA":
                self.say("354 go on")
                lines = []
                for text in self.rfile:
                    if text.strip() == b".":
                        break
                    lines.append(text.decode())
                # Lines of quoted-printable are joined again.
                self.server.received.append(to + "\n" + re.sub(r"=\r?\n", "", "".join(lines)).replace("=3D", "="))
            self.say("221 bye" if word.upper() == "QUIT" else "250 ok")
            if word.upper() == "QUIT":
                return


MAILS = []


def mails():
    if not MAILS:
        MAILS.append(Mails())
    return MAILS[0]


def serve(app):
    """Goes on with the server of these stories, whose demo administrator is a user of the second company, and returns its id."""
    app.serve("--smtp-url", f"smtp://127.0.0.1:{mails().server_address[1]}", "--public-url", "http://127.0.0.1")
    server = app.server
    if not hasattr(server, "digue"):
        psql(server, "UPDATE kernel.companies SET name = 'Port' WHERE id = 1")
        learntrack(server, "companies", "enable")
        learntrack(server, "companies", "add", "Digue", "--admin", BASILE, given=PASSWORD + "\n")
        server.digue = int(psql(server, "SELECT id FROM kernel.companies WHERE name = 'Digue'"))
        psql(server, f"""
            BEGIN;
            SET LOCAL learntrack.company = '{server.digue}';
            INSERT INTO users (company_id, email, username, role) VALUES ({server.digue}, 'admin@demo.learntrack.fr', 'Anne de la Digue', 'user');
            INSERT INTO ecoles (company_id, nom, ville) VALUES ({server.digue}, 'École de la Digue', 'Sète');
            COMMIT""")
    return server.digue


def rpc(app, company, method, params=None, account="admin"):
    """Calls a method in a company, beside the pages."""
    tokens = app.server.__dict__.setdefault("by_company", {})
    if (company, account) not in tokens:
        given = {"email": ACCOUNTS.get(account, account), "password": PASSWORD, "company_id": company}
        tokens[company, account] = app.rpc("auth.login", given, None)["access_token"]
    app.server.tokens["in a company"] = tokens[company, account]
    return app.rpc(method, params, "in a company")


def learntrack(server, *arguments, given=""):
    """Runs a command of learntrack on the database of a server, and returns what it prints."""
    command = [server.binary, *arguments, "--data-dir", server.folder / "data"]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout


def psql(server, statements):
    """Runs statements as the owner of the tables, and returns what the last one answers."""
    data = server.folder / "data" / "postgres"
    socket = (data / "postmaster.pid").read_text().splitlines()[4]
    command = ["psql", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-h", socket, "-U", "learntrack", "-d", "learntrack", "-c", statements]
    owner = data.stat().st_uid
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, user=owner if owner != os.geteuid() else None)
    assert done.returncode == 0, f"{statements}: {done.stderr}"
    return done.stdout.strip()
