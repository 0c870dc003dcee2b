import Testing
import TypeScriptClient

@testable import RPCServer

/// The TypeScript types of lists, objects and conflicts. `ServerTests` compiles the whole client.
@Suite struct TypeScriptTypeTests {
    @Test(arguments: [
        """
        export interface KitsCreate {
          /** Code. */
          code: string;
          /** Contenu. */
          contents: readonly ({
            /** Article. */
            sku: string;
            /** Combien. */
            quantity?: number | null;
            /** Remarque. */
            note?: string | null;
          })[];
          /** Images. */
          images?: readonly string[] | null;
          /** Réglages. */
          settings?: { [key: string]: any } | readonly unknown[] | string | number | boolean | null;
          /** Sens. */
          delta?: -1 | 1 | null;

        """,
        """
          lines?: readonly string[] | null;

        """,
        """
          reason: "lent";
          /** Le prêt. */
          loan_id: number;
          /** Jusqu’à. */
          until?: string | null;

        """,
        """
          reason: "state";
          /** L’appel d’une transaction, comme un pointeur JSON\u{202F}: /calls/2. */
          path?: string;
          request_id: string;
          [key: string]: any;

        """,
    ])
    func `lists, objects, sets of numbers and conflicts have exact types`(text: String) async throws {
        let source = TypeScriptClient(description: try await Bookshop.service().description.value).source
        #expect(source.contains(text), "\(source.prefix(20_000))")
    }

    @Test func `a record has its lists and objects as they are stored`() async throws {
        let source = TypeScriptClient(description: try await Bookshop.service().description.value).source
        let record = try #require(source.split(separator: "export interface Kits {").last?.prefix(600))
        #expect(record.contains("  contents: ({\n    /** Article. */\n    sku: string;"), "\(record)")
    }
}
