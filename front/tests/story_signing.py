"""The page on which documents are signed: with a finger on a phone, with the keyboard alone, in light and dark."""
import pathlib
import re
import subprocess
import tempfile
import time
import urllib.request

from explorer_page import is_equal
from harness import expect, new_word, story
from story_explorer_page import FAINT

# Elements without a name for screen readers.
UNNAMED = """() => [...document.querySelectorAll('input:not([type=hidden])')].filter(one => !one.labels.length)
    .concat([...document.querySelectorAll('button, a, canvas, object')]
      .filter(one => !(one.getAttribute('aria-label') || one.textContent.trim())))
    .map(one => one.outerHTML.slice(0, 80))"""


class Signing:
    """A contract that somebody is asked to sign, and the page of the link."""

    def __init__(self, app):
        self.app, self.name = app, f"Marie {new_word()}"
        customer = app.rpc("clients.create", {"values": {"raison_sociale": f"Librairie {self.name}"}})["id"]
        session = app.rpc("sessions.create", {"values": {
            "module": "SwiftUI avancé", "date": "2026-01-12", "debut": "09:00", "fin": "17:00", "modalite": "P", "client_id": customer,
            "tarif_client": 1250}})["id"]
        self.record = app.rpc("signatures.demander", {
            "document": {"methode": "sessions.convention", "params": {"id": session}},
            "signataires": [{"nom": self.name, "email": f"{new_word()}@exemple.fr"}]})["id"]
        end = time.monotonic() + 20
        # The server of the stories writes its mails to its log.
        while not (links := re.findall(rf"Bonjour {self.name},.*?(/signatures/[\w-]+)", app.server.log())):
            assert time.monotonic() < end, "no mail was written to the log"
            time.sleep(0.1)
        self.link = links[-1]

    def open(self):
        self.app.go(self.link)
        expect(self.app.page.locator("#drawing")).to_be_visible()
        return self.app.page

    def signatory(self):
        return self.app.rpc("signatories.list", {
            "where": {"name": self.name}, "select": "{ opened_at signed_at signed_name }"})["items"][0]

    def document(self):
        return urllib.request.urlopen(f"{self.app.url}{self.link}/document", timeout=30).read()


def evidence(document):
    """The text of the last page of a document, and the bytes of the pictures on it."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "document.pdf"
        file.write_bytes(document)
        told = subprocess.run(["pdfinfo", file], check=True, capture_output=True, text=True).stdout
        last = re.search(r"^Pages:\s+(\d+)", told, re.MULTILINE)[1]
        text = subprocess.run(["pdftotext", "-f", last, file, "-"], check=True, capture_output=True, text=True).stdout
        subprocess.run(["pdfimages", "-png", "-f", last, file, pathlib.Path(folder) / "picture"], check=True)
        return text, [one.read_bytes() for one in sorted(pathlib.Path(folder).glob("picture*.png"))]


@story("signing", "a person draws a signature with a finger on a phone, and it stands in the signed document", devices=["phone"], account=None)
def finger(app):
    signing = Signing(app)
    shown = signing.document()
    page = signing.open()
    is_equal(page.evaluate("document.documentElement.lang"), "fr")
    left, top, width, height = page.evaluate("""() => {
        const pad = document.getElementById('pad');
        pad.scrollIntoView({ block: 'center' });
        const { left, top, width, height } = pad.getBoundingClientRect();
        return [left, top, width, height];
    }""")
    touches = page.context.new_cdp_session(page)
    for step in range(10):
        point = {"x": left + width * (0.1 + 0.08 * step), "y": top + height * (0.3 if step % 2 else 0.7)}
        touches.send("Input.dispatchTouchEvent", {"type": "touchMove" if step else "touchStart", "touchPoints": [point]})
    touches.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    # Without the consent nothing is sent.
    page.locator("[type=submit]").click()
    assert not page.evaluate("document.querySelector('form').checkValidity()")
    page.locator("#consent").click()
    page.locator("[type=submit]").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^Merci"))
    signed = signing.document()
    assert signed.startswith(shown) and len(signed) > len(shown)
    text, pictures = evidence(signed)
    assert "Sans tracé" not in text and any(len(picture) > 500 for picture in pictures), (text, [len(one) for one in pictures])


@story("signing", "the page is used with the keyboard alone, and then the name stands for the signature", devices=["desktop"], account=None)
def keys(app):
    signing = Signing(app)
    page = signing.open()
    page.locator("#name").focus()
    is_equal(signing.signatory()["opened_at"], None)
    page.keyboard.press("Tab")
    end = time.monotonic() + 10
    while not signing.signatory()["opened_at"]:
        assert time.monotonic() < end, "nothing notes that the page is in use"
        page.wait_for_timeout(50)
    expect(page.locator("#clear")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#consent")).to_be_focused()
    for key in ("Space", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("^Merci"))
    is_equal(signing.signatory()["signed_name"], signing.name)
    assert "Sans tracé" in evidence(signing.document())[0]


@story("signing", "the page is legible in light and dark, at any width and for screen readers", devices=["phone"], account=None)
def legible(app):
    page = Signing(app).open()
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        is_equal(page.evaluate(FAINT), [], theme)
    for width in (320, 390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        app.assert_no_sideways_scrolling()
    is_equal(page.evaluate(UNNAMED), [])
