"""What listeners of the change feed cost: the server's memory, and how long a change takes to reach all of them.

Run by itself: listeners.py BINARY [COUNT]
"""
import pathlib
import resource
import selectors
import socket
import sys
import time

from processes import Postgres, Server

EMAIL = "bench@test.example"


def listen(port, token):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setblocking(False)
    connection.sendall(
        f"GET /events?tables=ecoles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    return connection


def wait_for_all(connections, text, limit=60):
    """Seconds until each connection has received text."""
    start = time.monotonic()
    selector = selectors.DefaultSelector()
    received = {}
    for connection in connections:
        received[connection] = b""
        selector.register(connection, selectors.EVENT_READ)
    while received and time.monotonic() - start < limit:
        for key, _ in selector.select(1):
            connection = key.fileobj
            part = connection.recv(65536)
            if not part:
                raise SystemExit("a stream has ended")
            received[connection] += part
            if text in received[connection]:
                selector.unregister(connection)
                del received[connection]
    if received:
        raise SystemExit(f"{len(received)} listeners received nothing")
    return time.monotonic() - start


def run(server, count):
    server.call("ecoles.list", first=1)
    before = server.memory("VmRSS")
    connections = [listen(server.port, server.token) for _ in range(count)]
    joined = wait_for_all(connections, b"event: ready")
    after = server.memory("VmRSS")
    latencies = []
    for number in range(10):
        server.call("ecoles.create", values={"nom": f"Charge {number}"})
        latencies.append(round(wait_for_all(connections, b"event: change"), 3))
    return {
        "listeners": count, "MB before": round(before, 1), "MB with listeners": round(after, 1),
        "MB after ten changes": round(server.memory("VmRSS"), 1), "kB each": round((after - before) * 1000 / count, 1),
        "s until all are ready": round(joined, 2), "s until all have a change": latencies,
    }


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 1000), hard))
    server = Server(pathlib.Path(sys.argv[1]).resolve(), Postgres())
    server.migrate()
    server.add_account(EMAIL)
    server.start()
    server.token = server.sign_in(EMAIL)
    for name, value in run(server, count).items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
