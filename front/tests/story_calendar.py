"""The calendar, its subscriptions, and the dashboard."""
import datetime
import re
import urllib.request

from harness import expect, new_word, present_day, story

DAYS = ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"]
MONTHS = [
    "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"]


def long_date(day):
    number = "1er" if day.day == 1 else day.day
    return f"{DAYS[day.weekday()]} {number} {MONTHS[day.month - 1]} {day.year}"


def month_name(day):
    return f"{MONTHS[day.month - 1]} {day.year}"


def session(app, date, **values):
    given = {"module": f"Vannerie {new_word()}", "date": date, "debut": "09:00", "fin": "17:00", "modalite": "P", **values}
    return app.rpc("sessions.create", {"values": given, "select": "{ id module }"})


def amount(value):
    """An amount as it is read: the kinds of spaces are others' concern."""
    text = f"{value:,.2f}".replace(",", " ").replace(".", ",")
    return re.compile(text.replace(" ", r"\s") + r"\s€")


@story("SESS-07", "a month of days, with public holidays, and the sessions of each", account="user")
def month(app):
    # May 2031 has public holidays, and no other sessions; each device has a day of its own.
    number = 6 if app.is_phone else 13
    name = f"mardi {number} mai 2031"
    first, second = session(app, f"2031-05-{number:02}"), session(app, f"2031-05-{number:02}", debut="13:30", modalite="D")
    page = app.page
    app.move("/calendrier?mois=2031-05")
    grid = page.get_by_role("grid", name="mai 2031")
    expect(grid).to_be_visible()
    cells = grid.get_by_role("gridcell")
    expect(cells).to_have_count(35)
    expect(cells.first).to_have_accessible_name("lundi 28 avril 2031")
    expect(cells.last).to_have_accessible_name("dimanche 1er juin 2031")
    expect(grid.get_by_role("columnheader")).to_have_count(7)
    if app.is_phone:
        assert [one.upper() for one in grid.get_by_role("columnheader").all_inner_texts()] == list("LMMJVSD")
    expect(grid.get_by_role("gridcell", name="jeudi 1er mai 2031", exact=True)).to_have_accessible_description("Fête du Travail")
    expect(grid.get_by_role("gridcell", name="jeudi 22 mai 2031", exact=True)).to_have_accessible_description("Ascension")
    day = grid.get_by_role("gridcell", name=f"{name}, 2 sessions", exact=True)
    expect(day).to_be_visible()
    app.axe()
    app.assert_no_sideways_scrolling()
    if app.is_phone:
        day.click()
        rows = page.get_by_role("list", name=name)
    else:
        expect(day.get_by_role("link")).to_have_count(2)
        day.locator(".month-figure").click()
        rows = page.get_by_role("dialog", name=name).get_by_role("list")
    expect(rows.get_by_role("listitem")).to_have_count(2)
    expect(rows.get_by_role("link").last).to_have_accessible_name(re.compile(f"^{second['module']}, {name}"))
    app.axe()
    rows.get_by_role("link", name=re.compile(first["module"])).click()
    expect(page.get_by_role("heading", name=first["module"], level=1)).to_be_visible()
    page.go_back()
    expect(grid).to_be_visible()


@story("SESS-07", "a week has hours, and sessions that overlap stand beside each other; a tablet has a day's list", devices=["desktop"])
def together(app):
    page = app.page
    for _ in range(5):
        session(app, "2031-08-12")
    early, late = session(app, "2031-08-13", debut="06:30", fin="09:30"), session(app, "2031-08-13", debut="09:30", fin="11:00")
    app.move("/calendrier?affichage=semaine&jour=2031-08-12")
    links = page.get_by_role("gridcell", name="mardi 12 août 2031, 5 sessions").get_by_role("link")
    week = page.get_by_role("grid")
    for width, shown in ((1440, 5), (1280, 5), (1024, 2)):
        page.set_viewport_size({"width": width, "height": 800})
        expect(links).to_have_count(shown)
        app.settle()
        boxes = sorted(links.evaluate_all("all => all.map(one => one.getBoundingClientRect().toJSON())"), key=lambda box: box["left"])
        assert min(box["width"] for box in boxes) > 74, boxes
        assert len({round(box["top"]) for box in boxes}) == 1, boxes
        assert all(one["right"] <= other["left"] + 1 for one, other in zip(boxes, boxes[1:])), boxes
        first, second = (week.get_by_role("link", name=re.compile(one["module"])).bounding_box() for one in (early, late))
        # Three hours, and then one and a half.
        assert round(first["height"] / second["height"], 1) == 2 and abs(first["y"] + first["height"] - second["y"]) <= 1, (first, second)
        app.assert_no_sideways_scrolling()
        app.axe()
    page.set_viewport_size({"width": 1440, "height": 900})
    for _ in range(4):
        session(app, "2031-08-12")
    expect(page.get_by_role("gridcell", name="mardi 12 août 2031, 9 sessions").get_by_role("link")).to_have_count(5)
    page.get_by_role("button", name="4 autres").click()
    expect(page.get_by_role("dialog", name="mardi 12 août 2031").get_by_role("listitem")).to_have_count(9)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 768, "height": 1024})
    expect(page.get_by_role("list", name="mardi 12 août 2031").get_by_role("listitem")).to_have_count(9)
    expect(links).to_have_count(0)
    page.get_by_role("radio", name="Mois").check()
    expect(page.get_by_role("grid", name="août 2031").locator(".dot")).to_have_count(6)
    app.axe()
    app.assert_no_sideways_scrolling()


@story("SESS-07", "a week of many sessions fits: seven days without scrolling sideways, their heads in view, and no word cut in its middle",
       devices=["desktop"])
def full_week(app):
    page = app.page
    for day in range(17, 24):
        for at, hours in enumerate(((8, 30), (9, 0), (9, 0), (10, 45), (13, 30))[:5 if day < 22 else 2]):
            session(app, f"2031-11-{day}", module=f"Photographie de produit {at}", debut=f"{hours[0]:02}:{hours[1]:02}", fin="17:30")
    page.set_viewport_size({"width": 1440, "height": 900})
    app.move("/calendrier?affichage=semaine&jour=2031-11-12")
    page.get_by_role("button", name="Suivant").click()
    week = page.get_by_role("grid", name="semaine du 17 novembre 2031")
    monday = week.get_by_role("gridcell", name="lundi 17 novembre 2031, 5 sessions")
    expect(monday).to_be_visible()
    app.settle()
    app.shot("full-week")
    assert week.evaluate("one => one.scrollWidth <= one.clientWidth && one.scrollLeft === 0")
    frame = week.bounding_box()
    for cell in week.get_by_role("gridcell").all():
        box = cell.bounding_box()
        assert box["x"] >= frame["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"] + 1, (box, frame)
    # Each word stands in one line, or ends in an ellipsis.
    broken = page.evaluate("""() => [...document.querySelectorAll(".week-what")].filter(one => {
        const text = one.firstChild, lines = document.createRange();
        return [...text.data.matchAll(/\\S+/g)].some(({ 0: word, index }) => {
            lines.setStart(text, index);
            lines.setEnd(text, index + word.length);
            return lines.getClientRects().length > 1;
        });
    }).length""")
    assert broken == 0, f"{broken} names have a word that goes on in the next line"
    # What has no room is counted, and leads to the day.
    monday.get_by_role("button", name=re.compile("autres$")).click()
    expect(page.get_by_role("dialog", name="lundi 17 novembre 2031").get_by_role("listitem")).to_have_count(5)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1440, "height": 500})
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(week.get_by_role("columnheader", name="lundi")).to_be_in_viewport()
    app.axe()


def printing(page, is_printing=True):
    """What the browser does before and after it prints."""
    page.evaluate("name => dispatchEvent(new Event(name))", "beforeprint" if is_printing else "afterprint")
    page.emulate_media(media="print" if is_printing else "screen")


@story("SESS-07", "paper has the days of a week or a month with their sessions in words, upright or lying")
def printed(app):
    page, main = app.page, app.page.get_by_role("main")
    names = [session(app, f"2031-12-{day:02}", lieu=f"Salle {day}")["module"] for day in (1, 3, 7, 24)]
    for path, shown in (("/calendrier?affichage=semaine&jour=2031-12-03", names[:3]), ("/calendrier?mois=2031-12", names)):
        app.go(path)
        expect(main.get_by_role("grid")).to_be_visible()
        app.settle()
        printing(page)
        paper = main.locator(".paper")
        for name in names:
            expect(paper.get_by_text(name)).to_have_count(int(name in shown))
        expect(main.get_by_role("grid")).to_be_hidden()
        expect(paper.get_by_text("Salle 3")).to_be_visible()
        days = paper.get_by_role("heading", level=2)
        assert days.count() == (7 if "semaine" in path else len(shown)), days.all_inner_texts()
        expect(days.nth(0)).to_have_text(re.compile("lundi 1er décembre 2031", re.IGNORECASE))
        app.shot(f"paper-{'week' if 'semaine' in path else 'month'}")
        printing(page, False)
        expect(paper).to_have_count(0)
    for lies in (False, True):
        pdf = page.pdf(format="A4", landscape=lies, prefer_css_page_size=True)
        width, height = re.search(rb"/MediaBox\s*\[\s*0 0 (\d+)\S* (\d+)", pdf).groups()
        assert (int(width) > int(height)) == lies, (width, height)


@story("CLI-08", "the sessions of a client are printed below its facts, and go on over pages", devices=["desktop"])
def printed_record(app):
    page = app.page
    client = app.rpc("clients.create", {"values": {"raison_sociale": f"Imprimée {new_word()}"}, "select": "{ id }"})["id"]
    for day in range(1, 15):
        session(app, f"2032-01-{day:02}", client_id=client)
    app.move(f"/clients/{client}")
    sessions = page.get_by_role("region", name="Sessions", exact=True)
    expect(sessions.get_by_role("listitem")).to_have_count(14)
    printing(page)
    assert sessions.evaluate("one => getComputedStyle(one).breakInside") == "auto"
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", prefer_css_page_size=True))) == 2


def moment(app, one):
    row = app.rpc("sessions.get", {"id": one["id"], "select": "{ date debut fin }"})
    return row["date"], row["debut"][:5], row["fin"][:5]


def drag(page, link, x, y):
    """Moves a link by the mouse to a place of the window."""
    box = link.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(x, y, steps=6)
    page.mouse.up()


@story("SESS-07", "a mouse moves a session to another day and another hour, and it can be taken back", devices=["desktop"])
def dragged(app):
    page, message = app.page, app.page.get_by_role("status", name="Message")
    trainer = app.rpc("formateurs.create", {"values": {"prenom": "Zoé", "nom": f"Mobile {new_word()}"}, "select": "{ id }"})
    one = session(app, "2031-09-09", formateur_id=trainer["id"])
    session(app, "2031-09-12", formateur_id=trainer["id"])
    app.move("/calendrier?mois=2031-09")
    link = page.get_by_role("grid").get_by_role("link", name=re.compile(one["module"]))
    target = page.get_by_role("gridcell", name=re.compile("^vendredi 12 septembre 2031")).bounding_box()
    drag(page, link, target["x"] + 60, target["y"] + 60)
    expect(page.get_by_role("gridcell", name="vendredi 12 septembre 2031, 2 sessions")).to_be_visible()
    expect(message).to_have_text(re.compile("^Session décalée.* vendredi 12 septembre 2031, 9.h – 17.h. Son formateur a une autre session"))
    expect(page).to_have_url(re.compile("/calendrier"))
    assert moment(app, one) == ("2031-09-12", "09:00", "17:00"), moment(app, one)
    app.axe()
    page.get_by_role("button", name="Annuler", exact=True).click()
    expect(message).to_have_text("Déplacement annulé")
    assert moment(app, one) == ("2031-09-09", "09:00", "17:00"), moment(app, one)
    page.get_by_role("gridcell", name=re.compile("^mardi 9 septembre")).focus()
    page.get_by_role("radio", name="Semaine").check()
    app.move("/calendrier?affichage=semaine&jour=2031-09-09")
    expect(link).to_be_visible()
    box, target = link.bounding_box(), page.get_by_role("gridcell", name=re.compile("^jeudi 11 septembre")).bounding_box()
    # An hour is a twelfth of the day.
    drag(page, link, target["x"] + 30, box["y"] + 10 + 1.25 * target["height"] / 12)
    expect(message).to_have_text(re.compile("jeudi 11 septembre 2031, 10.h.15 – 18.h.15$"))
    assert moment(app, one) == ("2031-09-11", "10:15", "18:15"), moment(app, one)
    # Escape leaves it where it is.
    box = link.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] - 200, box["y"] + 90, steps=4)
    page.keyboard.press("Escape")
    page.mouse.up()
    expect(link).not_to_have_class(re.compile("moving"))
    assert moment(app, one) == ("2031-09-11", "10:15", "18:15"), moment(app, one)


@story("SESS-07", "Alt and arrows move the session that has the focus, also from a tablet's list of a day", devices=["desktop"])
def moved_by_keys(app):
    page, message = app.page, app.page.get_by_role("status", name="Message")
    one = session(app, "2031-10-08")
    app.move("/calendrier?mois=2031-10&jour=2031-10-08")
    link = page.get_by_role("link", name=re.compile(one["module"]))
    page.get_by_role("gridcell", name="mercredi 8 octobre 2031, 1 session", exact=True).focus()
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    page.keyboard.press("Alt+ArrowDown")
    expect(message).to_contain_text("mercredi 15 octobre 2031")
    expect(link).to_be_focused()
    page.keyboard.press("Alt+ArrowRight")
    expect(message).to_contain_text("jeudi 16 octobre 2031")
    expect(link).to_be_focused()
    page.get_by_role("radio", name="Semaine").check()
    link.focus()
    page.keyboard.press("Alt+ArrowDown")
    expect(message).to_have_text(re.compile("jeudi 16 octobre 2031, 9.h.15 – 17.h.15"))
    # All of it is taken back, not the last step alone.
    page.get_by_role("button", name="Annuler", exact=True).click()
    expect(message).to_have_text("Déplacement annulé")
    assert moment(app, one) == ("2031-10-08", "09:00", "17:00"), moment(app, one)
    expect(page.get_by_role("gridcell", name=re.compile("^mercredi 8 octobre 2031")).get_by_role("link", name=re.compile(one["module"]))).to_be_focused()
    page.set_viewport_size({"width": 768, "height": 1024})
    app.move("/calendrier?jour=2031-10-08")
    link.focus()
    page.keyboard.press("Alt+ArrowRight")
    expect(page.get_by_role("list", name="jeudi 9 octobre 2031").get_by_role("link", name=re.compile(one["module"]))).to_be_focused()


@story("SESS-07", "a key that is held loses no step, what is told is the last place, and a session leaves a crowded day", devices=["desktop"])
def carried(app):
    page, message = app.page, app.page.get_by_role("status", name="Message")
    one = session(app, "2031-11-05")
    app.create_many("sessions", [
        {"module": f"Foule {number}", "date": "2031-11-06", "debut": "06:00", "fin": "07:00", "modalite": "P"} for number in range(6)])
    app.move("/calendrier?affichage=semaine&jour=2031-11-05")
    link = page.get_by_role("link", name=re.compile(one["module"]))
    link.focus()
    for _ in range(8):
        page.keyboard.press("Alt+ArrowDown")
        page.wait_for_timeout(30)
    expect(message).to_have_text(re.compile("mercredi 5 novembre 2031, 11.h – 19.h"))
    app.settle()
    assert moment(app, one) == ("2031-11-05", "11:00", "19:00"), moment(app, one)
    page.get_by_role("radio", name="Mois").check()
    link.focus()
    page.keyboard.press("Alt+ArrowRight")
    expect(message).to_contain_text("jeudi 6 novembre 2031")
    expect(link).to_have_count(0)
    page.keyboard.press("Alt+ArrowRight")
    expect(message).to_contain_text("vendredi 7 novembre 2031")
    expect(link).to_be_focused()


@story("SESS-07", "without a network a session moves, and back again nothing waits", devices=["desktop"], account="user")
def moved_offline(app):
    page = app.page
    day = present_day() + datetime.timedelta(40)
    one = session(app, day.isoformat())
    app.go(f"/calendrier?jour={day}")
    app.wait_for_copy()
    link = page.get_by_role("grid").get_by_role("link", name=re.compile(one["module"]))
    expect(link).to_be_visible()
    app.offline()
    # What the page has begun to send before it knows may have arrived: its way back is a write of its own then.
    expect(page.get_by_role("status", name="Synchronisation")).to_contain_text("Hors connexion")
    link.focus()
    page.keyboard.press("Alt+ArrowRight")
    expect(page.get_by_role("status", name="Message")).to_contain_text("en attente d’envoi")
    expect(page.get_by_role("status", name="Synchronisation")).to_contain_text("1 modification en attente")
    page.get_by_role("button", name="Annuler", exact=True).click()
    expect(page.get_by_role("status", name="Synchronisation")).not_to_contain_text("en attente")
    app.offline(False)
    assert moment(app, one)[0] == day.isoformat()


@story("SESS-07", "arrows go through the days, and from month to month")
def keys(app):
    page, today = app.page, present_day()
    app.move("/calendrier")
    grid = page.get_by_role("grid")
    cell = grid.locator("[tabindex='0']")
    expect(cell).to_have_count(1)
    expect(cell).to_have_attribute("aria-current", "date")
    cell.focus()
    for key, step in (("ArrowRight", 1), ("ArrowDown", 7), ("ArrowLeft", -1), ("ArrowUp", -7), ("ArrowDown", 7), *[("ArrowDown", 7)] * 5):
        page.keyboard.press(key)
        today += datetime.timedelta(days=step)
        expect(grid.locator(":focus")).to_have_accessible_name(re.compile(f"^{long_date(today)}"))
    expect(page.get_by_role("grid", name=month_name(today), exact=True)).to_be_visible()
    page.keyboard.press("Home")
    expect(grid.locator(":focus")).to_have_accessible_name(re.compile("^lundi"))
    page.get_by_role("button", name="Aujourd’hui").click()
    expect(page.get_by_role("grid", name=month_name(present_day()), exact=True)).to_be_visible()
    page.get_by_role("button", name="Suivant").click()
    page.get_by_role("button", name="Précédent").click()
    expect(page.get_by_role("grid", name=month_name(present_day()), exact=True)).to_be_visible()
    page.get_by_role("radio", name="Semaine").check()
    monday = present_day() - datetime.timedelta(days=present_day().weekday())
    expect(page.get_by_role("grid", name=f"semaine du {long_date(monday).split(' ', 1)[1]}", exact=True)).to_be_visible()
    expect(page.get_by_role("gridcell")).to_have_count(7)
    expect(page).to_have_url(re.compile("affichage=semaine"))
    app.axe()
    app.assert_no_sideways_scrolling()


@story("SESS-07", "the list of a day begins a session on it", account="user")
def begin(app):
    page = app.page
    app.move("/calendrier?mois=2031-06")
    cell = page.get_by_role("gridcell", name="mercredi 11 juin 2031", exact=True)
    cell.focus()
    cell.click()
    place = page.get_by_role("main") if app.is_phone else page.get_by_role("dialog", name="mercredi 11 juin 2031")
    expect(place.get_by_text("Aucune session ce jour-là.")).to_be_visible()
    place.get_by_role("link", name="Nouvelle session").click()
    expect(page.get_by_role("heading", name="Nouvelle session", level=1)).to_be_visible()
    expect(page.get_by_label("Date", exact=True)).to_have_value("2031-06-11")


@story("calendriers", "a calendar follows the sessions of a trainer by a link, until it is revoked", account="user")
def subscribe(app):
    page = app.page
    trainer = app.rpc("formateurs.create", {"values": {"prenom": "Zoé", "nom": f"Agenda{new_word()}"}, "select": "{ id nom_complet }"})
    one = session(app, "2031-07-08", formateur_id=trainer["id"])
    app.move("/calendrier")
    page.get_by_role("button", name="S’abonner…").click()
    dialog = page.get_by_role("dialog", name="S’abonner au calendrier")
    dialog.get_by_role("radio", name="Un formateur").check()
    dialog.get_by_role("combobox", name="Formateur").fill(trainer["nom_complet"])
    page.get_by_role("option", name=trainer["nom_complet"]).click()
    dialog.get_by_role("button", name="Créer le lien").click()
    field = dialog.get_by_label("Lien du calendrier")
    url = field.input_value()
    expect(dialog.get_by_role("link", name="Ouvrir dans Calendrier")).to_have_attribute("href", re.compile("^webcal:"))
    app.axe()
    app.assert_no_sideways_scrolling()
    text = urllib.request.urlopen(url).read().decode()
    assert one["module"] in text and "BEGIN:VCALENDAR" in text, text[:400]
    item = dialog.get_by_role("list", name="Vos abonnements").get_by_role("listitem").filter(has_text=trainer["nom_complet"])
    item.get_by_role("button", name="Révoquer").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Révoquer").click()
    expect(item).to_have_count(0)
    try:
        urllib.request.urlopen(url)
        raise AssertionError("the revoked link is answered")
    except urllib.error.HTTPError as error:
        assert error.code in (403, 404, 410), error.code


@story("V1.2", "the dashboard has the figures of the month, as the service counts them")
def dashboard(app):
    page, today = app.page, present_day()
    first = today.replace(day=1)
    last = (first + datetime.timedelta(days=31)).replace(day=1) - datetime.timedelta(days=1)
    app.move("/tableau-de-bord")
    months = page.get_by_role("group", name="Mois")
    expect(months).to_contain_text(re.compile(month_name(today), re.I))
    app.settle()
    row = app.rpc("indicateurs.list", {"du": first.isoformat(), "au": last.isoformat()})["items"][0]
    expect(page.get_by_role("group", name="Chiffre d’affaires", exact=True)).to_contain_text(amount(row["ca"]))
    expect(page.get_by_role("group", name="Sessions", exact=True)).to_contain_text(str(row["nombre_sessions"]))
    expect(page.get_by_role("group", name="Marge", exact=True)).to_contain_text(amount(row["marge"]))
    expect(page.get_by_role("group", name="Taux de marge", exact=True)).to_contain_text(re.compile(r"\d+,\d\s%"))
    expect(page.get_by_role("group", name="Sessions", exact=True)).to_contain_text(f"{last.day} jours précédents")
    expect(page.get_by_role("main")).to_contain_text("Marge des sessions qui ont un tarif client")
    figure = page.get_by_role("figure", name="Chiffre d’affaires et marge par mois")
    table = figure.get_by_role("table", name="Chiffre d’affaires et marge par mois")
    expect(table.get_by_role("row")).to_have_count(13)
    expect(table.get_by_role("row").last).to_contain_text(amount(row["ca"]))
    expect(figure.locator("svg rect")).to_have_count(24)
    best = page.get_by_role("table", name="Meilleurs formateurs")
    expect(best.get_by_role("row").nth(1).get_by_role("link")).to_have_attribute("href", re.compile(r"^/formateurs/\d+$"))
    app.axe()
    app.assert_no_sideways_scrolling()
    months.get_by_role("button", name="Mois précédent").click()
    expect(page).to_have_url(re.compile(r"mois=\d{4}-\d{2}"))
    expect(page.get_by_role("table", name="Chiffre d’affaires et marge par mois").get_by_role("row")).to_have_count(13)
    months.get_by_role("button", name="Ce mois-ci").click()
    expect(page).not_to_have_url(re.compile("mois="))


@story("V1.2", "a month without sessions, in the dark", theme="dark", account="user")
def empty(app):
    page = app.page
    app.move("/tableau-de-bord?mois=2001-02")
    expect(page.get_by_role("group", name="Sessions", exact=True)).to_contain_text("0")
    expect(page.get_by_role("group", name="Taux de marge", exact=True)).to_contain_text("–")
    expect(page.get_by_text(re.compile("Aucune session avec un formateur"))).to_be_visible()
    figure = page.get_by_role("figure", name="Chiffre d’affaires et marge par mois")
    expect(figure).to_contain_text("Aucun chiffre d’affaires ces douze mois.")
    expect(figure.locator("svg")).to_have_count(0)
    app.axe()
    app.move("/calendrier?mois=2001-02")
    expect(page.get_by_role("grid", name="février 2001")).to_be_visible()
    app.axe()


@story("V1.2", "the dashboard without an answer says so, and asks again", devices=["phone"], account=None)
def failing(app):
    page = app.new_page()
    broken = {"now": True}

    def answer(route):
        if broken["now"] and "indicateurs" in (route.request.post_data or ""):
            return route.fulfill(status=500, content_type="text/plain", body="broken")
        return route.continue_()

    page.route("**/rpc", answer)
    app.allow_console("500")
    app.sign_in("admin", page)
    app.move("/tableau-de-bord", page)
    expect(page.get_by_role("alert").first).to_be_visible()
    app.axe(page)
    app.try_again(page)
    expect(page.get_by_role("alert").first).to_be_visible()
    broken["now"] = False
    # What failed is also asked for again by itself.
    page.evaluate("document.querySelector('.failure button')?.click()")
    expect(page.get_by_role("group", name="Marge", exact=True)).to_be_visible()
