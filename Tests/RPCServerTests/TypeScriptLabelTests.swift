import JSON
import Testing
import TypeScriptClient

/// What people read, in the comments and the constants of the TypeScript client.
@Suite struct TypeScriptLabelTests {
    private static let document = """
        {
          "methods": [{
            "name": "loans.extend", "summary": "Prolonge un prêt.", "x-label": "Prolonger",
            "params": [
              {"name": "days", "summary": "De combien.", "schema": {"type": "integer", "x-label": "Jours"}},
              {"name": "reason", "summary": "Motif, s’il est connu.", "schema": {
                "type": "string", "enum": ["rain", "other"], "x-label": "Motif", "x-labels": {"rain": "Pluie", "other": "Autre"}
              }}
            ],
            "result": {"name": "result", "schema": {"type": "null"}}
          }, {
            "name": "loans.list", "summary": "Les prêts.", "params": [],
            "result": {"name": "result", "schema": {"type": "null"}}
          }],
          "components": {"schemas": {
            "loans": {"type": "object", "x-table": true, "properties": {
              "id": {"type": "integer", "x-label": "Identifiant", "description": "Identifiant."},
              "until": {"type": "string", "x-label": "Fin", "description": "Dernier jour."},
              "day": {"type": "string", "x-label": "Jour", "description": "Jours ouvrés seulement."},
              "states": {"type": "array", "items": {
                "type": "string", "enum": ["out", "2"], "x-labels": {"out": "Dit \\"sorti\\"", "2": "Deux"}
              }, "x-label": "États", "description": ""},
              "plain": {"type": "string", "description": "Sans."}
            }},
            "loans_create": {"type": "object", "properties": {
              "until": {"type": "string", "x-label": "Fin"},
              "key": {"type": "string", "writeOnly": true, "x-label": "Clé", "description": "Jamais lue."}
            }}
          }}
        }
        """

    private static func source() throws -> String {
        TypeScriptClient(description: try JSONReader.read(document).value).source
    }

    @Test(arguments: [
        "/** Identifiant. */", "/** Fin – Dernier jour. */", "/** Jour – Jours ouvrés seulement. */", "/** États. */",
        "/** Sans. */", "/** Clé – Jamais lue. */", "/** Jours – De combien. */", "/** Motif, s’il est connu. */",
        "/** Prolonger – Prolonge un prêt. */", "/** Les prêts. */",
    ])
    func `a comment has the label, and the summary unless it begins with the label`(comment: String) throws {
        let source = try Self.source()
        #expect(source.contains(" \(comment)\n"), "\(source.prefix(4_000))")
    }

    @Test(arguments: [
        """
        export const labels = {
          loans: {
            id: "Identifiant",
            until: "Fin",
            day: "Jour",
            states: "États",
            key: "Clé",
          },
        } as const;
        """,
        """
        export const choices = {
          loans: {
            states: { out: "Dit \\"sorti\\"", "2": "Deux" },
          },
        } as const;
        """,
        """
        export const methodLabels = {
          loans: {
            extend: "Prolonger",
          },
        } as const;
        """,
        """
        export const parameterLabels = {
          loans: {
            extend: { days: "Jours", reason: "Motif" },
          },
        } as const;
        """,
        """
        export const parameterChoices = {
          loans: {
            extend: {
              reason: { rain: "Pluie", other: "Autre" },
            },
          },
        } as const;
        """,
    ])
    func `labels are constants by table and field, and by method and parameter`(constant: String) throws {
        let source = try Self.source()
        #expect(source.contains(constant), "\(source)")
    }

    @Test func `a document without labels has empty constants`() throws {
        let source = TypeScriptClient(description: ["methods": []]).source
        #expect(source.contains("export const labels = {} as const;\n"))
        #expect(source.contains("export const parameterChoices = {} as const;\n"))
    }
}
