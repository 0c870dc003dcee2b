import Glibc
import OutgoingHTTP
import Testing

struct NetworkAddressTests {
    private static func address(_ text: String) throws -> NetworkAddress {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return try #require(NetworkAddress(Array(bytes[..<4]))) }
        try #require(inet_pton(AF_INET6, text, &bytes) == 1)
        return try #require(NetworkAddress(bytes))
    }

    @Test(arguments: [
        "0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.168.1.1", "198.18.0.1", "198.19.255.255",
        "203.0.113.7", "224.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::10.0.0.1",
        "64:ff9b::192.168.0.1", "2002:7f00:1::", "fe80::1", "fc00::1", "fd12:3456::1", "ff02::1", "2001:db8::1",
        "2001::1", "100::1",
    ])
    func `an address of this machine, a private network or a reserved range is not public`(text: String) throws {
        #expect(try !Self.address(text).isPublic)
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "162.159.128.233", "172.15.255.255",
        "172.32.0.0", "192.167.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::6810:84e5", "2a01:e0a::1",
        "::ffff:1.1.1.1",
    ])
    func `any other address is public`(text: String) throws {
        #expect(try Self.address(text).isPublic)
    }
}
