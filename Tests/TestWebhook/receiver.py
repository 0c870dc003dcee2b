"""A receiver of webhooks for tests: receiver.py FOLDER STEP…. Ends when its standard input is closed.

Each STEP says what happens to one request, the last one to all further ones: `ok`, `fail` (500), `refuse` (400), `gone`
(404), `limit` (429 with retry_after), `hang` (no answer), `redirect`, `large` (3 MiB), `slow` (answers after two seconds).

Requests to /api/webhooks/ are answered as Discord does, which keeps the messages: 404 with the code 10008 for a message that it does
not have, 400 for a text that it does not take. There, `bare` answers with the id alone, `swallow` keeps the message and never answers, `deleted` deletes the
message before it is edited, and `revoked` answers 401 as for a token that is no longer valid.
"""

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder, steps = sys.argv[1], sys.argv[2:]
lock = threading.Lock()
count = 0
# The texts of the messages on Discord, by webhook and id.
messages = {}


class Handler(BaseHTTPRequestHandler):
    def answer(self, status, body, headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def receive(self):
        global count
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        with lock:
            step = steps[min(count, len(steps) - 1)]
            count += 1
            number = count
            with open(f"{folder}/requests", "a") as file:
                seen = {"method": self.command, "path": self.path, "body": body, "step": step, "time": time.monotonic()}
                seen["trace"] = self.headers.get("traceparent", "")
                seen["key"] = self.headers.get("Idempotency-Key", "")
                file.write(json.dumps(seen) + "\n")
        if step == "hang":
            time.sleep(3600)
        elif step == "fail":
            self.answer(500, {"message": "out of order"})
        elif step == "refuse":
            self.answer(400, {"message": "bad content"})
        elif step == "gone":
            self.answer(404, {"message": "Unknown Webhook", "code": 10015})
        elif step == "limit":
            self.answer(429, {"message": "rate limited", "retry_after": 1.5}, [("Retry-After", "60")])
        elif step == "redirect":
            self.answer(302, {}, [("Location", "/elsewhere")])
        elif step == "large":
            self.answer(200, b"x" * (3 << 20))
        elif step == "revoked":
            self.answer(401, {"message": "Invalid Webhook Token", "code": 50027})
        else:
            if step == "slow":
                time.sleep(2)
            if self.path.startswith("/api/webhooks/"):
                self.discord(step, number, body)
            else:
                self.answer(200, {"id": f"message-{number}"})

    def discord(self, step, number, body):
        address, _, query = self.path.partition("?")
        webhook, _, message = address.partition("/messages/")
        content = json.loads(body).get("content", "")
        with lock:
            if self.command == "POST" and not message:
                message = str(1_300_000_000_000_000_000 + number)
                messages[webhook, message] = ""
            elif step == "deleted":
                messages.pop((webhook, message), None)
            is_known = (webhook, message) in messages
            is_valid = 1 <= len(content.strip()) <= 2000
            if is_known and is_valid:
                messages[webhook, message] = content.strip()
        if step == "swallow":
            time.sleep(3600)
        elif not is_known:
            self.answer(404, {"message": "Unknown Message", "code": 10008})
        elif not is_valid:
            self.answer(400, {"message": "Invalid Form Body", "code": 50035})
        elif self.command == "POST" and query != "wait=true":
            self.answer(204, b"")
        elif step == "bare":
            self.answer(200, {"id": message})
        else:
            self.answer(200, {"id": message, "type": 0, "content": content.strip(), "channel_id": "42", "pinned": False})

    do_POST = do_PATCH = do_DELETE = do_GET = receive

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
with open(f"{folder}/port.new", "w") as file:
    file.write(str(server.server_address[1]))
os.rename(f"{folder}/port.new", f"{folder}/port")
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
os._exit(0)
