"""Every order of sessions: the first page and one that is far behind it, on 100,000 rows."""
import statistics
import sys
import time

# Field → the key by which Postgres sorts it.
NAME = "{} COLLATE public.francais"
FIELDS = {name: name for name in ("id date debut fin modalite tarif_client tarif_sous_traitant frais_rembourser ecole_id client_id "
                                  "formateur_id created_at updated_at version").split()}
FIELDS |= {
    "module": NAME.format("module"), "ref_contrat": NAME.format("ref_contrat"), "lieu": NAME.format("left(lieu, 200)"),
    "marge": "public.marge(s)", "duree_minutes": "public.duree_minutes(s)", "statut": "public.statut(s)",
    "formateur.nom": NAME.format("f.nom"), "client.raison_sociale": NAME.format("c.raison_sociale"), "ecole.nom": NAME.format("e.nom"),
}
FROM = ("sessions s LEFT JOIN formateurs f ON f.id = formateur_id LEFT JOIN clients c ON c.id = client_id "
        "LEFT JOIN ecoles e ON e.id = ecole_id")
GOAL = 100  # ms
PAGES = 8  # of 500 rows, between the first page and the later one
REPEATS = 5


def timed(server, **params):
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        page = server.call("sessions.list", select="{ id }", first=50, **params)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times), [item["id"] for item in page["items"]]


def check(postgres, order, key, offset, ids):
    direction = "DESC" if order.startswith("-") else "ASC"
    qualified = key if "." in key or "(" in key else f"s.{key}"
    expected = postgres.psql(f"SELECT s.id FROM {FROM} ORDER BY {qualified} {direction} NULLS LAST, s.id LIMIT 50 OFFSET {offset}")
    if order.lstrip("-") == "id":
        expected = postgres.psql(f"SELECT id FROM sessions ORDER BY id {direction} LIMIT 50 OFFSET {offset}")
    if [int(number) for number in expected.split()] != ids:
        sys.exit(f"script/bench: by {order} the rows after {offset} differ from psql's: {ids} for {expected.split()}")


def run(postgres, server):
    rows = []
    for field, key in FIELDS.items():
        for order in (field, "-" + field):
            first, ids = timed(server, order_by=[order])
            check(postgres, order, key, 0, ids)
            after = {}
            for _ in range(PAGES):
                after = {"after": server.call("sessions.list", order_by=[order], first=500, select="{ id }", **after)["end_cursor"]}
            later, ids = timed(server, order_by=[order], **after)
            check(postgres, order, key, 500 * PAGES, ids)
            # "No dearer" within what two medians of five differ by on a shared machine.
            rows.append({"order": order, "first_ms": first, "later_ms": later,
                         "met": max(first, later) <= GOAL and later <= 1.3 * first + 2})
    return rows


def lines(rows):
    slowest = sorted(rows, key=lambda row: -max(row["first_ms"], row["later_ms"]))[:3]
    dearer = [row for row in rows if row["later_ms"] > 1.3 * row["first_ms"] + 2]
    def text(row):
        return f"{row['order']} {row['first_ms']:.1f} ms, later page {row['later_ms']:.1f} ms"
    yield (f"{len(rows)} orders of sessions, goal ≤ {GOAL} ms; the slowest: {'; '.join(map(text, slowest))}"
           f"  {'met' if all(max(row['first_ms'], row['later_ms']) <= GOAL for row in rows) else 'MISSED'}")
    yield (f"later pages dearer than the first: {'; '.join(map(text, sorted(dearer, key=lambda row: row['first_ms'] - row['later_ms'])[:5])) or 'none'}"
           f"  {'MISSED' if dearer else 'met'}")
