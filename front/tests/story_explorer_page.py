"""The explorer as a page: used with the keyboard alone, its layout, and what it is legible by."""
from explorer_page import is_equal, opened, run, script
from harness import ACCOUNTS, PASSWORD, expect, story

# Texts whose contrast with their background is below WCAG's 4.5, with that contrast.
FAINT = """() => {
    const parts = colour => (colour.match(/[\\d.]+/g) ?? []).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
      .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = element => {
      for (let at = element; at; at = at.parentElement) {
        const colour = parts(getComputedStyle(at).backgroundColor);
        if (colour.length === 3 || colour[3] === 1) return colour;
      }
      return [255, 255, 255];
    };
    const faint = [];
    for (const element of document.body.querySelectorAll('*')) {
      const isText = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
      if (!isText || !element.checkVisibility() || element.closest('script, style, .unseen, .skip, .mirror, option')) continue;
      const [one, other] = [light(parts(getComputedStyle(element).color)), light(behind(element))];
      const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      if (contrast < 4.5) faint.push([element.tagName, element.className, element.textContent.slice(0, 30), contrast]);
    }
    return faint;
}"""
# Elements without a name for screen readers, and ids that occur twice.
UNNAMED = """() => {
    const faults = [...document.querySelectorAll('input, select, textarea')]
      .filter(one => !one.labels?.length && !one.getAttribute('aria-label')).map(one => one.outerHTML.slice(0, 80));
    for (const button of document.querySelectorAll('button')) {
      if (!(button.getAttribute('aria-label') || button.textContent.trim())) faults.push(button.outerHTML.slice(0, 80));
    }
    const ids = [...document.querySelectorAll('[id]')].map(one => one.id);
    faults.push(...ids.filter((id, index) => ids.indexOf(id) !== index));
    for (const attribute of ['aria-controls', 'aria-labelledby', 'aria-describedby', 'for']) {
      for (const one of document.querySelectorAll(`[${attribute}]`)) {
        for (const id of one.getAttribute(attribute).split(' ')) if (!document.getElementById(id)) faults.push(`${attribute} ${id}`);
      }
    }
    if (document.querySelectorAll('main').length !== 1 || !document.querySelector('nav[aria-label]')) faults.push('landmarks');
    if (!document.querySelector('#outcome[role=status]')) faults.push('outcomes are not told');
    return faults;
}"""
RESTED = "() => document.getAnimations().length === 0"


def focus(page):
    return page.evaluate("document.activeElement.id")


def size(page, width, height):
    page.set_viewport_size({"width": width, "height": height})


@story("explorer", "the page works with the keyboard alone and shows a mistake at its field", devices=["desktop"], account=None)
def keyboard(app):
    page = opened(app, "auth.me", account=None)
    press, type_ = page.keyboard.press, page.keyboard.type
    press("Tab")
    is_equal(page.evaluate("document.activeElement.className"), "skip")
    # The link that skips the list works by the keyboard, and the address still names the method.
    press("Enter")
    is_equal(page.evaluate("[document.activeElement.id, location.hash]"), ["main", "#auth.me"])
    app.go("/connexion")
    opened(app, "auth.me", account=None)
    press("Tab")
    press("Tab")
    is_equal(focus(page), "sign-in")
    press("Enter")
    is_equal(focus(page), "email")
    type_(ACCOUNTS["admin"])
    # The demo accounts stand before the inputs.
    press("Tab")
    is_equal(focus(page), "password")
    type_(PASSWORD)
    press("Enter")
    expect(page.locator("#sign-out")).to_be_visible()
    is_equal(focus(page), "sign-out")

    press("/")
    is_equal(focus(page), "filter")
    type_("creee session")
    expect(page.locator("#methods button")).to_have_count(0)
    expect(page.locator("#found")).to_have_text("0 méthode")
    page.evaluate("document.getElementById('filter').value = ''")
    type_("cree session")
    press("Enter")
    expect(page.locator("#name")).to_have_text("sessions.create")
    is_equal(focus(page), "main")
    press("PageDown")
    page.wait_for_function("() => document.getElementById('main').scrollTop > 0")

    tariff = page.locator("[data-path='/values/tarif_client']")
    tariff.focus()
    type_("-5")
    press("Control+Enter")
    expect(page.locator("#outcome")).to_contain_text("Erreur −32602 · ")
    expect(tariff).to_have_attribute("aria-invalid", "true")
    notes = tariff.get_attribute("aria-describedby").split(" ")
    expect(page.locator(f"[id='{notes[0]}']")).to_have_text("Donnez un nombre supérieur ou égal à 0.")
    # The five required ones, too.
    expect(page.locator("[aria-invalid]")).to_have_count(6)
    expect(page.locator("#problems li")).to_have_count(6)

    # Each method has an entry in the browser's history and an address.
    for way, name in (("history.back()", "auth.me"), ("history.forward()", "sessions.create"),
                      ("location.hash = '#clients.get'", "clients.get"), ("history.back()", "sessions.create")):
        page.evaluate(f"() => {{ {way}; }}")
        expect(page.locator("#name")).to_have_text(name)

    # The Tab key stops once at all tabs, and the arrow keys move between them.
    page.locator("#tab-answer").focus()
    press("ArrowRight")
    is_equal(focus(page), "tab-code")
    expect(page.locator("#panel-code")).to_be_visible()
    is_equal(page.evaluate("[...document.querySelectorAll('[role=tab]')].filter(one => one.tabIndex === 0).length"), 1)


@story("explorer", "no element covers another at any width, and fields keep their distance", devices=["desktop"], account=None)
def layout(app):
    page = opened(app, "sessions.list")
    for width in (801, 850, 900, 950, 1000, 1280):
        size(page, width, 800)
        found = page.evaluate("""() => {
            const box = document.getElementById('filter').getBoundingClientRect();
            const header = document.querySelector('header').getBoundingClientRect();
            return [box.top >= header.bottom, document.elementFromPoint(box.left + 8, box.top + 3)?.id, header.height < 60,
              document.documentElement.scrollHeight <= innerHeight];
        }""")
        is_equal(found, [True, "filter", True, True], f"at {width} px")
    for width in (320, 375):
        size(page, width, 700)
        theme, leave = page.evaluate(
            "['theme', 'sign-out'].map(id => Math.round(document.getElementById(id).getBoundingClientRect().bottom))")
        assert abs(theme - leave) < 8, f"not one row at {width} px: {theme} {leave}"
        app.assert_no_sideways_scrolling()
    for width in (1280, 1920):
        size(page, width, 900)
        near = page.evaluate("""() => {
            const items = [...document.querySelectorAll('.picker > div > ul > li')];
            return items.filter((item, index) => {
              const text = item.querySelector('label').getBoundingClientRect(), next = items[index + 1]?.getBoundingClientRect();
              return next?.top === item.getBoundingClientRect().top && next.left - text.right < 6;
            }).map(item => item.textContent);
        }""")
        is_equal(near, [], f"at {width} px")
    page.emulate_media(color_scheme="dark")
    chosen = page.evaluate("""async () => {
        const light = element => {
          const [r, g, b] = getComputedStyle(element).backgroundColor.match(/[\\d.]+/g).map(c => c / 255)
            .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
          return r * 0.2126 + g * 0.7152 + b * 0.0722 + 0.05;
        };
        await Promise.all(document.getAnimations().map(one => one.finished.catch(() => {})));
        const pill = document.querySelector('.choice :checked + span');
        return light(pill) / light(pill.closest('.choice'));
    }""")
    assert chosen > 3, f"the chosen half is not told by its ground: {chosen}"
    page.emulate_media(color_scheme="light")

    # Two problems of different length do not move the inputs beside each other.
    size(page, 1280, 900)
    lines = script(page, """
        await open('sessions.create');
        set('/values/tarif_client', '-5');
        set('/values/tarif_sous_traitant', 'beaucoup trop');
        await execute();
        const inputs = [...document.querySelectorAll('.values > .field > [data-path]')].map(one => one.getBoundingClientRect());
        return inputs.filter((box, index) => index % 2 === 0 && index + 1 < inputs.length)
          .map((box, index) => box.top - inputs[2 * index + 1].top);""")
    assert len(lines) == 7 and all(abs(line) < 1 for line in lines), lines
    # Keys are for those who have some.
    hidden = page.evaluate("""() => {
        const hidden = [...document.styleSheets].flatMap(sheet => [...sheet.cssRules])
          .filter(rule => rule.media?.mediaText === '(pointer: coarse)').map(rule => rule.cssText).join();
        return [hidden.includes('.hotkey'), document.querySelector('.hotkey').checkVisibility()];
    }""")
    is_equal(hidden, [True, True])
    # Shadows where a table goes on.
    is_equal(page.evaluate("getComputedStyle(document.getElementById('table')).backgroundAttachment"), "local, local, scroll, scroll")


@story("explorer", "the page is legible in light and dark, at any width and for screen readers", devices=["desktop"], account=None)
def legible(app):
    page = opened(app, "sessions.create")
    run(page)
    expect(page.locator("#outcome")).to_have_class("bad")
    for theme, ground in (("light", "rgb(246, 247, 249)"), ("dark", "rgb(15, 18, 24)")):
        page.emulate_media(color_scheme=theme)
        # Colours change in a transition.
        page.wait_for_function(RESTED)
        is_equal(page.evaluate("getComputedStyle(document.body).backgroundColor"), ground)
        for tab in ("answer", "code", "history", "reference", "events"):
            page.locator(f"#tab-{tab}").click()
            page.wait_for_function(RESTED)
            is_equal(page.evaluate(FAINT), [], f"{theme}, {tab}")
    is_equal(page.evaluate(UNNAMED), [])
    for width in (360, 768, 1280):
        size(page, width, 740)
        app.assert_no_sideways_scrolling()
    # The user's choice overrides the system's.
    page.locator("#theme").click()
    is_equal(page.evaluate("document.documentElement.dataset.theme"), "light")
