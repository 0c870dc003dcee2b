"""`learntrack serve` on a free port, with a private Postgres, for the time of the stories: with demo data, or without accounts."""
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PASSWORD = "demo-learntrack"
ACCOUNTS = {"admin": "admin@demo.learntrack.fr", "user": "user@demo.learntrack.fr"}


class RPCError(Exception):
    """The error of a call: its code, its message and its data."""

    def __init__(self, error):
        super().__init__(f"{error['code']} {error['message']} {error.get('data', '')}")
        self.code, self.data = error["code"], error.get("data", {})


class RemoteServer:
    """A server with demo data that runs already."""

    def __init__(self, url):
        self.url = url.rstrip("/")
        self.tokens = {}

    def log(self):
        """What the server has logged; nothing of one that runs elsewhere."""
        return ""

    def stop(self):
        pass

    def rpc(self, method, params=None, account="admin"):
        """Calls a method as one of the demo accounts, or as a stranger, and returns the result. It prepares and checks what a story
        needs; the story itself goes through the page."""
        token = self.tokens.get(account)
        if account and not token:
            credentials = {"email": ACCOUNTS.get(account, account), "password": PASSWORD}
            token = self.tokens[account] = self.rpc("auth.login", credentials, None)["access_token"]
        request = urllib.request.Request(
            self.url + "/rpc", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}).encode(),
            {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})})
        try:
            answer = json.load(urllib.request.urlopen(request, timeout=30))
        except urllib.error.HTTPError as error:
            answer = json.load(error)
        if "error" in answer:
            if answer["error"].get("data", {}).get("reason") in ("expired", "revoked") and self.tokens.pop(account, None):
                return self.rpc(method, params, account)
            raise RPCError(answer["error"])
        return answer["result"]


class OwnServer(RemoteServer):
    """A server of the stories alone. It ends with this process, however that ends."""

    def __init__(self, binary, front, arguments=(), demo=True):
        # The private Postgres runs as another user when this process is root's, and must reach its folder.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lt-front-"))
        self.folder.chmod(0o755)
        environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith("LEARNTRACK_") and name not in ("DATABASE_URL", "JWT_SECRET", "SMTP_URL")}
        self.binary = binary
        self.output = self.folder / "output.txt"
        self.errors = self.folder / "errors.txt"
        with self.output.open("w") as output, self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [binary, "serve", "--port", "0", "--front", front, "--data-dir", self.folder / "data", "--log-level", "warning",
                 *(["--demo"] if demo else []), *arguments],
                cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, preexec_fn=end_with_parent)
        super().__init__(self.wait_until_ready())

    def wait_until_ready(self):
        ready = "LearnTrack ready on "
        end = time.monotonic() + 120
        while time.monotonic() < end and self.process.poll() is None:
            for line in self.output.read_text().splitlines():
                if line.startswith(ready):
                    return line.removeprefix(ready)
            time.sleep(0.05)
        errors = self.errors.read_text()
        self.stop()
        raise SystemExit(f"✘ front: the server has not started: {errors}")

    def log(self):
        return self.errors.read_text()

    def printed(self):
        return self.output.read_text()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def end_with_parent():
    """Linux sends the server SIGTERM when this process has ended."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
