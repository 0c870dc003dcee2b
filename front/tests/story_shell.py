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
