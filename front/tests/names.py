"""What the stories of front.md’s names share: a list of what is missing, and records to look at."""

from harness import Error, expect, new_word, present_day

THIN = "\u202f"
NARROW = r"[\u00a0\u202f ]"


class Names:
    """Collects what is missing, so that one run tells all."""

    def __init__(self, app):
        self.app, self.problems = app, []

    def check(self, words, claim, *given, **options):
        try:
            claim(*given, **{"timeout": 5_000, **options})
        except (AssertionError, Error) as error:
            self.problems.append(f"{words}: {' '.join(str(error).split())[:260]}")

    def there(self, place, role, *names):
        for name in names:
            one = place.get_by_role(role, name=name, exact=True)
            self.check(f"{role} {name}", expect(one).to_have_count, 1)
            self.check(f"{role} {name}", expect(one).to_be_visible)

    def absent(self, place, role, *names):
        for name in names:
            self.check(f"no {role} {name}", expect(place.get_by_role(role, name=name, exact=True)).to_have_count, 0)

    def choice(self, place, name, *options):
        """A group of radios with exactly these names."""
        self.there(place, "radiogroup", name)
        group = place.get_by_role("radiogroup", name=name, exact=True)
        self.check(f"radios of {name}", expect(group.get_by_role("radio")).to_have_count, len(options))
        self.there(group, "radio", *options)

    def heading(self, name):
        page = self.app.page
        self.check(f"heading {name}", expect(page.get_by_role("heading", level=1)).to_have_text, name)
        self.check(f"title {name}", expect(page).to_have_title, f"{name} · LearnTrack")
        self.check(f"one heading beside {name}", expect(page.get_by_role("heading", level=1)).to_have_count, 1)

    def true(self, words, is_so):
        if not is_so:
            self.problems.append(words)

    def done(self):
        assert not self.problems, "\n".join(self.problems)


def made(app, **values):
    given = {
        "module": f"Noms {new_word()}", "date": present_day().isoformat(), "debut": "09:00", "fin": "12:30",
        "modalite": "P", **values}
    return app.rpc("sessions.create", {"values": given, "select": "{ id module date version }"})


def people(app):
    """A trainer, a client and a school with all that the record of a session shows."""
    mark = new_word()
    return {
        "formateur_id": app.rpc("formateurs.create", {"values": {
            "prenom": "Noé", "nom": f"Nommé {mark}", "email": f"noe-{mark}@exemple.fr", "telephone": "06 12 34 56 78"}})["id"],
        "client_id": app.rpc("clients.create", {"values": {
            "raison_sociale": f"Noms & Cie {mark}", "email": f"noms-{mark}@exemple.fr", "telephone": "06 12 34 56 79"}})["id"],
        "ecole_id": app.rpc("ecoles.create", {"values": {"nom": f"École des Noms {mark}"}})["id"],
    }


def filters(app):
    if not app.is_phone:
        return app.page.get_by_role("main")
    app.page.get_by_role("button", name="Filtres…", exact=True).click()
    return app.page.get_by_role("dialog", name="Filtres", exact=True)
