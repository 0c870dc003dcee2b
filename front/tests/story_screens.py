"""Each screen by itself: axe in both themes, no sideways scrolling, targets that fingers hit, no dead link, one heading that is the
title, one place in the navigation."""
import contextlib
import json
import re
import urllib.error
import urllib.request

from harness import ROOT, Error, expect, story

ROUTES = json.loads((ROOT / "front" / "routes.json").read_text())
# Where the first page and signing in are, which a reader who has signed in does not see.
WITHOUT_ACCOUNT = {"/", "/connexion"}
# What is smaller than 44 px. A label is part of its field; letters of an index and what is not seen are looked at elsewhere.
SMALL_TARGETS = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=gridcell]")]
    .filter(one => one.checkVisibility({ visibilityProperty: true }) && !one.closest("nav[aria-label='Index alphabétique']"))
    .map(one => ({ one, box: (one.closest("label") ?? one).getBoundingClientRect() }))
    .filter(({ one, box }) => box.width > 2 && (box.height < 43.9 || one.matches("button, .button") && box.width < 43.9))
    .map(({ one, box }) => `${one.textContent || one.type} ${box.width} × ${box.height}`)"""
# What the button that floats over a screen still covers at its end.
COVERED = """async () => {
    const floating = [...document.querySelectorAll("main a")].find(one => getComputedStyle(one).position === "fixed");
    if (!floating) return [];
    for (let frames = 0; frames < 10; frames++) {
        scrollTo(0, document.documentElement.scrollHeight);
        await new Promise(requestAnimationFrame);
    }
    const over = floating.getBoundingClientRect();
    return [...document.querySelectorAll("main a[href], main button, main [role=gridcell]")]
        .filter(one => one !== floating && one.checkVisibility())
        .filter(one => {
            const { left, right, top, bottom } = one.getBoundingClientRect();
            return left < over.right && right > over.left && top < over.bottom && bottom > over.top;
        }).map(one => one.textContent);
}"""


def screens(app):
    """The path of each screen, with the number of a record that there is."""
    ids = {}
    for route in ROUTES:
        if route in WITHOUT_ACCOUNT:
            continue
        entity = {"utilisateurs": "users"}.get(route.split("/")[1], route.split("/")[1])
        if "{id}" in route and entity not in ids:
            ids[entity] = app.rpc(f"{entity}.list", {"first": 1, "select": "{ id }"})["items"][0]["id"]
        yield route.replace("{id}", str(ids.get(entity)))


def check_heading(app):
    """A screen has one heading of the first level, which is the title too. Returns its text."""
    heading = app.page.get_by_role("heading", level=1)
    expect(heading).to_have_count(1)
    expect(heading).not_to_have_text("")
    expect(app.page).to_have_title(f"{heading.inner_text()} · LearnTrack")
    return heading.inner_text()


def walk(app, *checks):
    """Looks at each screen in each way, and reports what is wrong with all of them."""
    problems = []
    for path in screens(app):
        try:
            app.move(path)
            app.settle()
            expect(app.page.get_by_role("navigation", name="Navigation principale")).to_be_visible(timeout=2_000)
            assert "introuvable" not in check_heading(app).lower(), "the screen is not known"
        except AssertionError as error:
            problems.append(f"{path}: {' '.join(str(error).split())[:300]}")
            continue
        for check in checks:
            try:
                check(app)
            except AssertionError as error:
                problems.append(f"{path}: {check.__name__}: {error}")
    assert not problems, "\n".join(problems)


def check_navigation(app):
    """One link of the navigation that is seen is marked as the page's place. Comptage has its own story and server."""
    if app.page.url.endswith("/comptage"):
        return
    links = app.page.get_by_role("navigation", name="Navigation principale").get_by_role("link")
    current = [link.inner_text() for link in links.all() if link.is_visible() and link.get_attribute("aria-current") == "page"]
    assert len(current) == 1, f"marked: {current}"


def check_light(app):
    app.axe()


def check_dark(app):
    app.page.emulate_media(color_scheme="dark")
    # Colours change over the time of a transition.
    app.page.wait_for_timeout(250)
    try:
        app.axe(rules=["color-contrast"])
    finally:
        app.page.emulate_media(color_scheme="light")


def check_narrow(app):
    size = app.page.viewport_size
    app.page.set_viewport_size({"width": 320, "height": 640})
    try:
        app.assert_no_sideways_scrolling()
        check_large_text(app)
    finally:
        app.page.set_viewport_size(size)


def check_large_text(app):
    app.page.evaluate("document.documentElement.style.fontSize = '200%'")
    try:
        app.assert_no_sideways_scrolling()
    finally:
        app.page.evaluate("document.documentElement.style.fontSize = ''")


def check_touch(app):
    """A finger hits what there is on a phone, and reaches what the floating button covers."""
    if app.is_phone:
        assert not (small := app.page.evaluate(SMALL_TARGETS)), f"small targets: {small[:8]}"
        assert not (covered := app.page.evaluate(COVERED)), f"covered at the end: {covered[:8]}"


@story("screens", "axe finds nothing serious, narrow windows and large text need no sideways scrolling, fingers hit all, and the place is marked")
def accessible(app):
    walk(app, check_navigation, check_light, check_dark, check_touch, check_narrow, check_large_text)


@story("screens", "axe finds nothing serious before signing in", account=None)
def before_signing_in(app):
    app.go("/connexion")
    check_heading(app)
    for check in (check_light, check_dark, check_touch, check_narrow, check_large_text):
        check(app)


@story("screens", "no link leads to a path that the server does not have", devices=["desktop"])
def links(app):
    seen = {}

    def check_links(app):
        for href in app.page.evaluate("[...document.querySelectorAll('a[href]')].map(a => a.href)"):
            pattern = re.sub(r"\d+", "1", href.partition("?")[0].partition("#")[0])
            if not href.startswith(app.url) or pattern in seen:
                continue
            try:
                seen[pattern] = urllib.request.urlopen(urllib.request.Request(href, method="HEAD")).status
            except urllib.error.HTTPError as error:
                seen[pattern] = error.code
            assert seen[pattern] == 200, f"{href} is {seen[pattern]}"

    walk(app, check_links)


# Words that are cut: their element is narrower than they are, and does not show what stands out of it.
CUT = """[...document.querySelectorAll("main .row *, .beside .row *, .prospect-card *, .chip, .week-session *")].filter(one => {
    const hides = getComputedStyle(one).overflowX !== "visible" || one.closest(".prospect-card");
    return one.clientWidth > 0 && hides && one.scrollWidth > one.clientWidth + 1;
}).map(one => one.textContent)"""


def tops(places):
    """Where the boxes of these begin: one number when they stand in a row."""
    return {round(one.bounding_box()["y"]) for one in places.all()}


@story("screens", "on tablets and small laptops no word is cut, and buttons stand in one row", devices=["desktop"])
def middle_widths(app):
    page = app.page
    session = app.rpc("sessions.list", {"first": 1, "select": "{ id }"})["items"][0]["id"]
    for width in (768, 1024, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        for path in ("/sessions?mois=tous", "/prospects", f"/sessions/{session}", "/clients/1"):
            app.move(path)
            app.settle()
            cut = page.evaluate(CUT)
            assert not cut, f"{path} at {width} px cuts {cut[:5]}"
            app.assert_no_sideways_scrolling()
        app.move(f"/sessions/{session}")
        expect(page.get_by_role("button", name="Supprimer")).to_be_visible()
        assert len(tops(page.locator(".record-actions > *"))) == 1, f"the actions stand in rows at {width} px"
        app.move("/sessions/nouveau")
        for label in ("Date", "Début", "Fin"):
            box = page.get_by_role("main").get_by_label(label, exact=True).bounding_box()
            assert box["width"] > 170, f"{label} has {box['width']} px at {width} px"
        if width >= 1024:
            aside = page.get_by_role("complementary", name="Liste")
            assert len(tops(aside.locator(".search, .filters-open"))) == 1, f"the filters stand below the search at {width} px"


@story("screens", "what a user may not do has no screen", devices=["desktop"], account="user")
def rights(app):
    for path in ("/utilisateurs", "/organisme", "/journal"):
        app.move(path)
        expect(app.page.get_by_role("heading", level=1)).to_contain_text(re.compile("introuvable", re.IGNORECASE))
    navigation = app.page.get_by_role("navigation", name="Navigation principale")
    expect(navigation.get_by_role("link", name="Sessions", exact=True)).to_be_visible()
    expect(navigation.get_by_role("link", name="Journal")).to_have_count(0)


def stable(element):
    """What is drawn of an element, once it is the same twice."""
    drawn = element.screenshot()
    for _ in range(20):
        before, drawn = drawn, element.screenshot()
        if drawn == before:
            break
    return drawn


def is_seen(app, one, without):
    """Whether what is drawn differs from what is drawn `without`, a statement about the element.

    An answer of the service that comes in between may undo the statement, or replace the element, so it is tried again.
    """
    for _ in range(4):
        app.settle(one.page)
        with contextlib.suppress(Error):
            element = one.element_handle()
            drawn = stable(element)
            element.evaluate(without)
            if stable(element) != drawn:
                return True
    return False


# Whether an element has the system's pair of colours for what is chosen.
IS_CHOSEN = """one => {
    const probe = document.createElement("i");
    document.body.append(probe);
    const [given, wanted] = [one, probe].map(element => {
        if (element === probe) element.style.cssText = "forced-color-adjust: none; color: HighlightText; background-color: Highlight";
        const { color, backgroundColor } = getComputedStyle(element);
        return `${color} on ${backgroundColor}`;
    });
    probe.remove();
    return given === wanted;
}"""


# Words that cannot be read where colours are forced: the browser lays a plate of the page's colour behind words, unless their colours are
# left alone; then they stand on the nearest background.
UNREADABLE = """() => {
    const parts = color => { const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number); return { rgb: [r, g, b], a }; };
    const light = rgb => rgb.map(one => one / 255).map(one => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
        .reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
    const probe = document.createElement("i");
    probe.style.cssText = "color: Canvas; forced-color-adjust: none";
    document.body.append(probe);
    const canvas = parts(getComputedStyle(probe).color).rgb;
    probe.remove();
    const behind = element => {
        if (getComputedStyle(element).forcedColorAdjust !== "none") return canvas;
        for (let one = element; one; one = one.parentElement) {
            const { rgb, a } = parts(getComputedStyle(one).backgroundColor);
            if (a > 0) return rgb;
        }
        return canvas;
    };
    const hasWords = element => [...element.childNodes].some(one => one.nodeType === 3 && one.data.trim() !== "");
    return [...document.querySelectorAll("body *")].filter(one => hasWords(one) && one.checkVisibility()
        && !one.closest("script, style, noscript, :disabled, [aria-disabled=true]")).filter(one => {
        const [front, back] = [parts(getComputedStyle(one).color).rgb, behind(one)].map(light).sort((one, other) => other - one);
        return (front + 0.05) / (back + 0.05) < 4.5;
    }).map(one => `${one.closest("button, a, label, div").outerHTML.slice(0, 120)}`);
}"""


@story("forced colours", "each word can be read where the system forces its colours", account=None)
def forced_words(app):
    problems, page = {}, app.sign_in(page=app.new_page(forced_colors="active"))
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        session = app.rpc("sessions.list", {"first": 1, "select": "{ id }"})["items"][0]["id"]
        for path in ("/sessions", f"/sessions/{session}", "/sessions/nouveau", "/clients", "/clients/1", "/prospects", "/prospects/1", "/calendrier",
                     "/calendrier?affichage=semaine", "/tableau-de-bord", "/profil", "/organisme", "/utilisateurs", "/comptage"):
            app.move(path, page)
            app.settle(page)
            if found := page.evaluate(UNREADABLE):
                problems[f"{path}, {scheme}"] = found
            if path in ("/sessions/nouveau", "/calendrier?affichage=semaine"):
                app.shot(f"forced-words-{scheme}{path.replace('/', '-')}", page)
        app.move(f"/sessions/{session}", page)
        page.get_by_role("button", name="Supprimer").click()
        expect(page.get_by_role("alertdialog")).to_be_visible()
        if found := page.evaluate(UNREADABLE):
            problems[f"a question, {scheme}"] = found
        app.shot(f"forced-words-{scheme}-question", page)
        page.keyboard.press("Escape")
        # A message of the app, and its way back.
        page.evaluate("""() => {
            const [text, button] = ["div", "button"].map(name => document.createElement(name));
            text.className = "message-text";
            text.append("Session supprimée", button);
            button.append("Annuler");
            document.querySelector("[role=status][aria-label=Message]").append(text);
        }""")
        if found := page.evaluate(UNREADABLE):
            problems[f"a message, {scheme}"] = found
        app.shot(f"forced-words-{scheme}-message", page)
    assert not problems, "\n    ".join(f"{path}: {found}" for path, found in problems.items())


@story("forced colours", "what is chosen, today, dots and legends are seen where the system forces its colours", account=None)
def forced_colours(app):
    page = app.sign_in(page=app.new_page(forced_colors="active"))
    problems = []

    def check(words, one, without):
        expect(one).to_be_visible()
        if not is_seen(app, one, without):
            problems.append(words)

    def check_chosen(words, one):
        expect(one).to_be_visible()
        if not one.evaluate(IS_CHOSEN):
            problems.append(words)

    current = "one => one.removeAttribute('aria-current')"
    check("the navigation", page.get_by_role("navigation", name="Navigation principale").locator("[aria-current]").first, current)
    check("the month", page.get_by_role("button", name="Ce mois-ci"), "one => one.setAttribute('aria-pressed', 'false')")
    if not app.is_phone:
        check("a choice", page.get_by_role("radiogroup", name="Modalité").locator(".segment").first, "one => { one.querySelector('input').checked = false; }")
    app.move("/calendrier")
    today = page.locator(".month-day.today")
    check("today", today, "one => one.classList.remove('today')")
    if app.is_phone:
        check("the kind of a dot", page.locator(".dot.remote").first, "one => one.classList.remove('remote')")
        if page.locator(".dot.remote").first.evaluate("one => getComputedStyle(one).backgroundColor") != page.evaluate(
                "getComputedStyle(document.documentElement).backgroundColor"):
            problems.append("a dot that is hollow")
        check("the dots of a day", page.locator(".dots:has(.dot)").last,
              "one => [...one.children].forEach(dot => { dot.style.visibility = 'hidden'; })")
        check("the chosen day", page.locator(".month-day[aria-selected=true] .month-figure"),
              "one => one.parentElement.setAttribute('aria-selected', 'false')")
    app.move("/tableau-de-bord")
    legends = page.locator(".legend-one")
    expect(legends.first).to_be_visible()
    for at in range(legends.count()):
        check(f"legend {at + 1}", legends.nth(at), """one => {
            const sheet = new CSSStyleSheet();
            sheet.replaceSync(".unmarked::before { visibility: hidden }");
            document.adoptedStyleSheets = [sheet];
            one.classList.add("unmarked");
        }""")
    expect(page.locator(".bar.ca, .bar.margin").first).to_be_attached()
    app.shot("forced")
    app.move("/clients")
    check_chosen("the list of clients among the tabs", page.get_by_role("navigation", name="Clients et prospects").locator("[aria-current] span"))
    letter = page.get_by_role("navigation", name="Index alphabétique").get_by_role("button").last
    letter.click()
    expect(letter).to_have_attribute("aria-current", "true")
    check_chosen("the letter of the index", letter)
    page.keyboard.press("Control+k")
    check_chosen("the page of the palette", page.get_by_role("option", selected=True))
    app.shot("forced-palette")
    page.keyboard.press("Escape")
    if not app.is_phone:
        # Where a session would be dropped.
        app.move("/calendrier")
        day = page.get_by_role("gridcell").nth(3)
        expect(day).to_be_visible()
        app.settle()
        plain = stable(day)
        day.evaluate("one => one.classList.add('drop')")
        if stable(day) == plain:
            problems.append("where a session would be dropped")
        app.move("/clients")
        page.get_by_role("main").get_by_role("list", name="Clients").get_by_role("listitem").first.get_by_role("link").click()
        check("the row of the record", page.get_by_role("complementary", name="Liste").locator(".row[aria-current]"), current)
        app.shot("forced-beside")
    assert not problems, f"not seen: {', '.join(problems)}"
