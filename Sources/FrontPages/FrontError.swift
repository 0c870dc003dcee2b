/// Why a folder cannot be served as a front.
package struct FrontError: Error, CustomStringConvertible {
    package let description: String
}
