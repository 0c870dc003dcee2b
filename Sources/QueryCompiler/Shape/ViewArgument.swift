/// A parameter of a view that the call gives, and the slot of its value.
struct ViewArgument: Hashable, Sendable {
    let parameter: Field
    let slot: Int
}
