"""Several companies: what companies.md promises of a large company and of a thousand small ones in one installation.

The same large company, and one of the size of the small ones, have an installation each to compare with. All three are served at once
and called in turn, because the speed of a shared machine changes.
"""
import copy
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import threading
import time

from processes import LOAD, PASSWORD, ROOT, Server

EMAIL = "bench@exemple.fr"
MEMBERSHIPS = 20  # small companies that the caller is a member of: calls go round them
CALLS, SECONDS = 600, 6  # at most, of one kind
NESTED = "{ id module date debut fin client { raison_sociale } }"
ROW = "{ id module date debut fin lieu tarif_client client { raison_sociale } formateur { nom prenom } }"
JOB = "public.relances_du_matin"
WAIT_OF_OTHERS = 250  # ms: a write of another company while one is erased


class Client:
    """One connection, which sends a call and waits for its answer: the times of asyncio would be part of the figures."""

    def __init__(self, port, token):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.head = (f"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer {token}\r\n"
                     "Content-Length: ")

    def timed(self, method, params):
        """Milliseconds, and the result."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = f"{self.head}{len(body)}\r\n\r\n".encode() + body
        started = time.perf_counter()
        self.socket.sendall(request)
        answer = self.socket.recv(1 << 18)
        while b"\r\n\r\n" not in answer:
            answer += self.socket.recv(1 << 18)
        end = answer.index(b"\r\n\r\n") + 4
        length = int(re.search(rb"content-length: *(\d+)", answer[:end], re.IGNORECASE).group(1))
        while len(answer) < end + length:
            answer += self.socket.recv(1 << 18)
        elapsed = (time.perf_counter() - started) * 1000
        answer = json.loads(answer[end:])
        if "result" not in answer:
            sys.exit(f"script/bench: {method} {params} was refused: {answer}")
        return elapsed, answer["result"]


def tenth(times):
    """The 10th percentile: what a call costs when no other program is in its way."""
    return sorted(times)[len(times) // 10]


class Company:
    """A company whose calls are measured: its sessions, and the caller's connection."""

    def __init__(self, postgres, server, company):
        session = server.call("auth.login", email=EMAIL, password=PASSWORD, **({"company_id": company} if company > 1 else {}))
        self.client = Client(server.port, session["access_token"])
        self.ids = [int(id) for id in postgres.psql(
            f"SELECT id FROM sessions WHERE company_id = {company} ORDER BY md5(id::text) LIMIT {CALLS}").split()]
        self.words = postgres.psql(
            f"SELECT right(module, 4) FROM sessions WHERE company_id = {company} ORDER BY md5(id::text) LIMIT {CALLS}").split()
        self.client_id = int(postgres.psql(f"SELECT min(id) FROM clients WHERE company_id = {company}"))
        self.formateur_id = int(postgres.psql(f"SELECT min(id) FROM formateurs WHERE company_id = {company}"))
        self.created = 0

    def get(self, number):
        id = self.ids[number % len(self.ids)]
        elapsed, record = self.client.timed("sessions.get", {"id": id, "select": NESTED})
        assert record["id"] == id and record["client"]
        return elapsed

    def first(self, number):
        elapsed, page = self.client.timed("sessions.list", {"first": 50, "select": ROW})
        assert len(page["items"]) == min(50, len(self.ids))
        return elapsed

    def search(self, number):
        word = self.words[number % len(self.words)]
        elapsed, page = self.client.timed("sessions.list", {"search": word, "first": 20, "select": ROW})
        assert page["items"], word
        return elapsed

    def create(self, number):
        self.created += 1
        # Days without other sessions of the trainer: a conflict is looked for, and not found.
        day = f"{2040 + self.created // 300}-{1 + self.created % 300 // 28:02}-{1 + self.created % 28:02}"
        values = {"module": "Charge", "date": day, "debut": "09:00", "fin": "17:00", "modalite": "P", "lieu": "Paris",
                  "tarif_client": 1200.5, "client_id": self.client_id, "formateur_id": self.formateur_id}
        elapsed, record = self.client.timed("sessions.create", {"values": values, "select": NESTED})
        assert record["module"] == "Charge"
        return elapsed


def measure(groups, kind):
    """For each group of companies, what a call of one kind costs: one call of each group in turn, in each of its companies in turn."""
    for companies in groups.values():
        for company in companies:
            for number in range(3):  # plans and caches
                getattr(company, kind)(number)
    times, number, started = {name: [] for name in groups}, 0, time.monotonic()
    while number < CALLS and time.monotonic() - started < SECONDS * len(groups):
        for name, companies in groups.items():
            times[name].append(getattr(companies[number % len(companies)], kind)(number + 3))
        number += 1
    return {name: tenth(each) for name, each in times.items()}


# Each kind of call: what it may cost in ms, by the size of the company, or as a ratio to an installation of one company.
LINES = [("get", "a record with its client", {"ratio": 1.1}), ("first", "first 50", {"small": 1, "large": 3}),
         ("search", "search for a rare word", {"small": 2, "large": 25}), ("create", "create", {"ratio": 1.3})]
KINDS = [kind for kind, _, _ in LINES]


def generate(postgres, first, last, sessions):
    """Adds companies with their rows; the others of a company grow with its sessions."""
    started = time.monotonic()
    postgres.psql(file=LOAD / "companies.sql", variables=[
        ("first", first), ("last", last), ("sessions", sessions), ("formateurs", max(5, sessions // 300 if sessions > 3000 else 10)),
        ("clients", max(5, sessions // 150 if sessions > 3000 else 20)), ("ecoles", max(3, sessions // 1500 if sessions > 3000 else 5))])
    return time.monotonic() - started


def settings_microseconds(postgres):
    """What naming the company adds to a read, sent before it in the same pipeline, as the server does."""
    read = "SELECT module FROM sessions WHERE company_id = 1 AND id = :id;\n"
    settings = ("SELECT set_config('learntrack.account', '1', true), set_config('learntrack.role', 'user', true),"
                " set_config('learntrack.subject', '', true), set_config('learntrack.request', 'r', true),"
                " set_config('learntrack.company', '1', true), set_config('transaction_read_only', 'on', true);\n")
    times = {}
    for name, script in [("read", read), ("both", settings + read)]:
        file = postgres.folder / f"{name}.sql"
        file.write_text(f"\\set id random(2, 1000)\n\\startpipeline\n{script}\\endpipeline\n")
        options = "-c role=learntrack_user -c plan_cache_mode=force_generic_plan -c learntrack.company=1"
        subprocess.run([postgres.bin / "pgbench", "-n", "-M", "prepared", "-f", file, "-c", "1", "-T", "4", "-l", "--log-prefix",
                        postgres.folder / "settings", postgres.url], check=True, capture_output=True,
                       env=dict(os.environ, PGOPTIONS=options))
        latencies = []
        for log in postgres.folder.glob("settings.*"):
            latencies += [int(line.split()[2]) for line in log.open()]
            log.unlink()
        times[name] = tenth(latencies)
    return times["both"] - times["read"]


def milliseconds(postgres, sql):
    """How long the last statement takes in Postgres."""
    done = subprocess.run(postgres.psql_command("-c", "\\timing on", "-c", sql), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"script/bench: psql: {done.stderr}")
    return float(re.findall(r"Time: ([\d.]+) ms", done.stdout)[-1])


def job_seconds(postgres):
    """The minutely job of the domain, as the worker runs it for each company, and undone."""
    return milliseconds(postgres, f"BEGIN; SET LOCAL ROLE learntrack_worker; SELECT kernel.job_each('{JOB}'); ROLLBACK") / 1000


def has_command(server, name):
    listed = subprocess.run([server.binary, "companies", "--help"], env=server.environment, capture_output=True, text=True).stdout
    return re.search(rf"^  {name} ", listed, re.MULTILINE) is not None


def command_seconds(server, *arguments):
    started = time.monotonic()
    done = subprocess.run([server.binary, "companies", *map(str, arguments)], env=server.environment, cwd=ROOT, capture_output=True,
                          text=True)
    if done.returncode:
        sys.exit(f"script/bench: companies {' '.join(map(str, arguments))}: {done.stderr}")
    return time.monotonic() - started


class Report:
    """The lines of the table: each with its promise, what was measured, and whether it held. None: it could not be measured."""

    def __init__(self, show):
        self.show, self.rows = show, []
        show(f"{'':34} {'promise':>12} {'alone':>10} {'among':>10}  verdict")

    def line(self, name, unit, among, limit=None, alone=None, ratio=None, why=None):
        met = None if among is None else among <= limit if limit is not None else among <= ratio * alone
        promise = f"≤ {limit:g} {unit}" if limit is not None else f"+{round((ratio - 1) * 100)} %"
        self.rows.append({"name": name, "unit": unit, "alone": alone, "among": among, "limit": limit, "ratio": ratio, "met": met,
                          "why": why})
        def figure(value):
            return "–" if value is None else f"{value:.3g} {unit}"
        verdict = f"not there: {why}" if met is None else ("met" if met else "MISSED") + (f"; {why}" if why else "")
        if ratio and met is not None:
            verdict = f"{(among / alone - 1) * 100:+.0f} %  {verdict}"
        self.show(f"{name:34} {promise:>12} {figure(alone):>10} {figure(among):>10}  {verdict}")


def erase_others(postgres, server, company, victim, report):
    """Erases one company while another one writes."""
    name = postgres.psql(f"SELECT name FROM kernel.companies WHERE id = {victim}")
    waits, ended = [], threading.Event()

    def write():
        number = 0
        while not ended.is_set():
            waits.append(company.create(number))
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    seconds = command_seconds(server, "erase", victim, "--confirm", name)
    ended.set()
    writer.join()
    report.line("erase a small company", "s", seconds, limit=2)
    report.line("longest write of another meanwhile", "ms", max(waits), limit=WAIT_OF_OTHERS)


class Installation:
    """A database of the cluster and its server. `template`: the database that it begins as a copy of."""

    def __init__(self, postgres, binary, name="learntrack", template=None):
        if template:
            postgres.run("createdb", "-h", postgres.folder, "-U", "postgres", "-T", template, name)
        self.postgres = copy.copy(postgres)
        self.postgres.url = postgres.url.replace("dbname=learntrack", f"dbname={name}")
        self.server = Server(binary, self.postgres)

    def company(self, company=1):
        return Company(self.postgres, self.server, company)


def run(postgres, binary, count, sessions, large, show):
    several = Installation(postgres, binary)
    postgres, server = several.postgres, several.server
    server.migrate()
    server.add_account(EMAIL)
    one_small = Installation(postgres, binary, "small", template="learntrack")
    generate(one_small.postgres, 1, 1, sessions)
    show(f"generated {large:,} sessions of one company in {generate(postgres, 1, 1, large):.0f} s")
    one_large = Installation(postgres, binary, "large", template="learntrack")

    server.command("companies", "enable")
    show(f"generated {sessions:,} sessions of each of {count:,} companies in {generate(postgres, 2, count + 1, sessions):.0f} s")
    members = sorted(random.Random(1).sample(range(2, count + 2), min(MEMBERSHIPS, count)))
    victim = next((company for company in range(count + 1, 1, -1) if company not in members), None)
    for company in members:
        postgres.psql(f"BEGIN; SET LOCAL learntrack.company = '{company}'; INSERT INTO users (company_id, email, role)"
                      f" VALUES ({company}, '{EMAIL}', 'admin'); COMMIT")
    for installation in (several, one_small, one_large):
        installation.postgres.psql("VACUUM ANALYZE")
        installation.server.start()
    first = several.company()
    groups = {"large alone": [one_large.company()], "large": [first], "small alone": [one_small.company()],
              "small": [several.company(company) for company in members]}
    measured = {kind: measure(groups, kind) for kind in KINDS}

    report = Report(show)
    report.line("settings of a read", "µs", settings_microseconds(postgres), limit=20)
    for size in ("large", "small"):
        for kind, name, limits in LINES:
            limit, ratio = limits.get(size), limits.get("ratio")
            report.line(f"{name}, {size}", "ms", measured[kind][size], limit=limit, alone=measured[kind][f"{size} alone"], ratio=ratio)
    report.line("new company", "ms", milliseconds(
        postgres, "SELECT kernel.companies_add('Nouvelle', 'nouvelle@exemple.fr', crypt('x', gen_salt('bf', 4)), false)"), limit=100)
    report.line(f"a minutely job for {count:,}", "s", job_seconds(postgres), limit=2)
    there = "the program has no command 'companies export'"
    for name, company, limit in [("export a small company", members[0], 2), ("export the large company", 1, 60)]:
        if has_command(server, "export"):
            file = pathlib.Path(postgres.folder / f"{company}.export")
            seconds = command_seconds(server, "export", company, "--to", file)
            report.line(name, "s", seconds, limit=limit, why=f"{file.stat().st_size / 1e6:.1f} MB")
            file.unlink()
        else:
            report.line(name, "s", None, limit=limit, why=there)
    if not has_command(server, "erase"):
        report.line("erase a small company", "s", None, limit=2, why="the program has no command 'companies erase'")
    elif victim is None:
        report.line("erase a small company", "s", None, limit=2, why="give --count more companies")
    else:
        erase_others(postgres, server, first, victim, report)
    return {"companies": report.rows, "count": count, "sessions": sessions, "large": large}
