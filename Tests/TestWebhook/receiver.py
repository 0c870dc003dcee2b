"""A receiver of webhooks for tests: receiver.py FOLDER STEP…. Ends when its standard input is closed.

Each STEP says what happens to one request, the last one to all further ones: `ok`, `fail` (500), `refuse` (400), `gone`
(404), `limit` (429 with retry_after), `hang` (no answer), `redirect`, `large` (3 MiB), `slow` (answers after two seconds).
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
        else:
            if step == "slow":
                time.sleep(2)
            self.answer(200, {"id": f"message-{number}"})

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
