"""Bytes of HTTP/1.1 and HTTP/2 that may be wrong, and how the server takes them."""
import re
import select
import socket
import ssl
import struct
import time

from verdicts import Failure, judge_bytes

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)


def request(body, token, path="/rpc", chunked=False):
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer {token}\r\n".encode()
    if chunked:
        half = len(body) // 2
        chunks = b"".join(b"%x;a=b\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:]) if part)
        return head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\nTrailer: x\r\n\r\n"
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


HEADERS_TO_ADD = [
    "Host: other", "Host:", "Content-Length: 0", "Content-Length: -1", "Content-Length: +5", "Content-Length: 99999999999999999999",
    "Content-Length: 5, 5", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: identity", "Expect: 100-continue",
    "Expect: x", "Connection: close", "Connection: upgrade", "Upgrade: h2c", "Upgrade: websocket", "Authorization: Bearer x", "Authorization: Basic eDp4",
    "Authorization: Bearer " + "a" * 9000, "Accept-Encoding: gzip;q=0, br", "Accept-Encoding: gzip", "Content-Encoding: gzip", "Content-Type: text/html",
    "Content-Type: application/json; charset=utf-16", "Origin: null", "Origin: https://exemple.fr", "Cookie: " + "a=b; " * 800, "X-Forwarded-For: 1.2.3.4",
    "X-Forwarded-For: \xff", "traceparent: 00-zz-zz-01", "X: \x00", "X\x00: a", "X : a", " folded", "\tfolded", ":", "A: " + "b" * 20_000, "If-None-Match: *",
    "Range: bytes=0-1", "Last-Event-ID: x", "Idempotency-Key: \x01", "Sec-WebSocket-Key: x", "Trailer: Content-Length", "TE: trailers"]
LINES = [b"GET /health/ready HTTP/1.1", b"POST /rpc HTTP/1.0", b"POST /rpc HTTP/2.0", b"OPTIONS * HTTP/1.1", b"HEAD / HTTP/1.1", b"TRACE / HTTP/1.1",
         b"CONNECT a:1 HTTP/1.1", b"GET http://other/rpc HTTP/1.1", b"GET /../../etc/passwd HTTP/1.1", b"GET /%00 HTTP/1.1", b"GET /documents/x HTTP/1.1",
         b"GET /files/1 HTTP/1.1", b"GET /files/%2e%2e HTTP/1.1", b"PUT /files HTTP/1.1", b"GET /events?tables=%ff HTTP/1.1", b"GET /metrics HTTP/1.1",
         b"GET /signature/x HTTP/1.1", b"GET /" + b"a" * 9000 + b" HTTP/1.1", b"POST  /rpc HTTP/1.1", b"POST /rpc", b"", b"\x16\x03\x01\x02\x00\x01",
         b"BREW /rpc HTTP/1.1", b"POST /rpc?x=\xff HTTP/1.1", b"GET /openrpc.json HTTP/1.1", b"GET / HTTP/1.1"]


def with_other_headers(data, random):
    """A request with lines added, repeated, exchanged or removed in its head."""
    head, _, rest = data.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    for _ in range(random.randint(1, 3)):
        place = random.randint(1, len(lines))
        match random.randrange(5):
            case 0 | 1: lines.insert(place, random.choice(HEADERS_TO_ADD).encode("latin-1"))
            case 2 if place < len(lines): del lines[place]
            case 3 if place < len(lines): lines.insert(place, lines[place])
            case _: lines[0] = random.choice(LINES)
    return b"\r\n".join(lines) + b"\r\n\r\n" + rest


def talk(port, data, patience=8.0):
    """Sends these bytes and the end of the stream, and returns what comes until the server closes.

    Raises Failure if the server does not close: a client that has ended gets no more.
    """
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as connection:
        answer = bytearray()
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            ends = time.monotonic() + patience
            while part := connection.recv(65536):
                answer += part
                if time.monotonic() > ends:
                    raise Failure(f"the server goes on sending: {bytes(answer[:300])!r}")
        except TimeoutError as error:
            raise Failure(f"the server keeps the connection of a client that has ended: {bytes(answer[:300])!r}") from error
        except OSError:
            pass  # the server may close before it has read all
    return bytes(answer)


def judge_http(answer):
    judge_bytes(answer)
    if answer and not re.match(rb"HTTP/1\.[01] [1-5]\d\d ", answer):
        raise Failure(f"not HTTP: {answer[:300]!r}")
    for status in re.findall(rb"(?:^|[\n}])HTTP/1\.1 (\d\d\d) ", answer):
        if status == b"500":
            raise Failure(f"HTTP 500: {answer[:500]!r}")
    if b'"error":{"code":-32603' in answer:
        raise Failure(f"an internal error: {answer[:500]!r}")


# HTTP/2

def text(value):
    return bytes([127]) + varint(len(value) - 127) + value if len(value) >= 127 else bytes([len(value)]) + value


def varint(number):
    out = bytearray()
    while number >= 128:
        out.append(number % 128 + 128)
        number //= 128
    return bytes(out + bytes([number]))


def header_block(token, length, path=b"/rpc"):
    """A header block without compression: indexed fields of the static table, and literals that are not added to the other."""
    return (b"\x83\x87" + b"\x04" + text(path) + b"\x01" + text(b"localhost") + b"\x0f\x10" + text(b"application/json")
            + b"\x0f\x08" + text(b"Bearer " + token.encode()) + b"\x0f\x0d" + text(str(length).encode()))


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def frames_of_calls(bodies, token):
    """The frames that begin a connection and send these bodies."""
    frames = [frame(SETTINGS, 0, 0, struct.pack(">HI", 3, 50)), frame(WINDOW, 0, 0, struct.pack(">I", 1 << 20))]
    for number, body in enumerate(bodies):
        stream = 1 + 2 * number
        frames += [frame(HEADERS, 4, stream, header_block(token, len(body))), frame(DATA, 1, stream, body)]
    return frames


def mutated_frames(frames, random, mutate):
    """These frames with some repeated, exchanged, removed, changed or added."""
    frames = list(frames)
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(frames))
        one = bytearray(frames[place])
        match random.randrange(10):
            case 0: del frames[place]
            case 1: frames.insert(place, bytes(one))
            case 2: frames.insert(random.randrange(len(frames)), frames.pop(place))
            case 3: one[random.randrange(min(9, len(one)))] = random.randrange(256)
            case 4: one[5:9] = struct.pack(">I", random.choice([0, 1, 2, 3, 5, 101, 2 ** 31 - 1, 2 ** 32 - 1]))
            case 5: one[4] ^= 1 << random.randrange(8)
            case 6: one[9:] = mutate(bytes(one[9:]), random)
            case 7: frames.insert(place, odd_frame(random))
            case 8: frames[place:place] = [odd_frame(random)] * random.choice([2, 50, 300])
            case _:
                payload = mutate(bytes(one[9:]), random)
                one = bytearray(frame(one[3], one[4], struct.unpack(">I", one[5:9])[0] & 0x7FFFFFFF, payload))
        if place < len(frames) and bytes(one) != frames[place]:
            frames[place] = bytes(one)
        if not frames:
            frames = [odd_frame(random)]
    return b"".join(frames)


def odd_frame(random):
    stream = random.choice([0, 1, 3, 5, 2, 9, 2 ** 31 - 1])
    return random.choice([
        frame(PING, 0, 0, b"12345678"), frame(PING, 0, 0, b"1"), frame(PING, 1, stream, b"12345678"), frame(SETTINGS, 0, 0, b""), frame(SETTINGS, 1, 0, b"123456"),
        frame(SETTINGS, 0, 0, struct.pack(">HI", random.randrange(10), random.choice([0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]))),
        frame(RESET, 0, stream, struct.pack(">I", random.randrange(20))), frame(WINDOW, 0, stream, struct.pack(">I", random.choice([0, 1, 2 ** 31 - 1]))),
        frame(PRIORITY, 0, stream, struct.pack(">IB", stream, 1)), frame(GOAWAY, 0, 0, struct.pack(">II", 0, 0)), frame(PUSH, 4, stream, b"\0\0\0\2\x83"),
        frame(CONTINUATION, random.choice([0, 4]), stream, b"\x83"), frame(DATA, random.choice([0, 1, 9]), stream, b"x" * random.choice([0, 1, 20_000])),
        frame(HEADERS, random.choice([0, 1, 4, 5, 0x2D]), stream, b"\x83\x87\x84"), frame(HEADERS, 4, stream, b"\xff\xff\xff\xff\xff\x0f"),
        frame(random.randrange(10, 256), random.randrange(256), stream, b"unknown")])


def talk_http2(port, data, patience=0.08):
    """Sends the preface and these bytes over TLS, and returns what comes until the server closes or is silent."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # the certificate is that of this run
    context.set_alpn_protocols(["h2"])
    answer = bytearray()
    with socket.create_connection(("127.0.0.1", port), timeout=8) as plain, context.wrap_socket(plain, server_hostname="localhost") as connection:
        if connection.selected_alpn_protocol() != "h2":
            raise Failure("the server does not choose HTTP/2")
        try:
            connection.sendall(PREFACE + data)
            while connection.pending() or select.select([connection], [], [], patience)[0]:
                part = connection.recv(65536)
                if not part:
                    break
                answer += part
        except OSError:
            pass
    return bytes(answer)


def judge_http2(answer):
    """Frames that are whole and small, no status 500, and no text of others in them."""
    judge_bytes(answer)
    place = 0
    while place + 9 <= len(answer):
        length, kind, flags = int.from_bytes(answer[place:place + 3], "big"), answer[place + 3], answer[place + 4]
        if length > 16_384 or kind > CONTINUATION:
            raise Failure(f"not a frame at {place}: {answer[place:place + 40]!r}")
        payload = answer[place + 9:place + 9 + length]
        if kind == HEADERS and payload[:1] == b"\x8e":  # the field ":status: 500" of the static table
            raise Failure("status 500")
        place += 9 + length
