"""An HTTP/2 client that also does what well-behaved ones do not. It writes its frames itself.

usage: http2.py PORT COMMAND [ARGUMENT ...]
Prints what it has seen as one JSON object.
"""
import json
import socket
import ssl
import struct
import sys
import time

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
MAX_CONCURRENT_STREAMS = 3


def tls(port, protocols):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(protocols)
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=2))


class Client:
    def __init__(self, port):
        self.socket = tls(port, ["h2"])
        assert self.socket.selected_alpn_protocol() == "h2"
        self.input = b""
        self.statuses, self.bodies, self.ended, self.resets = {}, {}, set(), {}
        self.settings, self.goaways, self.closed = {}, [], False
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.send(SETTINGS, 0, 0, b"")
        self.until(lambda: self.settings)

    def send(self, kind, flags, stream, payload):
        frame = struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload
        try:
            self.socket.sendall(frame)
        except OSError:
            self.closed = True

    def send_all(self, frame, count):
        try:
            self.socket.sendall(frame * count)
        except OSError:
            self.closed = True

    def open(self, stream, fields, ends):
        """Fields are written without compression."""
        block = b"".join(
            b"\x00" + self.integer(len(name)) + name.encode() + self.integer(len(value)) + value.encode()
            for name, value in fields)
        self.send(HEADERS, END_HEADERS | (END_STREAM if ends else 0), stream, block)

    @staticmethod
    def integer(value):
        if value < 127:
            return bytes([value])
        value, out = value - 127, [127]
        while value >= 128:
            out.append(value % 128 + 128)
            value //= 128
        return bytes(out + [value])

    def step(self):
        """Reads and notes one frame."""
        while len(self.input) < 9 or len(self.input) < 9 + int.from_bytes(self.input[:3], "big"):
            try:
                received = self.socket.recv(65536)
            except TimeoutError:
                return
            except (ConnectionError, ssl.SSLError):
                received = b""
            if not received:
                self.closed = True
                return
            self.input += received
        length, kind, flags = int.from_bytes(self.input[:3], "big"), self.input[3], self.input[4]
        stream = int.from_bytes(self.input[5:9], "big") & 0x7FFFFFFF
        payload, self.input = self.input[9:9 + length], self.input[9 + length:]
        if kind == SETTINGS and not flags & ACK:
            self.settings.update(struct.unpack(">HI", payload[i:i + 6]) for i in range(0, length, 6))
            self.settings.setdefault(0, 0)
            self.send(SETTINGS, ACK, 0, b"")
        elif kind == PING and not flags & ACK:
            self.send(PING, ACK, 0, payload)
        elif kind == HEADERS:
            # The first field is the status: these bytes stand for statuses (RFC 7541, appendix A).
            known = {0x88: 200, 0x8B: 304, 0x8C: 400, 0x8D: 404, 0x8E: 500}
            self.statuses.setdefault(stream, known.get(payload[0], "0x" + payload[:4].hex()))
        elif kind == DATA:
            self.bodies[stream] = self.bodies.get(stream, b"") + payload
            if payload:
                for window in (0, stream):
                    self.send(WINDOW_UPDATE, 0, window, struct.pack(">I", len(payload)))
        elif kind == RST_STREAM:
            self.resets[stream] = int.from_bytes(payload, "big")
        elif kind == GOAWAY:
            self.goaways.append((int.from_bytes(payload[:4], "big"), int.from_bytes(payload[4:8], "big")))
        if kind in (HEADERS, DATA) and flags & END_STREAM:
            self.ended.add(stream)

    def until(self, done, limit=12):
        end = time.monotonic() + limit
        while not done() and not self.closed and time.monotonic() < end:
            self.step()

    def report(self, **more):
        print(json.dumps({
            "max_streams": self.settings.get(MAX_CONCURRENT_STREAMS), "closed": self.closed,
            "answered": sum(1 for s in self.ended if self.statuses.get(s) == 200),
            "resets": len(self.resets), "goaways": [{"last": l, "code": c} for l, c in self.goaways], **more}))


def request(method, path, *fields):
    return [(":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path), *fields]


def streams(port, count):
    """So many requests at the same time: all heads first, then all bodies."""
    client = Client(port)
    body = b'{"jsonrpc":"2.0","id":1,"method":"rpc.discover.nothing"}'
    numbers = [2 * i + 1 for i in range(int(count))]
    for stream in numbers:
        client.open(stream, request("POST", "/rpc", ("content-type", "application/json")), False)
    for stream in numbers:
        client.send(DATA, END_STREAM, stream, body)
    client.until(lambda: client.ended.union(client.resets) >= set(numbers))
    whole = sum(1 for s in numbers if b'"id":1' in client.bodies.get(s, b""))
    client.report(whole=whole)


def resets(port, count):
    """Opens and resets stream after stream (CVE-2023-44487)."""
    client = Client(port)
    for i in range(int(count)):
        client.open(2 * i + 1, request("POST", "/rpc"), False)
        client.send(RST_STREAM, 0, 2 * i + 1, struct.pack(">I", 8))
        if client.closed:
            break
    client.until(lambda: client.goaways)
    client.until(lambda: False, 3)
    client.report()


def frames(port, kind, count):
    """So many frames of a type on no stream, each with four bytes, and then a request."""
    client = Client(port)
    for _ in range(int(count) // 100):
        client.send_all(struct.pack(">I", 4)[1:] + bytes([int(kind), 0]) + struct.pack(">II", 0, 1), 100)
        if client.closed:
            break
    client.open(1, request("GET", "/health/live"), True)
    client.until(lambda: 1 in client.ended)
    client.report()


def head(port, *fields):
    """One request with these fields, given as name=value, beside the usual ones; a value *N has N letters."""
    client = Client(port)
    own = []
    for field in fields:
        name, value = field.split("=", 1)
        own.append((name, "x" * int(value[1:]) if value.startswith("*") else value))
    usual = [field for field in request("GET", "/health/live") if field[0] not in dict(own)]
    # The fields of the request line come first.
    client.open(1, sorted(usual + own, key=lambda field: not field[0].startswith(":")), True)
    client.until(lambda: 1 in client.ended or client.resets or client.goaways)
    client.report(status=client.statuses.get(1))


def fields(port, count):
    """One request with so many fields beside the usual ones."""
    head(port, *["f%d=x" % i for i in range(int(count))])


def events(port, token, path, texts):
    """Listens until all texts, separated by |, have come; meanwhile the same connection is used for another request."""
    client = Client(port)
    client.open(1, request("GET", path, ("authorization", "Bearer " + token)), True)
    client.until(lambda: b"event: ready" in client.bodies.get(1, b"") or 1 in client.ended)
    client.open(3, request("GET", "/health/live"), True)
    client.until(lambda: 3 in client.ended)
    print("listening", flush=True)
    wanted = [text.encode() for text in texts.split("|")]
    client.until(lambda: all(text in client.bodies.get(1, b"") for text in wanted), 40)
    heard = [text.decode() for text in wanted if text in client.bodies.get(1, b"")]
    client.report(heard=heard, status=client.statuses.get(1))


def drain(port):
    """Makes one request, and then waits for the server's end."""
    client = Client(port)
    client.open(1, request("GET", "/health/live"), True)
    client.until(lambda: 1 in client.ended)
    print("waiting", flush=True)
    client.until(lambda: False)
    client.report()


def open_for(port, protocol, seconds):
    """Opens a connection, makes a request, waits, and makes another on the same connection (HTTP/1.1)."""
    client = tls(port, [protocol])
    before = fingerprint(client)
    first = plain(client)
    print("open", flush=True)
    end = time.monotonic() + float(seconds)
    now = before
    while now == before and time.monotonic() < end:
        time.sleep(0.1)
        now = fingerprint(tls(port, [protocol]))
    print(json.dumps({"first": first, "renewed": now != before, "second": plain(client)}))


def fingerprint(connection):
    import hashlib
    return hashlib.sha256(connection.getpeercert(True)).hexdigest()


def plain(connection):
    """The status of a request; 0 when the connection has ended."""
    try:
        connection.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        received = b""
        while b'"ok"}' not in received:
            part = connection.recv(65536)
            if not part:
                return 0
            received += part
        return int(received.split(b" ")[1])
    except OSError:
        return 0


if __name__ == "__main__":
    {"streams": streams, "resets": resets, "frames": frames, "head": head, "fields": fields, "events": events, "drain": drain,
     "open": open_for}[sys.argv[2]](int(sys.argv[1]), *sys.argv[3:])
