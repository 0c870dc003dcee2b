"""Serving, and that the shell works under its policy."""
import json
import urllib.request

from harness import expect, story


def headers(app, path, **given):
    request = urllib.request.Request(app.url + path, headers=given)
    with urllib.request.urlopen(request) as response:
        return {name.lower(): value for name, value in response.headers.items()}


@story("serving", "the shell has its policy, and its files are kept for a year", devices=["desktop"], account=None)
def shell(app):
    shell = headers(app, "/")
    for part in ("default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'"):
        assert part in shell["content-security-policy"], shell
    assert shell["cache-control"] == "no-cache" and shell["etag"], shell
    for path in ("/sessions", "/sessions/1/dupliquer", "/ecoles/nouveau", "/tableau-de-bord", "/attente"):
        assert headers(app, path)["etag"] == shell["etag"], path
    app.go("/")
    for path in app.page.evaluate("[...document.querySelectorAll('script[src], link[rel=stylesheet]')].map(e => e.src || e.href)"):
        assert "immutable" in headers(app, path.removeprefix(app.url))["cache-control"], path
    manifest = json.load(urllib.request.urlopen(app.url + "/manifest.webmanifest"))
    assert {icon["sizes"] for icon in manifest["icons"]} >= {"192x192", "512x512"}
    assert any(icon["purpose"] == "maskable" for icon in manifest["icons"])
    for icon in manifest["icons"]:
        assert headers(app, icon["src"])["content-type"] == icon["type"], icon


@story("serving", "the page shows something under its policy, without an error on the console", account=None)
def no_violation(app):
    app.go("/")
    expect(app.page.get_by_role("heading", level=1)).to_be_visible()
    assert app.page.title(), "the page has no title"
    assert app.page.evaluate("document.documentElement.lang") == "fr"


@story("serving", "a later screen is not seen without its styles, which are asked for again after a failure", devices=["desktop"], account=None)
def later_styles(app):
    # A service worker would have them already.
    page = app.new_page(service_workers="block")
    app.allow_console("ERR_FAILED|no styles|[Ss]ervice ?[Ww]orker")
    failing, asked = [True], []

    def styles(route):
        asked.append(route.request.url)
        if failing:
            route.abort()
        else:
            route.continue_()

    page.route("**/app/later-*.css", styles)
    app.sign_in(page=page)
    row = page.get_by_role("main").get_by_role("list", name="Sessions").get_by_role("listitem").first.get_by_role("link")
    expect(row).to_be_visible()
    row.click()
    expect(page.get_by_role("heading", name="Page indisponible")).to_be_visible()
    assert asked and not page.evaluate("document.getElementById('later').sheet"), asked
    page.evaluate("""() => {
        window.bare = false;
        new MutationObserver(() => {
            if (document.querySelector(".record-cards") && !document.getElementById("later").sheet) window.bare = true;
        }).observe(document.body, { childList: true, subtree: true });
    }""")
    failing.clear()
    before = len(asked)
    page.get_by_role("main").get_by_role("button", name="Réessayer").click()
    expect(page.get_by_role("region", name="Date et horaires")).to_be_visible()
    assert len(asked) == before + 1 and not page.evaluate("window.bare"), asked
