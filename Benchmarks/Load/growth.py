"""The same calls on growing numbers of sessions."""
import json

import workloads
from workloads import load

CLIENTS = 8
GOAL = 1.3  # W2 costs the same on ten times the rows, within what two measurements differ by
CALLS = ["W1", "W2", "W4", "first page", "later page", "figures", "W3"]
FIGURES_GOAL = 150  # ms: the figures of a year, of a million sessions


def page_body(after=None):
    params = {"first": 50} | ({"after": after} if after else {})
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "sessions.list", "params": params})


def figures_body():
    params = {"du": "2025-01-01", "au": "2025-12-31"}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "indicateurs.list", "params": params})


def run(postgres, server, email, seconds, sizes, report):
    rows, present = [], 0
    postgres.psql(file=workloads.LOAD / "data.sql")
    for size in sizes:
        workloads.add_sessions(postgres, present + 1, size)
        present = size
        server.start()  # plans of the smaller table are forgotten
        server.token = None
        server.token = server.sign_in(email)
        after = None
        for _ in range(10):
            after = server.call("sessions.list", first=500, select="{ id }", **({"after": after} if after else {}))["end_cursor"]
        for call in CALLS:
            name, body = {"first page": ("body", page_body()), "later page": ("body", page_body(after)),
                          "figures": ("body", figures_body())}.get(call, (call, None))
            clients = 1 if call == "figures" else CLIENTS  # how long one call takes, not how many a machine makes
            load(postgres, server, name, clients, 1, rows=size, body=body, checked=True)
            rows.append({"sessions": size, "call": call, **load(postgres, server, name, clients, seconds, rows=size, body=body)})
            report(rows[-1])
        # The ids of the next sessions follow those of the last, as W1 expects.
        postgres.psql("DELETE FROM sessions WHERE module = 'Charge'")
        postgres.psql(f"SELECT setval('sessions_id_seq', {size})")
        postgres.psql("VACUUM ANALYZE sessions")
        server.stop()
    return rows


HEADER = f"{'sessions':>9} {'call':12} {'calls/s':>8} {'p50 ms':>7} {'p99 ms':>7} {'server µs':>9} {'Postgres µs':>11}"


def line(row):
    return (f"{row['sessions']:9,} {row['call']:12} {row['rate']:8.0f} {row['p50']:7.2f} {row['p99']:7.2f} {row['server_us']:9.0f} "
            f"{row['postgres_us']:11.0f}")


def verdict(rows):
    """The CPU of W2 at each size, as a ratio to that on a tenth of the rows, and how long the figures of a year take at the largest."""
    costs = [row["server_us"] + row["postgres_us"] for row in rows if row["call"] == "W2"]
    ratios = [later / earlier for earlier, later in zip(costs, costs[1:])]
    figures = max((row for row in rows if row["call"] == "figures"), key=lambda row: row["sessions"])
    return "\n".join([
        f"W2 on ten times the rows: {', '.join(f'{ratio:.2f}' for ratio in ratios)} × the CPU, goal ≤ {GOAL}  "
        + ("met" if all(ratio <= GOAL for ratio in ratios) else "MISSED"),
        f"figures of a year among {figures['sessions']:,} sessions of three years: {figures['p50']:.0f} ms, goal ≤ {FIGURES_GOAL}  "
        + ("met" if figures["p50"] <= FIGURES_GOAL else "MISSED")])
