"""What one caller may cost the others: attacks, each beside the paced calls of another account.

Each scene runs on a fresh server. One process is the neighbour: 50 reads and 10 writes a second, measured from the
instant at which each was due. Another process is the attack. `script/bench --scenes` prints a row per scene.
"""
import asyncio
import collections
import dataclasses
import gc
import itertools
import json
import multiprocessing
import os
import random
import re
import resource
import select
import signal
import socket
import subprocess
import time

from http_client import Connection, ConnectionClosed, batch_body, call_body, request_head
from processes import PASSWORD, ForeignLoad

READS, WRITES = 50, 10  # the neighbour's calls per second
DEADLINE = 15  # seconds after which the neighbour gives a call up
LOCKED_ROW = 50_000
NEIGHBOUR, DEAR = "voisin@exemple.fr", "cher@exemple.fr"
PEOPLE = [f"personne{number}@exemple.fr" for number in range(8)]
ACCOUNTS = [NEIGHBOUR, DEAR, *PEOPLE]
MEMORY_GOAL = 200  # MB
CALM = 2  # seconds before the attack


@dataclasses.dataclass
class Target:
    """What an attack needs to know. All attackers have the neighbour's address if `same_address`."""
    port: int
    tokens: dict
    psql: list
    same_address: bool

    def address(self, number=0):
        return "127.0.0.1" if self.same_address else f"127.{1 + number // 250}.{1 + number % 250}.2"


# The neighbour

class Neighbour:
    def __init__(self, target):
        self.target, self.idle, self.calls = target, [], []
        self.random = random.Random(1)

    async def run(self, seconds, signs_in):
        self.start = time.monotonic()
        await asyncio.gather(
            self.pace(self.read, READS, seconds), self.pace(self.write, WRITES, seconds),
            self.pace(self.sign_in, 1 if signs_in else 0, seconds))
        return self.calls

    async def pace(self, call, rate, seconds):
        tasks = []
        for number in range(int(rate * seconds)):
            due = self.start + number / rate
            await asyncio.sleep(due - time.monotonic())
            tasks.append(asyncio.create_task(call(number, due)))
        await asyncio.gather(*tasks)

    async def read(self, number, due):
        row = self.random.randint(1, 100_000)
        body = call_body("sessions.get", id=row, select="{ id module date formateur { nom prenom } client { raison_sociale } }")
        # Every tenth read arrives on a connection of its own, as a newcomer's does.
        await self.measure("read", due, body, b'"result":{"id":%d,' % row, fresh=number % 10 == 9)

    async def write(self, number, due):
        if number % 2:
            values = {"module": "Voisin", "date": "2026-05-04", "debut": "09:00", "fin": "17:00", "modalite": "P", "client_id": 7}
            await self.measure("write", due, call_body("sessions.create", values=values), b'"module":"Voisin"')
        else:
            row = self.random.randint(1, LOCKED_ROW - 1)
            body = call_body("sessions.update", id=row, values={"lieu": f"Salle {number}"}, select="{ id }")
            await self.measure("write", due, body, b'"result":{"id":%d}' % row)

    async def sign_in(self, number, due):
        body = call_body("auth.login", email=NEIGHBOUR, password=PASSWORD)
        await self.measure("sign-in", due, body, b'"access_token"', token=None)

    async def measure(self, kind, due, body, expected, fresh=False, token=NEIGHBOUR):
        try:
            status, answer = await asyncio.wait_for(self.post(body, self.target.tokens.get(token), fresh), DEADLINE)
            failure = None if status == 200 and expected in answer else failure_code(status, answer)
        except asyncio.TimeoutError:
            failure = "no answer"
        except (OSError, ConnectionClosed) as error:
            failure = str(error) or type(error).__name__
        now = time.monotonic()
        self.calls.append((kind, due - self.start, now - due, failure))

    async def post(self, body, token, fresh):
        """A connection that the server closed while it was idle is replaced once, as HTTP clients do."""
        connection = None
        while self.idle and not fresh and connection is None:
            connection = self.idle.pop()
            if connection.reader.at_eof():
                connection = None
        try:
            if connection:
                try:
                    return await connection.post(body, token)
                except ConnectionClosed:
                    connection = None
            connection = await Connection.open(self.target.port)
            return await connection.post(body, token)
        except BaseException:
            if connection:
                connection.close()
            raise
        finally:
            if connection and connection.reusable:
                if fresh:
                    connection.close()
                else:
                    self.idle.append(connection)


def failure_code(status, answer):
    if match := re.search(rb'"error":\{"code":(-?\d+)', answer[:2000]):
        return match.group(1).decode()
    return f"HTTP {status}" if status != 200 else "wrong answer"


# Attacks: each is a coroutine that runs until it is cancelled and counts what its requests came to.

class Outcomes(collections.Counter):
    def record(self, status, body):
        codes = re.findall(rb'"error":\{"code":(-?\d+)', body)
        for code in codes:
            self[code.decode()] += 1
        if not codes:
            self["ok" if status == 200 else f"HTTP {status}"] += 1
        return bool(codes) or status != 200


async def repeat(target, outcomes, bodies, account=None, address=0):
    """Sends one body after the other over one connection."""
    connection = None
    token = target.tokens[account] if account else None
    for body in bodies:
        try:
            if connection is None or not connection.reusable:
                connection = await Connection.open(target.port, target.address(address))
            refused = outcomes.record(*await connection.post(body, token, keep=1 << 16))
        except (OSError, ConnectionClosed, asyncio.IncompleteReadError):
            outcomes["closed"] += 1
            connection, refused = None, True
        if refused:
            await asyncio.sleep(0.02)


async def all_of(coroutines):
    await asyncio.gather(*coroutines)


def count_with_patterns(salt=0, column="module"):
    patterns = [{column: {"like": f"%{(salt * 900 + number) % 4096:03x}%z"}} for number in range(900)]
    return call_body("sessions.list", where={"or": patterns}, count=True, first=20)


def nested(identifier=1):
    """48,400 rows, 6 MB."""
    return call_body("formateurs.list", identifier, first=484, select="{ id nom sessions(first: 99) { id module date debut fin lieu } }")


def twice_nested():
    return call_body("clients.list", first=500, select="{ id sessions(first: 9) { id formateur { nom sessions(first: 9) { id module } } } }")


COLUMNS = ("id module date debut fin modalite lieu tarif_client tarif_sous_traitant frais_rembourser ref_contrat ecole_id "
           "client_id formateur_id created_at updated_at version marge duree_minutes").split()
WORDS = "e s a i ue an er re on ma".split()


def short_words_of(seed):
    """Each call selects other columns, so that each is a new statement whose cost is unknown."""
    randomness = random.Random(seed)
    while True:
        columns = randomness.sample(COLUMNS, 9)
        select = "{ " + " ".join(columns) + " formateur { nom } client { raison_sociale } }"
        yield call_body("sessions.list", search=randomness.choice(WORDS), count=True, first=20, select=select)


def many_ids(count):
    return call_body("sessions.list", where={"id": {"in": list(range(1, count + 1))}}, count=True, first=20)


def long_text():
    return call_body("sessions.list", where={"lieu": "x" * 1_045_000}, first=20)


def dear_mix(seed):
    randomness = random.Random(seed)
    bodies = [nested(), twice_nested(), *(count_with_patterns(salt) for salt in range(2)),
              *itertools.islice(short_words_of(seed), 4),
              batch_body([call_body("sessions.list", number, search=WORDS[number % 10], count=True) for number in range(50)]),
              batch_body([nested(number) for number in range(4)]), many_ids(100_000), long_text()]
    while True:
        randomness.shuffle(bodies)
        yield from bodies


async def no_attack(target, outcomes):
    await asyncio.sleep(3600)


async def dear_calls(target, outcomes):
    await all_of(repeat(target, outcomes, dear_mix(number), DEAR, number % 4) for number in range(16))


async def slow_counts(target, outcomes):
    await all_of(repeat(target, outcomes, itertools.cycle([count_with_patterns(number)]), DEAR) for number in range(3))


def batches(connections):
    async def attack(target, outcomes):
        batch = batch_body([nested(number) for number in range(50)])
        await all_of(repeat(target, outcomes, itertools.repeat(batch), DEAR) for _ in range(connections))
    return attack


async def short_words(target, outcomes):
    await all_of(repeat(target, outcomes, short_words_of(number), person, number) for number, person in enumerate(PEOPLE))


DOCUMENTS = 100  # downloads at once


async def documents(target, outcomes):
    """Downloads at once of PDF documents that the server makes anew each time, of three accounts."""
    methods = ["sessions.convention", "sessions.contrat_formateur", "sessions.recapitulatif"]
    accounts = [DEAR, *PEOPLE[:2]]

    async def download(number):
        token = target.tokens[accounts[number % 3]]
        connection, row = None, number
        while True:
            try:
                if connection is None or not connection.reusable:
                    connection = await Connection.open(target.port, target.address(number % 4))
                row = (row + DOCUMENTS) % 99_000 + 1
                status, answer = await connection.post(call_body(methods[number % 3], id=row), token)
                link = json.loads(answer).get("result")
                if not link:
                    outcomes.record(status, answer)
                    await asyncio.sleep(0.1)
                    continue
                status, document = await connection.get("/documents/" + link["url"].split("/documents/")[1])
                outcomes["pdf" if status == 200 and document.startswith(b"%PDF-") else f"document HTTP {status}"] += 1
                if status != 200:
                    await asyncio.sleep(0.1)
            except (OSError, ConnectionClosed, asyncio.IncompleteReadError):
                outcomes["closed"] += 1
                connection = None
                await asyncio.sleep(0.02)

    await all_of(download(number) for number in range(DOCUMENTS))


async def locked_row(target, outcomes):
    lock = f"BEGIN; SELECT id FROM sessions WHERE id = {LOCKED_ROW} FOR UPDATE; SELECT pg_sleep(3600)"
    psql = subprocess.Popen(target.psql + ["-c", lock], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        await asyncio.sleep(0.3)
        body = call_body("sessions.update", id=LOCKED_ROW, values={"lieu": "Ici"}, select="{ id }")
        await all_of(repeat(target, outcomes, itertools.repeat(body), DEAR) for _ in range(3))
    finally:
        psql.kill()


async def ids_in(target, outcomes):
    await all_of(repeat(target, outcomes, itertools.repeat(many_ids(120_000)), DEAR) for _ in range(8))


async def bodies_without_token(target, outcomes):
    body = call_body("sessions.list", where={"id": {"in": list(range(1, 130_000))}})
    await all_of(repeat(target, outcomes, itertools.repeat(body)) for _ in range(16))


def never_read(connections, addresses, body, account=None):
    """Sends requests and never reads. A connection that the server closes is replaced."""
    async def attack(target, outcomes):
        poll, sockets = select.poll(), {}
        request = request_head(len(body), target.tokens[account] if account else None) + body

        def connect(number):
            attacker = socket.socket()
            attacker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            attacker.setblocking(False)
            attacker.bind((target.address(number % addresses), 0))
            attacker.connect_ex(("127.0.0.1", target.port))
            sockets[attacker.fileno()] = [attacker, request, number]
            poll.register(attacker, select.POLLOUT | select.POLLRDHUP)

        for number in range(connections):
            connect(number)
        while True:
            for descriptor, event in poll.poll(0):
                attacker, unsent, number = sockets[descriptor]
                if event & (select.POLLRDHUP | select.POLLHUP | select.POLLERR):
                    outcomes["closed"] += 1
                    poll.unregister(descriptor)
                    del sockets[descriptor]
                    attacker.close()
                    connect(number)
                    continue
                try:
                    sockets[descriptor][1] = unsent = unsent[attacker.send(unsent):]
                except OSError:
                    continue
                if not unsent:
                    outcomes["sent"] += 1
                    poll.modify(descriptor, select.POLLRDHUP)
            await asyncio.sleep(0.02)
    return attack


def half_bodies(connections, addresses, account=None):
    async def attack(target, outcomes):
        part = b'{"jsonrpc":"2.0","id":1,"method":"sessions.list","params":{"search":"' + b"x" * 600_000

        async def hold(number):
            while True:
                try:
                    connection = await Connection.open(target.port, target.address(number % addresses))
                    connection.writer.write(request_head(1_000_000, target.tokens[account] if account else None) + part)
                    outcomes["sent"] += 1
                    if answer := await connection.reader.read(1 << 16):
                        outcomes.record(int(answer.split()[1]), answer)
                        await connection.reader.read()
                    outcomes["closed"] += 1
                    connection.close()
                except OSError:
                    outcomes["closed"] += 1
                await asyncio.sleep(0.1)
        await all_of(hold(number) for number in range(connections))
    return attack


def idle_connections(addresses):
    """More connections than the server accepts, or as many as this process may have; those that are closed come back."""
    async def attack(target, outcomes):
        count = min(8_600, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 100)
        poll, sockets = select.poll(), {}

        def connect(number):
            attacker = socket.socket()
            attacker.setblocking(False)
            attacker.bind((target.address(number % addresses), 0))
            attacker.connect_ex(("127.0.0.1", target.port))
            sockets[attacker.fileno()] = attacker, number
            poll.register(attacker, select.POLLRDHUP)
            outcomes["opened"] += 1

        for number in range(count):
            connect(number)
            if number % 100 == 0:
                await asyncio.sleep(0.01)
        while True:
            for descriptor, _ in poll.poll(0)[:100]:
                attacker, number = sockets.pop(descriptor)
                outcomes["closed"] += 1
                poll.unregister(descriptor)
                attacker.close()
                connect(number)
            await asyncio.sleep(0.05)
    return attack


async def login_flood(target, outcomes):
    def bodies(number):
        for attempt in itertools.count():
            email = NEIGHBOUR if attempt % 2 else f"inconnu{number}-{attempt}@exemple.fr"
            yield call_body("auth.login", email=email, password=f"faux {number} {attempt}")
    flood = dataclasses.replace(target, same_address=False)
    await all_of(repeat(flood, outcomes, bodies(number), address=number) for number in range(250))


@dataclasses.dataclass
class Scene:
    title: str
    attack: object
    read_p50: float = None  # goals in milliseconds; None: no goal
    read_p99: float = 150
    write_p99: float = 500
    read_ratio: float = None  # the reads' p99 beside the attack, in that before it (1 ms at least)
    signs_in: bool = False  # whether the neighbour signs in once a second, too


LIST = call_body("sessions.list", first=500)
DISCOVER = batch_body([call_body("rpc.discover", number) for number in range(50)])
SCENES = {
    "calm": Scene("no attack", no_attack),
    "dear": Scene("16 connections, the dearest legal calls", dear_calls, read_p50=10, read_p99=100),
    "counts": Scene("three counts over 900 patterns", slow_counts),
    "batch": Scene("50 calls of price 48,400, one connection", batches(1)),
    "batches": Scene("50 calls of price 48,400, 16 connections", batches(16)),
    "words": Scene("eight accounts count short words", short_words),
    "documents": Scene("100 downloads of PDF documents at once", documents, read_ratio=2),
    "lock": Scene("three writers wait for one locked row", locked_row),
    "ids": Scene("120,000 ids in an `in`, 8 connections", ids_in),
    "tokenless": Scene("a mebibyte without token, 16 connections", bodies_without_token),
    "unread": Scene("strangers never read, 23 × 50 rpc.discover", never_read(23, 1, DISCOVER)),
    "unread-spread": Scene("the same from 23 addresses", never_read(23, 23, DISCOVER)),
    "unread-account": Scene("an account never reads 6 MB, 64 connections", never_read(64, 1, nested(), DEAR)),
    "unread-lists": Scene("an account never reads lists of 500, 1,600 connections", never_read(1600, 1, LIST, DEAR)),
    "half": Scene("strangers half send bodies, 650 connections", half_bodies(650, 1)),
    "half-spread": Scene("the same from 650 addresses", half_bodies(650, 650)),
    "half-account": Scene("the same with an account's token", half_bodies(650, 1, DEAR)),
    "idle": Scene("8,600 idle connections", idle_connections(1)),
    "idle-spread": Scene("the same from 430 addresses", idle_connections(430)),
    "logins": Scene("wrong passwords from 250 addresses", login_flood, signs_in=True),
}


# Running

async def attack_until_stopped(attack, target, outcomes, pipe):
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_reader(pipe.fileno(), stopped.set)
    task = asyncio.create_task(attack(target, outcomes))
    waiting = asyncio.create_task(stopped.wait())
    await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
    if task.done() and task.exception():
        outcomes[f"broke: {task.exception()!r}"] += 1
    asyncio.get_running_loop().remove_reader(pipe.fileno())
    task.cancel()
    await asyncio.wait([task], timeout=2)


def attack_process(name, target, pipe):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    outcomes = Outcomes()
    pipe.send("ready")
    pipe.recv()
    asyncio.run(attack_until_stopped(SCENES[name].attack, target, outcomes, pipe))
    pipe.send(dict(outcomes))
    os._exit(0)  # without closing thousands of connections one by one


def neighbour_process(target, seconds, signs_in, pipe):
    gc.disable()
    pipe.send("ready")
    pipe.recv()
    pipe.send(asyncio.run(Neighbour(target).run(seconds, signs_in)))


def start(function, *arguments):
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=function, args=(*arguments, theirs), daemon=True)
    process.start()
    assert ours.recv() == "ready"
    return process, ours


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000 if ordered else None


def run_scene(name, server, target, seconds, others):
    scene = SCENES[name]
    others.reset()
    attacker, attack_pipe = start(attack_process, name, target)
    neighbour, neighbour_pipe = start(neighbour_process, target, seconds + CALM, scene.signs_in)
    server.reset_peak_memory()
    neighbour_pipe.send("go")
    time.sleep(CALM)
    attack_pipe.send("go")
    calls = neighbour_pipe.recv()
    neighbour.join()
    attack_pipe.send("stop")
    outcomes = attack_pipe.recv()
    attacker.join()
    if server.process.poll() is not None:
        return {"scene": name, "title": scene.title, "failed": len(calls), "failures": {"the server ended": 1}, "met": False}
    alone = percentile([duration for kind, due, duration, _ in calls if kind == "read" and due < CALM], 0.99)
    calls = [call for call in calls if call[1] >= CALM]
    failures = collections.Counter(f"{kind} {failure}" for kind, _, _, failure in calls if failure)
    result = {"scene": name, "title": scene.title, "calls": len(calls), "failed": sum(failures.values()), "failures": failures}
    for kind in ("read", "write", "sign-in"):
        # A call that failed counts with the time after which it did.
        times = [duration for called, _, duration, _ in calls if called == kind]
        result[kind] = {"p50": percentile(times, 0.5), "p99": percentile(times, 0.99)}
    result["read"]["alone_p99"] = alone
    result["memory_mb"] = server.memory()
    result["attack"] = outcomes
    result["others_cores"] = others.cores()
    ratio = scene.read_ratio and result["read"]["p99"] / max(alone, 1)
    goals = [(ratio, scene.read_ratio), (result["read"]["p50"], scene.read_p50), (result["read"]["p99"], scene.read_p99),
             (result["write"]["p99"], scene.write_p99), (result["memory_mb"], MEMORY_GOAL)]
    result["met"] = not failures and all(goal is None or value <= goal for value, goal in goals)
    return result


def run(server, postgres, names, seconds, same_address, quiet=False, report=lambda row: None):
    """Runs the scenes, each on a server that was just started, and returns their rows.

    With `quiet`, a scene starts when no other program uses the machine."""
    for email in ACCOUNTS:
        server.add_account(email)
    rows, tokens, signed_in = [], {}, None
    for name in names:
        server.stop(signal.SIGKILL)
        postgres.end_other_sessions()
        server.start()
        if signed_in is None or time.monotonic() - signed_in > 600:
            tokens, signed_in = {email: server.sign_in(email) for email in ACCOUNTS}, time.monotonic()
        target = Target(server.port, tokens, postgres.psql_command(), same_address)
        others = ForeignLoad(server, postgres)
        if quiet:
            others.wait_for_quiet()
        rows.append(run_scene(name, server, target, seconds, others))
        report(rows[-1])
    server.stop(signal.SIGKILL)
    postgres.end_other_sessions()
    return rows


HEADER = (f"{'scene':15} {'reads p50':>9} {'p99 ms':>7} {'goal':>5} {'writes p50':>10} {'p99 ms':>7} {'goal':>5} {'sign-ins p50':>12} "
          f"{'failed':>11} {'MB':>5} {'others':>6}  verdict")


def line(row):
    if "read" not in row:
        return f"{row['scene']:15} the server ended"
    def number(value):
        return "–" if value is None else f"{value:.0f}" if value >= 10 else f"{value:.1f}"
    scene = SCENES[row["scene"]]
    failed = f"{row['failed']}/{row['calls']}"
    text = (f"{row['scene']:15} {number(row['read']['p50']):>9} {number(row['read']['p99']):>7} {scene.read_p99:>5} "
            f"{number(row['write']['p50']):>10} {number(row['write']['p99']):>7} {scene.write_p99:>5} {number(row['sign-in']['p50']):>12} "
            f"{failed:>11} {row['memory_mb']:5.0f} {row['others_cores']:6.1f}  {'met' if row['met'] else 'MISSED'}")
    details = [f"{count} × {what}" for what, count in collections.Counter(row["failures"]).most_common(4)]
    if scene.read_ratio:
        details.insert(0, f"reads' p99 before it {number(row['read']['alone_p99'])} ms, goal ≤ {scene.read_ratio} ×")
    attack = [f"{what} {count}" for what, count in sorted(row["attack"].items(), key=lambda item: -item[1])[:6]]
    return (f"{text}\n{'':15} {scene.title}" + (f"; attack: {', '.join(attack)}" if attack else "")
            + (f"; {', '.join(details)}" if details else ""))
