import DomainKit

/// What a selection costs for each record it is applied to: the rows of its to-many relations at most.
struct QueryCost: Sendable, Equatable {
    /// Summed over all to-many relations: the product of `first` on the way to each.
    private(set) var rows = 0
    /// The relation with the greatest product, by its keys in the answer.
    private(set) var mostExpensivePath: String?
    private var mostExpensiveProduct = 0

    mutating func add(product: Int, path: [String]) {
        rows = saturatingSum(rows, product)
        if product > mostExpensiveProduct {
            mostExpensiveProduct = product
            mostExpensivePath = path.joined(separator: ".")
        }
    }

    /// The price of `first` records.
    func total(first: Int) -> Int {
        saturatingSum(first, saturatingProduct(first, rows))
    }

    func check(first: Int, limits: Limits) -> QueryLimitError? {
        let cost = total(first: first)
        guard cost > limits.cost else { return nil }
        return QueryLimitError(
            name: "cost",
            message: "La sélection peut rendre \(cost) lignes, plus que les \(limits.cost) permises\u{A0}: donnez un"
                + " \("first".quotedInFrench) plus petit à ses relations.",
            cost: cost, max: limits.cost, path: mostExpensivePath)
    }
}

func saturatingSum(_ left: Int, _ right: Int) -> Int {
    let (sum, isOver) = left.addingReportingOverflow(right)
    return isOver ? .max : sum
}

func saturatingProduct(_ left: Int, _ right: Int) -> Int {
    let (product, isOver) = left.multipliedReportingOverflow(by: right)
    return isOver ? .max : product
}
