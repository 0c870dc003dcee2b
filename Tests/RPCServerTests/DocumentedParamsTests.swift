import DomainKit
import JSON
import QueryCompiler
import TestSchema
import Testing

@testable import RPCServer

/// The description of the service agrees with what its methods accept.
@Suite struct DocumentedParamsTests {
    @Test func `the params of every example are accepted`() async throws {
        let service = try await Bookshop.service()
        for method in service.methods.methods {
            guard case .array(let given)? = method.example["params"] else { continue }
            let members = given.map { JSONObject.Member($0["name"]?.text ?? "", $0["value"] ?? .null) }
            #expect(problems(of: method, JSONObject(members)) == [], "\(method.name)")
        }
    }

    @Test(arguments: cases)
    func `params are accepted exactly if their schemas accept them`(_ item: Case) async throws {
        let service = try await Bookshop.service()
        let method = try service.methods.method(named: item.method)
        let validator = SchemaValidator(document: service.description.value)
        let params = JSONObject(try JSONText.object(item.params))
        var isDocumented = true
        for parameter in method.parameters {
            guard let value = params[parameter.name] else {
                isDocumented = isDocumented && !parameter.isRequired
                continue
            }
            isDocumented = try isDocumented && validator.accepts(value, parameter.schema(.init()))
        }
        #expect(isDocumented == item.isAccepted, "by its schema")
        #expect(problems(of: method, params).isEmpty == item.isAccepted, "by the service")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let params: String
        let isAccepted: Bool

        var testDescription: String { "\(method) \(isAccepted ? "takes" : "refuses") \(params)" }
    }

    private static let cases: [Case] = [
        ("books.get", [#"{"id":1}"#, #"{"id":1,"select":null,"variables":null}"#], true),
        ("books.get", [#"{}"#, #"{"id":0}"#, #"{"id":-1}"#, #"{"id":"1"}"#, #"{"id":1.5}"#, #"{"id":null}"#], false),
        ("books.get", [#"{"id":1,"select":"id"}"#, #"{"id":1,"select":1}"#, #"{"id":1,"variables":[]}"#], false),
        (
            "books.list",
            [
                #"{}"#, #"{"first":1}"#, #"{"first":500}"#, #"{"first":1.0}"#, #"{"where":{"price":{"gt":1e-30}}}"#,
                #"{"first":null,"where":null,"order_by":null,"count":null}"#,
                #"{"search":"deux mots"}"#, #"{"order_by":["-title","author.name"]}"#, #"{"order_by":[]}"#,
                #"{"where":{}}"#, #"{"where":{"title":null,"age":{"gt":3}}}"#,
                #"{"where":{"or":[],"and":[{}],"not":{}}}"#,
                #"{"where":{"price":{"in":[1.5,null],"nin":[]}}}"#, #"{"where":{"price":123456.789}}"#,
                #"{"where":{"title":{"ilike":"%a\\%"}}}"#, #"{"where":{"kind":{"like":"nov%","ne":"essay"}}}"#,
                #"{"where":{"copies":{"lt":40}}}"#, #"{"where":{"author":null}}"#,
                #"{"where":{"author":{"books":{"some":{"lent":true},"none":{}}}}}"#,
                #"{"where":{"printed":{"gte":"2024-02-29"},"opens":"09:00"}}"#,
                #"{"where":{"lent_at":"2026-01-12T09:30:00.123456+01:00"}}"#,
                #"{"where":{"code":"3F2B6C1E-8a4d-4c57-9b1e-2d7f0a6c5e48"}}"#,
            ], true
        ),
        (
            "books.list",
            [
                #"{"first":0}"#, #"{"first":501}"#, #"{"first":"5"}"#, #"{"first":1.5}"#, #"{"count":"true"}"#,
                #"{"order_by":["id","-id"]}"#, #"{"select":"\u00a0{ id }"}"#, #"{"select":"\u000b{ id }"}"#,
                #"{"search":5}"#, #"{"search":"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21"}"#,
                #"{"order_by":"title"}"#, #"{"order_by":["titel"]}"#, #"{"order_by":["author"]}"#,
                #"{"order_by":["title","title"]}"#, #"{"order_by":["author.books.title"]}"#, #"{"after":"&"}"#,
                #"{"where":[]}"#, #"{"where":{"titel":"x"}}"#, #"{"where":{"title":{"equals":"x"}}}"#,
                #"{"where":{"title":5}}"#, #"{"where":{"title":{"ilike":"x\\"}}}"#, #"{"where":{"title":{"gt":null}}}"#,
                #"{"where":{"age":{"like":"1%"}}}"#, #"{"where":{"lent":{"gt":false}}}"#, #"{"where":{"kind":"poem"}}"#,
                #"{"where":{"kind":{"gt":"poem"}}}"#, #"{"where":{"copies":40}}"#, #"{"where":{"and":{}}}"#,
                #"{"where":{"not":null}}"#, #"{"where":{"or":[null]}}"#, #"{"where":{"title":{"in":"x"}}}"#,
                #"{"where":{"title":{"is_null":1}}}"#, #"{"where":{"author":5}}"#, #"{"where":{"price":1e400}}"#,
                #"{"where":{"printed":"2026-02-29"}}"#, #"{"where":{"printed":"0000-01-01"}}"#,
                #"{"where":{"printed":"1900-02-29"}}"#, #"{"where":{"opens":"24:00"}}"#,
                #"{"where":{"lent_at":"2026-01-12T09:30:00"}}"#, #"{"where":{"code":"3f2b6c1e"}}"#,
            ], false
        ),
        (
            "books.history",
            [#"{"id":1}"#, #"{"id":1,"first":20,"after":null,"select":"{ id after }"}"#], true
        ),
        (
            "books.history",
            [#"{}"#, #"{"id":0}"#, #"{"id":null}"#, #"{"id":1,"first":0}"#, #"{"id":1,"after":"&"}"#], false
        ),
        (
            "journal.list",
            [
                #"{"where":{"after":null}}"#, #"{"where":{"after":{}}}"#, #"{"where":{"after":{"is_null":false}}}"#,
                #"{"order_by":["-row_id"]}"#,
            ],
            true
        ),
        (
            "journal.list",
            [
                #"{"where":{"after":{"eq":1}}}"#, #"{"where":{"after":{"lt":"x"}}}"#,
                #"{"where":{"after":{"in":[]}}}"#, #"{"order_by":["after"]}"#,
            ], false
        ),
        (
            "journal.aggregate",
            [
                #"{"select":"{ count }","group_by":["after"]}"#,
                #"{"select":"{ max { after } }","order_by":["max.after"]}"#,
            ],
            false
        ),
        (
            "books.aggregate",
            [
                #"{"select":"{ count }"}"#, #"{"select":"{ count }","group_by":[],"order_by":["-count"],"first":500}"#,
                #"{"select":"{ count }","group_by":null,"order_by":null,"first":null,"search":null,"variables":null}"#,
                #"{"select":"{ sum { price age } max { printed opens lent_at } }","order_by":["-sum.age","min.opens"]}"#,
                #"{"select":"{ count }","group_by":["title","week(printed)","author.name"],"order_by":["-author.name"]}"#,
            ], true
        ),
        (
            "books.aggregate",
            [
                #"{}"#, #"{"select":null}"#, #"{"select":1}"#, #"{"select":"count"}"#,
                #"{"select":"{ count }","group_by":"title"}"#, #"{"select":"{ count }","group_by":["titel"]}"#,
                #"{"select":"{ count }","group_by":["-title"]}"#,
                #"{"select":"{ count }","group_by":["month(title)"]}"#,
                #"{"select":"{ count }","group_by":["title","title"]}"#,
                #"{"select":"{ count }","group_by":["author.books.title"]}"#,
                #"{"select":"{ count }","order_by":["sum.title"]}"#,
                #"{"select":"{ count }","order_by":["sum.printed"]}"#,
                #"{"select":"{ count }","order_by":["total"]}"#, #"{"select":"{ count }","first":0}"#,
                #"{"select":"{ count }","where":{"titel":1}}"#,
            ], false
        ),
        (
            "books.create",
            [
                #"{"values":{"title":"a","kind":"novel"}}"#, #"{"values":{"title":"a","kind":"novel","price":null}}"#,
                #"{"values":{"title":"a","kind":"novel","price":1234.50,"weight":-9999.99,"copies":9,"lent":false}}"#,
                #"{"values":{"title":" é ","kind":"essay","isbn":"9782070368228","author_id":1,"opens":"09:30:15"}}"#,
            ], true
        ),
        (
            "books.create",
            [
                #"{}"#, #"{"values":null}"#, #"{"values":{}}"#, #"{"values":{"title":"a"}}"#,
                #"{"values":{"title":"","kind":"novel"}}"#, #"{"values":{"title":"  ","kind":"novel"}}"#,
                #"{"values":{"title":"123456789012345678901","kind":"novel"}}"#,
                #"{"values":{"title":null,"kind":"novel"}}"#, #"{"values":{"title":"a","kind":"poem"}}"#,
                #"{"values":{"title":"a","kind":"novel","id":1}}"#, #"{"values":{"title":"a","kind":"novel","age":1}}"#,
                #"{"values":{"title":"a","kind":"novel","price":-1}}"#,
                #"{"values":{"title":"a","kind":"novel","price":1.234}}"#,
                #"{"values":{"title":"a","kind":"novel","price":10000}}"#,
                #"{"values":{"title":"a","kind":"novel","price":"1"}}"#,
                #"{"values":{"title":"a","kind":"novel","isbn":""}}"#,
                #"{"values":{"title":"a","kind":"novel","copies":null}}"#,
                #"{"values":{"title":"a","kind":"novel","copies":10}}"#,
                #"{"values":{"title":"a","kind":"novel","printed":"2026-04-31"}}"#,
            ], false
        ),
        (
            "books.update",
            [#"{"id":1}"#, #"{"id":1,"values":{}}"#, #"{"id":1,"values":{"price":null},"if_version":3}"#], true
        ),
        (
            "books.update",
            [#"{"id":1,"values":{"title":null}}"#, #"{"id":1,"if_version":"3"}"#, #"{"id":1,"if_version":null}"#], false
        ),
        ("books.duplicate", [#"{"id":1}"#, #"{"id":1,"values":{"printed":"2026-01-01"}}"#], true),
        ("books.delete", [#"{"id":1}"#, #"{"id":1,"if_version":1}"#], true),
        ("books.delete", [#"{}"#, #"{"id":0}"#], false),
        ("books.cite", [#"{"id":1}"#, #"{"id":1,"style":"long"}"#, #"{"id":1,"style":null}"#], true),
        ("books.cite", [#"{"id":0}"#, #"{"id":1,"style":"wide"}"#, #"{"id":1,"style":1}"#], false),
        (
            "kits.create",
            [
                #"{"values":{"code":"A","contents":[{"sku":"a"}]}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a","quantity":null,"note":null},{"sku":"b","quantity":9}]}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a"}],"images":[],"settings":{"a":[1,null]},"delta":-1}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a"}],"images":null,"settings":null,"delta":null}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a"}],"settings":"x","hour":20,"weight":50.000}}"#,
            ], true
        ),
        (
            "kits.create",
            [
                #"{"values":{"contents":[{"sku":"a"}]}}"#, #"{"values":{"code":"A"}}"#,
                #"{"values":{"code":"A","contents":null}}"#, #"{"values":{"code":"A","contents":[]}}"#,
                #"{"values":{"code":"A","contents":{}}}"#, #"{"values":{"code":"A","contents":[{}]}}"#,
                #"{"values":{"code":"A","contents":[null]}}"#, #"{"values":{"code":"A","contents":[{"sku":null}]}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a","quantity":0}]}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a","quantity":"1"}]}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a","x":1}]}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a","note":"aaaaaaaaaaaaaaaaaaaaa"}]}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a"},{"sku":"a"},{"sku":"a"},{"sku":"a"}]}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a"}],"images":["a","b","c"]}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a"}],"images":[1]}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a"}],"images":[null]}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a"}],"delta":0}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a"}],"hour":5}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a"}],"hour":21}}"#,
                #"{"values":{"code":"A","contents":[{"sku":"a"}],"weight":50.001}}"#,
            ], false
        ),
        ("kits.update", [#"{"id":1,"values":{"contents":[{"sku":"a"}]}}"#], true),
        ("kits.update", [#"{"id":1,"values":{"code":"B"}}"#], false),
        ("kits.duplicate", [#"{"id":1,"values":{"code":"B"}}"#], true),
        ("kits.list", [#"{"where":{"contents":{"is_null":false},"settings":null}}"#], true),
        (
            "kits.list",
            [
                #"{"where":{"contents":[]}}"#, #"{"where":{"contents":{"sku":"a"}}}"#,
                #"{"where":{"settings":{"eq":1}}}"#, #"{"order_by":["contents"]}"#,
            ], false
        ),
        (
            "kits.label",
            [
                #"{"id":1,"from":"2026-01-12"}"#, #"{"id":1,"from":"2026-01-12","to":null,"copies":null,"lines":null}"#,
                #"{"id":1,"from":"2026-01-12","to":"2026-01-13","copies":9,"lines":["a"]}"#,
            ], true
        ),
        (
            "kits.label",
            [
                #"{"id":1}"#, #"{"id":1,"from":null}"#, #"{"id":1,"from":"12"}"#,
                #"{"id":1,"from":"2026-01-12","copies":10}"#, #"{"id":1,"from":"2026-01-12","copies":"1"}"#,
                #"{"id":1,"from":"2026-01-12","lines":[]}"#, #"{"id":1,"from":"2026-01-12","lines":["aaaaaa"]}"#,
            ], false
        ),
        (
            "auth.login",
            [#"{"email":"a","password":"b"}"#, #"{"email":"a","password":"b","cookie":"session"}"#], true
        ),
        (
            "auth.login",
            [#"{"email":"a"}"#, #"{"email":1,"password":"b"}"#, #"{"email":"\u0000","password":"b"}"#], false
        ),
        ("auth.login", [#"{"email":"a","password":"b","cookie":"always"}"#], false),
        ("auth.logout", [#"{}"#, #"{"refresh_token":"a"}"#, #"{"refresh_token":"a","everywhere":true}"#], true),
        ("auth.logout", [#"{"refresh_token":"a","everywhere":1}"#], false),
        ("auth.end_sign_in", [#"{"id":"3f2b6c1e-8a4d-4c57-9b1e-2d7f0a6c5e48"}"#], true),
        ("auth.end_sign_in", [#"{"id":"1"}"#, #"{"id":1}"#], false),
    ].flatMap { method, params, isAccepted in
        params.map { Case(method: method, params: $0, isAccepted: isAccepted) }
    }

    /// The problems that the method finds without the database.
    private func problems(of method: Method, _ params: JSONObject) -> [Problem] {
        do throws(CallError) {
            let call = try Call.test(method, .admin)
            _ = try method.plan(.byName(params, duplicates: []), call)
            return []
        } catch {
            guard case .params(let problems) = error else {
                return [Problem(path: "", code: .rule, message: "\(error)")]
            }
            return problems
        }
    }
}

/// JSON text as the service reads it.
private enum JSONText {
    struct NotAnObject: Error {}

    static func object(_ text: String) throws -> [JSONObject.Member] {
        let document = try JSONReader.read(text)
        guard case .object(let object) = document.value else { throw NotAnObject() }
        return object.members
    }
}
