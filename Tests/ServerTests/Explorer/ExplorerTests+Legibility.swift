import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

extension ExplorerTests {
    @Test func `the page is legible in light and dark, at any width and for screen readers`() async throws {
        let server = try await TestServer.running()
        let browser = try await Browser()
        try await opened("sessions.create", in: browser, at: server)
        try await signIn(browser)
        try await browser.click("#call [type=submit]")
        try await runs(browser)
        for dark in [false, true] {
            try await browser.prefer(dark: dark)
            // Colours change in a transition.
            try await eventually("nothing moves") {
                try await browser.value("document.getAnimations().length") == 0
            }
            let ground = try await browser.value("getComputedStyle(document.body).backgroundColor").text ?? ""
            #expect(ground == (dark ? "rgb(15, 18, 24)" : "rgb(246, 247, 249)"))
            for tab in ["answer", "code", "history", "reference", "events"] {
                try await browser.run("document.getElementById('tab-\(tab)').click()")
                try await eventually("nothing moves") {
                    try await browser.value("document.getAnimations().length") == 0
                }
                let faint = try await browser.run(Self.faintTexts).array
                #expect(faint == [], "\(dark ? "dark" : "light"), \(tab): \(faint.map(\.json))")
            }
        }
        #expect(try await browser.run(Self.unnamed).array == [])
        for width in [360, 768, 1280] {
            try await browser.emulate(width: width, height: 740)
            let overflow = try await browser.value("document.documentElement.scrollWidth - innerWidth").int ?? 1
            #expect(overflow <= 0, "at \(width) px")
        }
        // The user's choice overrides the system's.
        try await browser.emulate(width: 1280, height: 800)
        try await browser.run("document.getElementById('theme').click()")
        #expect(try await browser.value("document.documentElement.dataset.theme") == "light")
        #expect(try await browser.console() == [])
        try await browser.close()
    }

    /// Texts whose contrast with their background is below WCAG's 4.5, with that contrast.
    static let faintTexts = """
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
        """

    /// Elements without a name for screen readers, and ids that occur twice.
    private static let unnamed = """
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
        """
}
