"""What the stories of the explorer share: its page, and steps within it."""
import contextlib
import json
import re
import uuid

from harness import ACCOUNTS, expect

# What a script of `script` can use: set(path, value), execute(), which waits for the response, open(method), until(what, condition), the
# bodies `sent`, and window.answering, which can delay a call or respond to it.
STEPS = """
const by = id => document.getElementById(id);
const until = async (what, condition) => {
  for (const end = Date.now() + 25_000; !condition();) {
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise(done => setTimeout(done, 5));
  }
};
const at = path => document.querySelector(`[data-path="${path}"]`);
const change = (input, value) => {
  input.value = value;
  for (const name of ['input', 'change']) input.dispatchEvent(new Event(name, { bubbles: true }));
};
const set = (path, value) => change(at(path), value);
const setJSON = text => { by('as-json').click(); change(by('params'), text); };
const execute = async () => {
  document.querySelector('#call [type=submit]').click();
  await until('an answer', () => /good|bad/.test(by('outcome').className) || by('form-error').textContent);
};
const open = async name => {
  location.hash = `#${name}`;
  await until(name, () => by('name').textContent === name);
};
if (!window.sent) {
  window.sent = [];
  const real = window.fetch;
  window.fetch = async (url, options) => {
    if (options?.body) sent.push(options.body);
    return await window.answering?.(options?.body ?? '') ?? real(url, options);
  };
}
"""


def opened(app, method, account="admin"):
    """The explorer at a method, signed in through its own dialog."""
    page = app.page
    app.go(f"/explorer#{method}")
    expect(page.get_by_role("heading", name=method)).to_be_visible()
    if account:
        page.get_by_role("button", name="Se connecter").click()
        page.get_by_role("dialog").get_by_role("button", name=ACCOUNTS[account]).click()
        expect(page.get_by_role("button", name="Se déconnecter")).to_be_visible()
    return page


def field(page, name):
    """The input of a parameter."""
    return page.get_by_role("textbox", name=re.compile(rf"^{name}\b"))


def run(page):
    page.get_by_role("button", name="Exécuter").click()


def script(page, text, given=None):
    """Runs an asynchronous script with the steps in the page, and returns its result."""
    return page.evaluate(f"async given => {{ {STEPS} {text} }}", given)


def last_sent(page):
    """The params of the last call, as text. Only after a script."""
    return page.evaluate("""sent.at(-1).replace(/^.*?"params": /, '').slice(0, -1)""")


def is_equal(found, expected, what=""):
    assert found == expected, f"{what} {json.dumps(found, ensure_ascii=False)} is not {json.dumps(expected, ensure_ascii=False)}"


class Records:
    """Records of one story, which it finds by their mark."""

    def __init__(self, app):
        self.app, self.made = app, []
        self.mark = "zq" + re.sub("[0-9]", "", uuid.uuid4().hex) + uuid.uuid4().hex[:6]

    def create(self, table, values):
        record = self.app.rpc(f"{table}.create", {"values": values, "select": "{ id }"})["id"]
        self.made.append((table, record))
        return record

    def trainer(self, **values):
        return self.create("formateurs", {"prenom": "Élodie", "nom": f"Dupré {self.mark}", **values})

    def session(self, **values):
        return self.create("sessions", {
            "module": f"Module {self.mark}", "date": "2026-01-12", "debut": "09:00", "fin": "17:00", "modalite": "P", **values})


@contextlib.contextmanager
def records(app):
    """Records that are gone after the story."""
    own = Records(app)
    yield own
    for table, record in reversed(own.made):
        app.rpc(f"{table}.delete", {"id": record})
