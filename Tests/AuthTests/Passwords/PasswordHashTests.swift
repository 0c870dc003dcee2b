import Testing

@testable import Auth

struct PasswordHashTests {
    /// Openwall's published vectors, then hashes in the forms of pgcrypto, GoTrue and older systems.
    static let known: [(password: String, hash: String)] = [
        ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        ("U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
        ("U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"),
        ("motdepasse secret é", "$2a$04$abcdefghijklmnopqrstuuEBeGEIMJL1Vwyd/Jdse7fTdxOttZ.pS"),
        ("motdepasse secret é", "$2b$06$abcdefghijklmnopqrstuuOy.ZikPE1Ci41WaB5bLwxn1n2ctpadm"),
        ("motdepasse secret é", "$2y$12$abcdefghijklmnopqrstuuDdLuAZx/vstEzXy5t8YBaPFZ59lHoFO"),
        (
            "motdepasse secret é",
            "$6$rounds=1000$abcdefgh$8Y35x5r8hOiI/9LUxqSya5SHdoxH.J2dcOVvJ4CzKkvN2SDcQS3NaIZHhDqXm2mWiymH7fQ/p.2Xq8IvA3gGQ."
        ),
        ("motdepasse secret é", "$5$rounds=1000$abcdefgh$4tYwId1O/WK1bFVchxVnXRXPG70QvrlcDld8guKxfA0"),
        ("motdepasse secret é", "$1$abcdefgh$/bxWGg.E.bf7WEFJealeI."),
    ]

    @Test(arguments: known)
    func `a known hash matches its password and no other`(password: String, hash: String) {
        #expect(PasswordHash.matches(password, hash))
        #expect(!PasswordHash.matches(password + "x", hash))
        #expect(!PasswordHash.matches("", hash))
        #expect(!PasswordHash.isCurrent(hash))
    }

    @Test func `a new hash is yescrypt of cost 5 with a salt of its own, and matches`() throws {
        let one = try #require(PasswordHash.make(of: "une phrase de passe"))
        let other = try #require(PasswordHash.make(of: "une phrase de passe"))
        #expect(one.hasPrefix("$y$j9T$"))
        #expect(one != other)
        #expect(PasswordHash.isCurrent(one))
        #expect(PasswordHash.matches("une phrase de passe", one))
        #expect(!PasswordHash.matches("une phrase de passé", one))
    }

    @Test(arguments: [
        "", "*", "*0", "!", "secret", "$", "$$", "$y$", "$2b$", "$9$abcdefgh$xyz", "$2b$31$abcdefghijklmnopqrstuu",
        "$2z$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "abJnggxhB/yWI", "$y$j9T$pas un sel",
        "$6$\0", String(repeating: "$6$", count: 200),
        "$2b$16$abcdefghijklmnopqrstuuOy.ZikPE1Ci41WaB5bLwxn1n2ctpadm",
        // Computing one of these would take minutes.
        "$6$rounds=999999999$abcdefgh$xyz", "$5$rounds=999999999$abcdefgh$xyz", "$y$jFT$abcdefgh$xyz",
        "$7$MU..../....abcdefgh$xyz",
    ])
    func `a text that is not a hash, or of a kind that is not accepted, matches no password`(hash: String) {
        #expect(!PasswordHash.matches("secret", hash))
        #expect(!PasswordHash.matches("", hash))
    }

    @Test func `every byte of a long password counts`() throws {
        for length in [73, 200] {
            let password = String(repeating: "🗝", count: length - 1) + "a"
            let hash = try #require(PasswordHash.make(of: password))
            #expect(PasswordHash.matches(password, hash))
            #expect(!PasswordHash.matches(String(password.dropLast()) + "b", hash))
            #expect(!PasswordHash.matches(String(password.dropLast()), hash))
        }
        let withNull = try #require(PasswordHash.make(of: "avant\0après"))
        #expect(PasswordHash.matches("avant\0après", withNull))
        #expect(!PasswordHash.matches("avant", withNull))
    }
}
