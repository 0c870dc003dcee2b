"""The four workloads, each through pgbench, which measures the database alone, and through the server, in turn."""
import dataclasses
import json
import os
import random
import statistics
import subprocess
import sys
import time
import urllib.request

from processes import LOAD, ForeignLoad, cpu, cpu_of_children

ROWS = 100_000


@dataclasses.dataclass
class Workload:
    """Goals: `rate` and `p99` are ratios to pgbench, `cpu` is the server's CPU in units of Postgres's for the same request."""
    name: str
    clients: int
    rate: float
    p99: float = None
    cpu: float = None


WORKLOADS = [
    Workload("W1", 64, rate=1.0, p99=2.0, cpu=0.8), Workload("W1", 8, rate=0.6), Workload("W2", 8, rate=1.9, cpu=0.25),
    Workload("W4", 8, rate=0.7, p99=2.5), Workload("W3", 64, rate=0.5, p99=2.0),
]
# W4's words of one kind, measured only when they are asked for: the first and last kind of W4.sql.
WORD_KINDS = {"W4": (0, 9), "W4-frequent": (0, 3), "W4-rare": (4, 6), "W4-reference": (7, 7), "W4-absent": (8, 9),
              "W4-short": (10, 10)}
ON_DEMAND = [Workload(name, 8, rate=0.7, p99=2.5) for name in WORD_KINDS if name != "W4"]


def load_data(postgres, rows=ROWS):
    postgres.psql(file=LOAD / "data.sql")
    add_sessions(postgres, 1, rows)


def add_sessions(postgres, first, last):
    postgres.psql(file=LOAD / "sessions.sql", variables=[("first", first), ("last", last)])


def pgbench(postgres, name, clients, seconds, rows=ROWS):
    before = cpu_of_children(postgres.pid())
    first_kind, last_kind = WORD_KINDS.get(name, (0, 0))
    script = name.split("-")[0]
    # Searches are planned for each word: a generic plan is 5 to 50 times slower.
    environment = dict(os.environ, PGOPTIONS="-c plan_cache_mode=force_custom_plan") if script == "W4" else os.environ
    output = subprocess.run(
        [str(postgres.bin / "pgbench"), "-n", "-M", "prepared", "-f", str(LOAD / f"{script}.sql"), "-c", str(clients), "-j", "1",
         "-D", f"rows={rows}", "-D", f"first_kind={first_kind}", "-D", f"last_kind={last_kind}", "-T", str(seconds), "-l", "--log-prefix", str(postgres.folder / "latency"), postgres.url],
        check=True, capture_output=True, text=True, env=environment).stdout
    time.sleep(0.5)  # a backend's CPU time is added to the postmaster's shortly after it has ended
    used = cpu_of_children(postgres.pid()) - before
    count = int(next(line for line in output.splitlines() if "actually processed" in line).split(":")[1].split("/")[0])
    latencies = []
    for log in postgres.folder.glob("latency.*"):
        latencies += [int(line.split()[2]) for line in log.open()]
        log.unlink()
    latencies.sort()
    return {"requests": count, "rate": count / seconds, "postgres_us": used / count * 1e6,
            "p50": latencies[len(latencies) // 2] / 1000, "p99": latencies[int(len(latencies) * 0.99)] / 1000}


def calls_by_code(server):
    """How many calls of each method and error code (0: a result) the server has counted."""
    text = urllib.request.urlopen(server.url + "/metrics").read().decode()
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith("rpc_calls_total")}


def load(postgres, server, name, clients, seconds, rows=ROWS, body=None, checked=False):
    """Load of wrk. Exits if any answer was not a result, or, when `checked`, not the right one."""
    codes = calls_by_code(server)
    before = cpu(server.process.pid), cpu_of_children(postgres.pid())
    first_kind, last_kind = WORD_KINDS.get(name, (0, 0))
    environment = dict(os.environ, WORKLOAD=name.split("-")[0], FIRST_KIND=str(first_kind), LAST_KIND=str(last_kind), TOKEN=server.token, ROWS=str(rows), CHECK=str(int(checked)),
                       SEED=str(random.randrange(1 << 30)), BODY=body or "")
    done = subprocess.run(
        ["wrk", "-t", "1", "-c", str(clients), "-d", f"{seconds}s", "--latency", "-s", str(LOAD / "workload.lua"), server.url + "/rpc"],
        check=True, capture_output=True, text=True, env=environment)
    used = cpu(server.process.pid) - before[0], cpu_of_children(postgres.pid()) - before[1]
    result = json.loads(done.stdout.strip().splitlines()[-1])
    failed = {key: count for key, count in calls_by_code(server).items() if count > codes.get(key, 0) and 'code="0"' not in key}
    if result["errors"] or result["wrong"] or failed:
        sys.exit(f"script/bench: {name}: {result['errors']} requests failed, {result['wrong']} answers are wrong, {failed} {done.stderr}")
    count = result["requests"]
    return {"requests": count, "rate": count / result["seconds"], "server_us": used[0] / count * 1e6,
            "postgres_us": used[1] / count * 1e6, "p50": result["p50"], "p99": result["p99"]}


def median(rounds):
    return {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}


def measure(postgres, server, workload, seconds, rounds, quiet):
    """Rounds of pgbench and server in turn, because the speed of a shared machine changes; figures are their medians.

    With `quiet`, rounds during which other programs used the machine are repeated."""
    load(postgres, server, workload.name, workload.clients, 2, checked=True)  # warms caches and plans, too
    pairs, foreign, others = [], [], ForeignLoad(server, postgres)
    while len(pairs) < rounds:
        if quiet:
            others.wait_for_quiet()
        others.reset()
        pair = (pgbench(postgres, workload.name, workload.clients, seconds),
                load(postgres, server, workload.name, workload.clients, seconds))
        if not quiet or others.cores() < 0.25:
            pairs.append(pair)
            foreign.append(others.cores())
    base, ours = median([pair[0] for pair in pairs]), median([pair[1] for pair in pairs])
    ratios = sorted(own["rate"] / alone["rate"] for alone, own in pairs)
    row = {"workload": workload.name, "clients": workload.clients, "pgbench": base, "server": ours,
           "others_cores": statistics.mean(foreign), "rate": statistics.median(ratios), "rates": ratios,
           "p99": statistics.median(own["p99"] / alone["p99"] for alone, own in pairs),
           "cpu": statistics.median(own["server_us"] / own["postgres_us"] for _, own in pairs),
           "goals": {"rate": workload.rate, "p99": workload.p99, "cpu": workload.cpu}}
    row["met"] = {"rate": row["rate"] >= workload.rate} | {
        key: row[key] <= goal for key, goal in [("p99", workload.p99), ("cpu", workload.cpu)] if goal}
    return row


def check_reads(server, postgres):
    """Compares results of the server with rows that psql reads. Exits at the first difference."""
    for number in random.sample(range(1, ROWS + 1), 50):
        answer = server.call("sessions.get", id=number, select="{ id module tarif_client formateur { nom } client { raison_sociale } }")
        row = json.loads(postgres.psql(
            "SELECT json_build_object('id', s.id, 'module', module, 'tarif_client', tarif_client, 'formateur', json_build_object('nom',"
            " f.nom), 'client', json_build_object('raison_sociale', c.raison_sociale)) FROM sessions s JOIN formateurs f ON f.id ="
            f" formateur_id JOIN clients c ON c.id = client_id WHERE s.id = {number}"))
        if answer != row:
            sys.exit(f"script/bench: wrong answer: {answer} for {row}")
    page = server.call("sessions.list", where={"date": {"gte": "2025-03-01", "lt": "2025-04-01"}}, order_by=["-date", "-id"], first=100)
    ids = postgres.psql(
        "SELECT string_agg(id::text, ',') FROM (SELECT id FROM sessions WHERE date >= '2025-03-01' AND date < '2025-04-01'"
        " ORDER BY date DESC, id DESC LIMIT 100) s")
    if ",".join(str(item["id"]) for item in page["items"]) != ids:
        sys.exit("script/bench: a page differs from psql's")


def check_searches(server, postgres):
    """The server finds, in its order, exactly what the stored text of the yardstick finds."""
    words = ["Sécurité", "postgres", "Paris", "dupré", "Élodie", "groupe", "excel", "martin", "bordeaux", "quartz", "zo", "xy"]
    words += [f"{random.randrange(65536):04x}" for _ in range(20)] + [f"ct-{random.randrange(10000, 75536)}" for _ in range(10)]
    for word in words:
        items = server.call("sessions.list", search=word, first=20, select="{ id }")["items"]
        ids = postgres.psql(
            "SELECT string_agg(id::text, ',') FROM (SELECT id FROM yardstick.searched WHERE rech LIKE '%' || lower(unaccent("
            f"'{word}')) || '%' ORDER BY date DESC, debut, id LIMIT 20) s")
        if ",".join(str(item["id"]) for item in items) != ids:
            sys.exit(f"script/bench: the search for {word} differs from psql's: {items} for {ids}")


def check_inserts(server, postgres, before):
    """Every acknowledged create is a row, and every row is what was asked for."""
    acknowledged = sum(count for key, count in calls_by_code(server).items() if 'method="sessions.create"' in key)
    rows, right = map(int, postgres.psql(
        "SELECT count(*), count(*) FILTER (WHERE (date, debut, fin, modalite, lieu, tarif_client, tarif_sous_traitant, frais_rembourser,"
        " ref_contrat, version) = ('2026-05-04', '09:00', '17:00', 'P', 'Paris', 1200.50, 450, 80, 'CT-W3', 1) AND client_id BETWEEN 1"
        " AND 2000 AND formateur_id BETWEEN 1 AND 1000 AND ecole_id IS NULL) FROM sessions WHERE module = 'Charge'").split("|"))
    if rows - before != acknowledged or rows != right:
        sys.exit(f"script/bench: {acknowledged} creates were acknowledged, {rows - before} rows are there, {right} of them right")


def run(postgres, server, names, seconds, rounds, quiet, report):
    check_reads(server, postgres)
    check_searches(server, postgres)
    rows = []
    if unknown := set(names) - {workload.name for workload in WORKLOADS + ON_DEMAND}:
        sys.exit(f"script/bench: no workload {', '.join(unknown)}")
    for workload in [one for one in WORKLOADS + ON_DEMAND if one.name in names] if names else WORKLOADS:
        rows.append(measure(postgres, server, workload, seconds, rounds, quiet))
        report(rows[-1])
    check_reads(server, postgres)
    check_inserts(server, postgres, 0)
    return rows


HEADER = (f"{'':12} {'clients':>7} {'pgbench/s':>9} {'server/s':>9} {'ratio':>6} {'goal':>6} {'p99 ms':>7} {'pgbench':>7} {'ratio':>6} "
          f"{'goal':>6} {'server µs':>9} {'Postgres':>8} {'ratio':>6} {'goal':>6} {'pgbench':>7} {'others':>6}  verdict")


def line(row):
    def goal(key, sign):
        return f"{sign} {row['goals'][key]}" if row["goals"][key] else "–"
    base, ours = row["pgbench"], row["server"]
    missed = ", ".join(key for key, met in row["met"].items() if not met)
    return (f"{row['workload']:12} {row['clients']:7} {base['rate']:9.0f} {ours['rate']:9.0f} {row['rate']:6.2f} {goal('rate', '≥'):>6} "
            f"{ours['p99']:7.1f} {base['p99']:7.1f} {row['p99']:6.1f} {goal('p99', '≤'):>6} {ours['server_us']:9.0f} "
            f"{ours['postgres_us']:8.0f} {row['cpu']:6.2f} {goal('cpu', '≤'):>6} {base['postgres_us']:7.0f} {row['others_cores']:6.1f}  "
            + (f"MISSED: {missed}" if missed else "met"))
