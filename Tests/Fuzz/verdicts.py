"""What an answer must be like, judged without the server's own code."""
import json
import re

CODES = {-32700, -32600, -32601, -32602, 400, 401, 403, 404, 405, 408, 409, 410, 411, 413, 414, 415, 417, 422, 426, 429, 431, 501, 503, 505}

# What Postgres, Swift or the file system say. The server's own sentences are French.
LEAKS = re.compile(
    rb"SQLSTATE|syntax error at|relation \\?\"|does not exist|violates|PL/pgSQL|pg_catalog|pg_[a-z]+\(|invalid input syntax|out of range for type"
    rb"|duplicate key|current transaction|SELECT [^{}]{1,200} FROM |INSERT INTO|/var/lib|/usr/lib|/tmp/lt-|\.swift|Fatal error|libpq|\$y\$|\$2[aby]\$")


class Failure(Exception):
    """What the server must not do."""


def unreadable(constant):
    raise ValueError(constant)


def read(body):
    """The value of a JSON text by Python's parser, which accepts lone surrogates and repeated names as well.

    Raises ValueError for everything that is not JSON, and RecursionError for deep values.
    """
    return json.loads(body.decode("utf-8"), parse_constant=unreadable)


def judge_bytes(answer):
    if found := LEAKS.search(answer):
        raise Failure(f"the answer contains {found.group()!r}: {answer[:500]!r}")


def judge_reply(reply):
    if not isinstance(reply, dict) or reply.get("jsonrpc") != "2.0" or "id" not in reply or ("result" in reply) == ("error" in reply):
        raise Failure(f"not a JSON-RPC response: {reply!r:.500}")
    if "error" in reply and reply["error"].get("code") not in CODES:
        raise Failure(f"the code {reply['error'].get('code')}: {reply!r:.500}")
    return reply.get("error", {}).get("code", 0)


def expected(body, methods):
    """The code that this body must get as a whole; None: it depends on more."""
    try:
        value = read(body)
    except RecursionError:
        return {413}
    except ValueError:
        return {-32700, 413}
    if isinstance(value, list):
        return {-32600} if not value else None
    if not isinstance(value, dict):
        return {-32600, 413}
    if value.get("jsonrpc") != "2.0" or not isinstance(value.get("method"), str):
        return {-32600, -32700, 413}
    if "id" not in value or not (value["id"] is None or isinstance(value["id"], (str, int, float)) and not isinstance(value["id"], bool)):
        return None
    if value["method"] not in methods and isinstance(value.get("params", {}), dict):
        return {-32601, -32600, -32700, 413}
    return None


def judge_answer(body, status, answer, methods):
    """Judges the answer to a body of POST /rpc that came whole."""
    judge_bytes(answer)
    if status == 204 and not answer:
        if expected(body, methods) is not None:
            raise Failure("no answer")
        return
    if status not in (200, 413, 429, 503):
        raise Failure(f"HTTP {status}: {answer[:500]!r}")
    try:
        value = json.loads(answer)
    except ValueError as error:
        raise Failure(f"the answer is not JSON ({error}): {answer[:500]!r}") from error
    codes = [judge_reply(reply) for reply in (value if isinstance(value, list) else [value])]
    wanted = expected(body, methods)
    if wanted and (isinstance(value, list) or codes[0] not in wanted | {429, 503}):
        raise Failure(f"the code {codes[0]} and not {sorted(wanted)}: {answer[:500]!r}")
