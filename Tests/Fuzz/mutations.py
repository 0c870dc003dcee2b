"""Changes of inputs. Every function takes its randomness from a `random.Random`, so that a seed gives the same input again."""
import json

BYTES = [b"\x00", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\\u0000", b"\\ud800", b"{", b"}", b"[", b"]",
         b'"', b"'", b",", b":", b"0", b"-", b"1e400", b"\\", b"\r\n", b"\n", b" ", b"null", b"NaN", b"';--", b"$1", b"%s"]
TEXTS = ["", " ", "\u0000", "é", "\u202e", "a" * 600, "😀", "'; DROP TABLE users; --", "\\", '"', "%_", "$1", "NaN", "-0", "2026-02-30",
         "9999-12-31", "0001-01-01", "25:61", "infinity", "{ id }", "../../etc/passwd", "eyJhbGciOiJub25lIn0.e30."]
NUMBERS = ["0", "-1", "1.5", "1e3", "-0", "2147483648", "9223372036854775807", "9223372036854775808", "1e308", "1e999", "0." + "0" * 400 + "1"]


def mutated(data, random, most=4):
    """These bytes with one to `most` changes."""
    data = bytearray(data)
    for _ in range(random.randint(1, random.choice([1, 1, most]))):
        if not data:
            return bytes(data)
        place = random.randrange(len(data))
        match random.randrange(7):
            case 0: data[place] = random.randrange(256)
            case 1: data[place] ^= 1 << random.randrange(8)
            case 2: del data[place]
            case 3: data[place:place] = random.choice(BYTES)
            case 4: data += data[place:place + 4096]
            case 5: del data[place:place + random.randrange(1, 9)]
            case _:
                other = random.randrange(len(data))
                data[place:place] = data[other:other + random.randrange(1, 33)]
    return bytes(data)


def paths(value, here=()):
    """The places of all values within a JSON value."""
    yield here
    if isinstance(value, dict):
        for name, part in value.items():
            yield from paths(part, here + (name,))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from paths(part, here + (index,))


class Literal(str):
    """A number by its digits."""


def odd_value(value, random):
    match random.randrange(9):
        case 0: return None
        case 1: return random.choice([True, False])
        case 2: return Literal(random.choice(NUMBERS))
        case 3 | 4: return random.choice(TEXTS)
        case 5: return [value] * random.choice([0, 1, 2, 60])
        case 6: return {random.choice(["id", "where", "and", "or", "not", "gt", "in", "like", "select", "", "é"]): value}
        case 7: return [[value]] if random.random() < 0.9 else nested(random.choice([40, 200, 5000]))
        case _: return value


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def mutated_value(value, random):
    """This JSON value with one to three values replaced, removed or added."""
    value = json.loads(json.dumps(value))
    for _ in range(random.randint(1, 3)):
        *parents, last = random.choice(list(paths(value))) or (None,)
        if last is None:
            continue
        holder = value
        for step in parents:
            holder = holder[step]
        match random.randrange(4):
            case 0 if isinstance(holder, dict): del holder[last]
            case 1 if isinstance(holder, dict): holder[random.choice(["inconnu", "id", "version", "first", "after", "count", "search"])] = holder[last]
            case 2 if isinstance(holder, list): holder.insert(last, holder[last])
            case _: holder[last] = odd_value(holder[last], random)
        if any(isinstance(part, list) and len(part) > 500 for part in [holder]):
            break
        if depth_exceeds(value, 30):
            break
    return value


def depth_exceeds(value, depth):
    if depth == 0:
        return True
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, list) and any(depth_exceeds(part, depth - 1) for part in value)


def written(value):
    """JSON text, without recursion for deep lists."""
    if isinstance(value, Literal):
        return str.__str__(value)
    if isinstance(value, list):
        depth = 0
        while isinstance(value, list) and len(value) == 1:
            value, depth = value[0], depth + 1
        inner = "[" + ",".join(written(part) for part in value) + "]" if isinstance(value, list) else written(value)
        return "[" * depth + inner + "]" * depth
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(name, ensure_ascii=False) + ":" + written(part) for name, part in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


FIELDS = ["id", "version", "module", "date", "nom", "prenom", "inconnu", "__typename", "count", "é"]
RELATIONS = ["formateur", "client", "ecole", "sessions", "sessions_aggregate", "inconnu"]
ARGUMENTS = ["first: 3", "first: -1", 'where: {id: {gt: 1}}', "order_by: [\"-id\"]", "first: $n", "x: 1", 'search: "a"', "first: 3, first: 4",
             'after: "x"', "where: {or: []}"]


def selection(random, depth=0):
    """The text of a selection that is often valid."""
    parts = []
    for _ in range(random.randint(1, 5)):
        alias = random.choice(["", "", "", "autre: ", "id: "])
        if depth < random.choice([1, 2, 8]) and random.random() < 0.4:
            arguments = f"({random.choice(ARGUMENTS)})" if random.random() < 0.4 else ""
            parts.append(alias + random.choice(RELATIONS) + arguments + " " + selection(random, depth + 1))
        else:
            parts.append(alias + random.choice(FIELDS) + random.choice(["", "", "", " @skip(if: true)", " @include(if: $n)", "()", " # x\n"]))
    if random.random() < 0.05:
        parts.append(random.choice(["...autre", "... on Session { id }", '"""bloc"""', "fragment x on Session { id }"]))
    return "{ " + random.choice([" ", ", ", "\n"]).join(parts) + " }"


def mutated_text(text, random):
    """This text with some changes, as text that can be written as UTF-8."""
    return mutated(text.encode(), random, most=3).decode(errors="replace")
