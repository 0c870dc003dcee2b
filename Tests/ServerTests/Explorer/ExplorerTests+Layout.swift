import DomainKit
import JSON
import TestPostgres
import Testing

/// The layout of the page.
extension ExplorerTests {
    @Test func `no element covers another at any width, and fields keep their distance`() async throws {
        let server = try await TestServer.running()
        let browser = try await Browser()
        try await opened("sessions.list", in: browser, at: server)
        try await signIn(browser)
        for width in [801, 850, 900, 950, 1000, 1280] {
            try await browser.emulate(width: width, height: 800)
            let found = try await browser.run(
                """
                const box = document.getElementById('filter').getBoundingClientRect();
                const header = document.querySelector('header').getBoundingClientRect();
                return [box.top >= header.bottom, document.elementFromPoint(box.left + 8, box.top + 3)?.id, header.height < 60,
                  document.documentElement.scrollHeight <= innerHeight];
                """)
            #expect(found == [true, "filter", true, true], "at \(width) px")
        }
        for width in [320, 375] {
            try await browser.emulate(width: width, height: 700)
            let tops = try await browser.value(
                "['theme', 'sign-out'].map(id => Math.round(document.getElementById(id).getBoundingClientRect().bottom))"
            )
            #expect(abs((tops[0].int ?? 0) - (tops[1].int ?? 999)) < 8, "one row at \(width) px: \(tops.json)")
            #expect(try await browser.value("document.documentElement.scrollWidth - innerWidth").int ?? 1 <= 0)
        }
        for width in [1280, 1920] {
            try await browser.emulate(width: width, height: 900)
            let near = try await browser.run(
                """
                const items = [...document.querySelectorAll('.picker > div > ul > li')];
                return items.filter((item, index) => {
                  const text = item.querySelector('label').getBoundingClientRect(), next = items[index + 1]?.getBoundingClientRect();
                  return next?.top === item.getBoundingClientRect().top && next.left - text.right < 6;
                }).map(item => item.textContent);
                """)
            #expect(near.array == [], "at \(width) px")
        }
        try await browser.prefer(dark: true)
        let chosen = try await browser.run(
            """
            const light = element => {
              const [r, g, b] = getComputedStyle(element).backgroundColor.match(/[\\d.]+/g).map(c => c / 255)
                .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
              return r * 0.2126 + g * 0.7152 + b * 0.0722 + 0.05;
            };
            await Promise.all(document.getAnimations().map(one => one.finished.catch(() => {})));
            const pill = document.querySelector('.choice :checked + span');
            return light(pill) / light(pill.closest('.choice'));
            """)
        #expect(Double(chosen.json) ?? 0 > 3, "the chosen half is told by its ground")
        try await browser.prefer(dark: false)

        // Two problems of different length do not move the inputs beside each other.
        try await browser.emulate(width: 1280, height: 900)
        let lines = try await script(
            browser,
            """
            await open('sessions.create');
            set('/values/tarif_client', '-5');
            set('/values/tarif_sous_traitant', 'beaucoup trop');
            await execute();
            const inputs = [...document.querySelectorAll('.values > .field > [data-path]')].map(one => one.getBoundingClientRect());
            return inputs.filter((box, index) => index % 2 === 0 && index + 1 < inputs.length)
              .map((box, index) => box.top - inputs[2 * index + 1].top);
            """)
        #expect(lines.array.count == 7)
        #expect(lines.array.allSatisfy { abs(Double($0.json) ?? 9) < 1 }, "\(lines.json)")
        #expect(
            try await browser.run(
                """
                const hidden = [...document.styleSheets].flatMap(sheet => [...sheet.cssRules])
                  .filter(rule => rule.media?.mediaText === '(pointer: coarse)').map(rule => rule.cssText).join();
                return [hidden.includes('.hotkey'), document.querySelector('.hotkey').checkVisibility()];
                """) == [true, true], "keys are for those who have some")
        #expect(
            try await browser.value("getComputedStyle(document.getElementById('table')).backgroundAttachment")
                == "local, local, scroll, scroll", "shadows where a table goes on")
        #expect(try await browser.console() == [])
        try await browser.close()
    }
}
