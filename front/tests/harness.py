#!/usr/bin/env python3
"""Runs the stories of the front: what people do, in Chromium, on a server with demo data.

    front/tests/harness.py                       all stories
    front/tests/harness.py --thorough            each on phone and desktop, and those that measure time
    front/tests/harness.py US-03 conflit         the stories whose number, file or name contains one of these, on both
    front/tests/harness.py --device phone        on one device
    front/tests/harness.py --url URL             on a server that runs already, with demo data
    front/tests/harness.py --shots               keeps a picture of the end of each story, not only of those that fail

It takes the newest build of learntrack (or BUILD, or --binary FILE) and the front of .build/front. The pictures are in
.build/front-shots. A story is a function of a file story_*.py beside this one:

    from harness import expect, story

    @story("US-03", "a user searches a session")
    def search(app):
        app.go("/sessions")
        app.page.get_by_role("searchbox", name="Rechercher une session").fill("SwiftUI")
        expect(app.page.get_by_role("list", name="Sessions").get_by_role("listitem").first).to_contain_text("SwiftUI")
        app.axe()

A story fails by an exception, by an error on the console, and by a request to another origin.
"""
import argparse
import contextlib
import datetime
import importlib
import inspect
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import traceback
import uuid
import zlib
import zoneinfo

HERE = pathlib.Path(__file__).resolve().parent
ZONE = zoneinfo.ZoneInfo("Europe/Paris")
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
# The stories import this file by its name.
sys.modules.setdefault("harness", sys.modules[__name__])

import browser_tools  # noqa: E402

browser_tools.install()

from playwright.sync_api import Error, expect, sync_playwright  # noqa: E402, F401

from servers import ACCOUNTS, PASSWORD, OwnServer, RemoteServer, RPCError  # noqa: E402, F401

SHOTS = ROOT / ".build" / "front-shots"
DEVICES = {
    "phone": {
        "viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True},
    "desktop": {"viewport": {"width": 1280, "height": 800}},
}
# Whether the database of the account on this device has rows of each kind.
HAS_COPY = """async () => {
    const [one] = (await indexedDB.databases()).filter(({ name }) => name.startsWith("learntrack-"));
    if (!one) return false;
    const request = indexedDB.open(one.name);
    const database = await new Promise(resolve => { request.onsuccess = () => resolve(request.result); });
    const keys = database.transaction("rows").objectStore("rows").getAllKeys();
    await new Promise(resolve => { keys.onsuccess = resolve; });
    database.close();
    return ["sessions", "formateurs", "clients", "ecoles"].every(name => keys.result.some(key => key.startsWith(name)));
}"""
# What axe finds; nothing can be said of a page that changed meanwhile. A row of which a bar covers a part is scrolled, and no target
# that is too small.
AXE = """async chosen => {
    const { violations } = await axe.run(document, { runOnly: chosen, resultTypes: ["violations"] });
    const element = ({ target }) => document.querySelector(target[0]);
    if (violations.some(one => !one.nodes.every(element))) return null;
    const isLarge = node => {
        const box = element(node).getBoundingClientRect();
        return Math.min(box.width, box.height) >= 24;
    };
    return violations.map(one => (one.id === "target-size" ? { ...one, nodes: one.nodes.filter(node => !isLarge(node)) } : one))
        .filter(one => one.nodes.length > 0);
}"""
STORIES = []
# By what they were started with, beside the usual one.
SERVERS = {}
OPTIONS = argparse.Namespace()
expect.set_options(timeout=10_000)


def story(number, title, devices=None, account="admin", theme="light", alone=False):
    """Declares a story.

    - number: US-01 to US-26, or a word for what has no number.
    - devices: phone, desktop or both. Without them the story runs on both if it asks `app.is_phone`, because its steps differ there.
      Any other one runs on one of them, always the same; with --thorough, or when it is named, on both.
    - account: who has signed in when the story begins: admin or user; None: nobody has, and no page is open.
    - alone: the story measures time. It runs with --thorough or when it is named, and when no other does.
    """

    def declare(function):
        differs = "app.is_phone" in inspect.getsource(function)
        # By the title, so that a new story does not move the others. More often on a phone, because many stories are of desktops alone.
        usual = "desktop" if zlib.crc32(title.encode()) % 4 == 0 else "phone"
        for device in devices or DEVICES:
            is_usual = not alone and (bool(devices) or differs or device == usual)
            STORIES.append(Story(number, title, device, account, theme, function, alone, is_usual))
        return function

    return declare


def press_choice(radio):
    """Presses the words of a choice: the radio itself is hidden under them."""
    radio.locator("xpath=ancestor::label").click()
    expect(radio).to_be_checked()


def present_day():
    """The day that browsers have, also late in the evening."""
    return datetime.datetime.now(ZONE).date()


def new_word():
    """Nine letters that no other record has. Digits would be searched as those of a telephone number, and be equal to some."""
    return "".join(chr(ord("a") + int(digit, 16)) for digit in uuid.uuid4().hex[:9])


class Story:
    def __init__(self, number, title, device, account, theme, function, alone, is_usual):
        self.number, self.title, self.device, self.alone, self.is_usual = number, title, device, alone, is_usual
        self.account, self.theme, self.function = account, theme, function
        self.name = f"{number} {device}: {title}"
        self.file = function.__module__

    @property
    def shot(self):
        return SHOTS / (re.sub(r"\W+", "-", f"{self.file}-{self.function.__name__}-{self.device}-{self.theme}") + ".png")

    def is_one_of(self, words):
        text = f"{self.name} {self.file} {self.function.__name__}".lower()
        return not words or any(word.lower() in text for word in words)

    def run(self, browser, server, keeps_shot):
        """Returns what went wrong; nothing if all went well."""
        app = App(browser, server, self.device, self.theme)
        problems = []
        try:
            if self.account:
                app.sign_in(self.account)
            self.function(app)
        except (AssertionError, Error) as error:
            problems.append(f"{error}\n    at {place(error)}")
        except Exception:
            problems.append(traceback.format_exc())
        problems += app.problems()
        with contextlib.suppress(Error):
            if app.pages and (problems or keeps_shot):
                SHOTS.mkdir(parents=True, exist_ok=True)
                app.pages[-1].screenshot(path=self.shot)
        app.close()
        return problems


def place(error):
    """The line of the story that failed."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if pathlib.Path(frame.filename).name.startswith("story_")]
    return f"{pathlib.Path(frames[-1].filename).name}:{frames[-1].lineno}: {frames[-1].line}" if frames else "?"


class App:
    """What a story acts on: a browser of its own, its pages and the server."""

    def __init__(self, browser, server, device, theme):
        self.browser, self.server, self.device, self.theme = browser, server, device, theme
        self.url = server.url
        self.contexts, self.pages = [], []
        self.errors, self.foreign, self.allowed = [], [], []
        self.calls = set()

    @property
    def page(self):
        """The first page, which opens at its first use."""
        return self.pages[0] if self.pages else self.new_page()

    @property
    def is_phone(self):
        return self.device == "phone"

    def rpc(self, method, params=None, account="admin"):
        """Calls the server beside the pages, to prepare and to check."""
        return self.server.rpc(method, params, account)

    def wait_until_gone(self, entity, where):
        """Waits until the service has no record of these, for longer than a deletion can be taken back."""
        for _ in range(200):
            if not self.rpc(f"{entity}.list", {"where": where, "select": "{ id }"})["items"]:
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"{entity} where {where} are still there")

    def create_many(self, entity, values):
        """Makes records beside the pages, some in each call, and returns their ids."""
        return self.write_many(f"{entity}.create", [{"values": one, "select": "{ id }"} for one in values])

    def delete_many(self, entity, ids):
        self.write_many(f"{entity}.delete", [{"id": one} for one in ids])

    def write_many(self, method, params):
        ids = []
        for at in range(0, len(params), 50):
            calls = [{"method": method, "params": one} for one in params[at:at + 50]]
            ids += [one.get("id") for one in self.rpc("transaction.run", {"calls": calls})["results"]]
        return ids

    def serve(self, *arguments, demo=True, front=None, program=None):
        """Goes on with the server that was started with these arguments of `learntrack serve`, which the first story that asks for it
        starts. No page is open yet. Without demo data it has no accounts, and prints a link for the first administrator. `program`: one
        beside learntrack, such as that of the tests, which knows further domains."""
        assert not self.pages
        how = (arguments, demo, front, program)
        if how not in SERVERS:
            binary = pathlib.Path(OPTIONS.binary or newest_binary())
            SERVERS[how] = OwnServer(
                binary.with_name(program) if program else binary, front or OPTIONS.front, arguments, demo)
        self.server = SERVERS[how]
        self.url = self.server.url

    # Pages

    def new_page(self, context=None, **options):
        """A page in this context, as another tab; without one in a browser of its own, as another device. The options are those of
        Playwright's contexts, such as viewport and reduced_motion."""
        if context is None:
            context = self.browser.new_context(
                base_url=self.url, locale="fr-FR", timezone_id=ZONE.key, color_scheme=self.theme,
                **{"reduced_motion": "reduce", **DEVICES[self.device], **options})
            context.set_default_timeout(10_000)
            context.on("console", self.note_console)
            context.on("weberror", lambda error: self.errors.append(f"{error.error}"))
            context.on("request", self.note_request)
            for event in ("requestfinished", "requestfailed"):
                context.on(event, lambda request: self.calls.discard(request))
            self.contexts.append(context)
        page = context.new_page()
        self.pages.append(page)
        return page

    def go(self, path, page=None):
        """Opens a path, as a link from elsewhere or a reload does. The page may be about to leave a form whose write waits, which ends
        the opening of another one: then it is opened after that."""
        try:
            return (page or self.page).goto(self.url + path)
        except Error as error:
            if "ERR_ABORTED" not in str(error):
                raise
            return (page or self.page).goto(self.url + path)

    def move(self, path, page=None):
        """Follows a link to this path within the page."""
        (page or self.page).evaluate(
            """path => {
                const link = Object.assign(document.createElement("a"), { href: path, hidden: true });
                document.body.append(link);
                link.click();
                link.remove();
            }""", path)

    def settle(self, page=None):
        """Waits until the pages have made no call for a moment."""
        page, quiet = page or self.page, 0
        for _ in range(600):
            page.wait_for_timeout(50)
            quiet = 0 if self.calls else quiet + 1
            if quiet == 4:
                return
        raise AssertionError("the pages call without an end")

    def wait_for_copy(self, page=None):
        """Waits until the service worker has the page, and the device has its copy of the records."""
        page = page or self.page
        page.wait_for_function("() => navigator.serviceWorker.controller !== null", timeout=30_000)
        # Playwright does not wait for what an asynchronous function of wait_for_function answers.
        end = time.monotonic() + 30
        while not page.evaluate(HAS_COPY):
            assert time.monotonic() < end, "the device has no copy"
            page.wait_for_timeout(100)

    def try_again(self, place):
        """Presses Réessayer in this place. The page asks again by itself, too, and may be quicker."""
        with contextlib.suppress(Error):
            place.get_by_role("button", name="Réessayer").first.click(timeout=2_000)

    def sign_in(self, account="admin", page=None, path="/"):
        """Signs in by the call of the page, and opens a path. The account is a demo account or an address with the demo password."""
        page = page or self.page
        params = {"email": ACCOUNTS.get(account, account), "password": PASSWORD, "cookie": "session"}
        answer = page.context.request.post(
            self.url + "/rpc", data={"jsonrpc": "2.0", "id": 1, "method": "auth.login", "params": params}).json()
        if "error" in answer:
            raise RPCError(answer["error"])
        page.goto(self.url + path)
        expect(page.get_by_role("navigation", name="Navigation principale")).to_be_visible()
        return page

    def offline(self, is_offline=True):
        """Cuts the network of all pages, or joins it again."""
        # The second is what the browser says of a service worker whose script it was about to fetch.
        self.allow_console("ERR_INTERNET_DISCONNECTED|error occurred when fetching the script")
        for context in self.contexts:
            context.set_offline(is_offline)

    def shot(self, name, page=None):
        """Keeps a picture of a page."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        (page or self.page).screenshot(path=SHOTS / f"{name}-{self.device}-{self.theme}.png")

    # What fails a story by itself

    def allow_console(self, pattern):
        """Errors on the console that match are part of the story, such as those of a network that is cut."""
        self.allowed.append(re.compile(pattern))

    def note_console(self, message):
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location.get('url', '')})")

    def note_request(self, request):
        # The browser's own viewer of PDF files is a page of chrome.
        if not request.url.startswith((self.url + "/", "data:", "blob:", "chrome")):
            self.foreign.append(request.url)
        if request.url.endswith("/rpc"):
            self.calls.add(request)

    def problems(self):
        errors = [error for error in self.errors if not any(pattern.search(error) for pattern in self.allowed)]
        return [f"console: {error}" for error in errors] + [f"a request to {url}" for url in self.foreign]

    # Accessibility

    def axe(self, page=None, rules=None):
        """Fails on what axe finds serious or critical in WCAG 2.2 AA, or by these of its rules."""
        page = page or self.page
        if not page.evaluate("'axe' in window"):
            page.evaluate(browser_tools.axe())
        chosen = {"type": "rule", "values": rules} if rules else {
            "type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
        violations = None
        for _ in range(10):
            violations = page.evaluate(AXE, chosen)
            if violations is not None:
                break
            self.settle(page)
        assert violations is not None, "axe: the page never stays as it is"
        found = [
            f"{one['id']} ({one['impact']}): {one['help']}: "
            + "; ".join(f"{' '.join(map(str, node['target']))} {node['html'][:160]}" for node in one["nodes"][:4])
            for one in violations if one["impact"] in ("serious", "critical")]
        assert not found, "axe: " + "\n    ".join(found)

    def assert_no_sideways_scrolling(self, page=None):
        """Fails when the page is wider than its window."""
        width, room = (page or self.page).evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert width <= room, f"the page is {width} px wide in a window of {room} px"

    def close(self):
        for context in self.contexts:
            with contextlib.suppress(Error):
                # An answer that a story changes on its way may still be under way.
                for page in context.pages:
                    page.unroute_all(behavior="ignoreErrors")
                context.close()


# The runner


def newest_binary():
    build = os.environ.get("BUILD")
    found = [ROOT / ".build" / name / "learntrack" for name in ([build] if build else ["release", "debug"])]
    found = sorted((path for path in found if path.exists()), key=lambda path: path.stat().st_mtime)
    if not found:
        sys.exit("✘ front: there is no build of learntrack: run 'swift build' first, or give --binary or --url")
    return found[-1]


def run_each_device(stories):
    """Runs the stories of each device in a process of its own, with a server of its own, at the same time, since a browser mostly
    waits. Stories that measure time follow, one device after the other. Returns whether one of them failed."""
    processes, failed = [], False

    def start(device, *options):
        processes.append(subprocess.Popen([sys.executable, *sys.argv, "--device", device, *options]))
        return processes[-1]

    def stop(*_):
        for process in processes:
            process.terminate()
        sys.exit(1)

    signal.signal(signal.SIGTERM, stop)
    together = {story.device for story in stories if not story.alone}
    alone = {story.device for story in stories if story.alone}
    for process in [start(device, "--stories", "together") for device in DEVICES if device in together]:
        failed |= process.wait() != 0
    for device in DEVICES:
        if device in alone:
            failed |= start(device, "--stories", "alone").wait() != 0
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="parts of the number, name or file of the stories to run")
    parser.add_argument("--device", choices=DEVICES)
    parser.add_argument("--thorough", action="store_true", help="each story on both devices, and those that measure time")
    parser.add_argument("--stories", choices=["together", "alone"], help="only those that run beside others, or only those that measure time")
    parser.add_argument("--url", help="a server that runs already")
    parser.add_argument("--binary", help="the program to start")
    parser.add_argument("--front", default=str(ROOT / ".build" / "front"), help="the folder of the front")
    parser.add_argument("--shots", action="store_true", help="keep a picture of each story")
    parser.add_argument("--list", action="store_true", help="only list the stories")
    options = parser.parse_args(namespace=OPTIONS)

    for file in sorted(HERE.glob("story_*.py")):
        importlib.import_module(file.stem)
    stories = [
        story for story in STORIES
        if story.is_one_of(options.words) and options.device in (None, story.device)
        and (story.is_usual or options.thorough or options.words)
        and options.stories in (None, "alone" if story.alone else "together")]
    if not stories:
        sys.exit("✘ front: no story has this name")
    if options.list:
        print("\n".join(story.name for story in stories))
        return

    if not options.device and not options.url and len({story.device for story in stories}) > 1:
        sys.exit(run_each_device(stories))

    # The server and its folder go, too, when the stories are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    executable = browser_tools.chromium()
    server = RemoteServer(options.url) if options.url else OwnServer(options.binary or newest_binary(), options.front)
    failures, times = 0, []
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=executable, args=["--no-sandbox"] if os.geteuid() == 0 else [])
            for story in stories:
                began = time.monotonic()
                problems = story.run(browser, server, options.shots)
                failures += bool(problems)
                times.append((time.monotonic() - began, story.name))
                lines = [f"{'✘' if problems else '✔'} {story.name} ({times[-1][0]:.1f} s)"]
                lines += ["    " + problem.replace("\n", "\n    ") for problem in problems]
                if problems:
                    lines.append(f"    picture: {story.shot.relative_to(ROOT)}")
                # At once, because another process writes its stories to the same place.
                print("\n".join(lines), flush=True)
            browser.close()
    finally:
        for one in (server, *SERVERS.values()):
            one.stop()
    print(f"{len(stories)} stories{f' on a {options.device}' if options.device else ''}, {failures} failed, {sum(time for time, _ in times):.0f} s")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
