import Testing
import TextEncodings

@Suite struct EscapingTests {
    @Test func `HTML escaping leaves no markup and no end of an attribute`() {
        #expect("Suivi & <cie> \"à\" l'aube".escapedForHTML == "Suivi &amp; &lt;cie&gt; &quot;à&quot; l'aube")
    }

    @Test func `percent encoding keeps unreserved characters and those asked for`() {
        #expect("aZ09-._~".percentEncoded() == "aZ09-._~")
        #expect("é a@b+".percentEncoded(keeping: "@") == "%C3%A9%20a@b%2B")
        #expect("\r\n%".percentEncoded() == "%0D%0A%25")
    }
}
