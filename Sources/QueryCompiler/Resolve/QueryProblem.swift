import DomainKit
import JSON

/// A problem that the planner finds in a call's params. `Messages+French.swift` words them.
enum QueryProblem {
    // Params
    case unknownTable(String, suggestion: String? = nil)
    case missingID
    case missingValues
    case expectedValuesObject
    /// A column that the server fills with the caller's subject.
    case ownColumn(String)
    case expectedBoolean
    case expectedInteger
    case expectedText
    case invalidValue(ValueError)

    // `after`
    case expectedCursor
    case invalidCursor
    case damagedCursor
    case cursorOfOtherOrder
    case cursorOfOtherParameters

    // Variables
    case expectedVariablesObject
    case missingVariable(String)
    case unusedVariable(String, suggestion: String?)
    case valuesTooLong(maxBytes: Int)
    /// A bare word where a string is meant.
    case unquotedWord(String)

    // `select`
    case expectedSelectionText
    case syntax(SelectionError)
    case unknownField(String, table: String, suggestion: String?)
    case conflictingKey(String)
    case unexpectedArgument(field: String)
    case selectionOnScalar(field: String)
    case missingSelection(relationship: String)
    case argumentOnToOne(relationship: String)
    case unknownArgument(String, known: [String], suggestion: String?)
    case duplicateArgument(String)

    // Fragments
    case duplicateFragment(String)
    case unknownFragment(String, suggestion: String?)
    case fragmentOfOtherTable(fragment: String, itsTable: String, table: String)
    case unusedFragment(String)
    case fragmentCycle(String)

    // `where`
    case expectedCondition
    case expectedConditionList
    case expectedQuantifier
    case expectedRelatedCondition
    case unknownQuantifier(String, relationship: String, suggestion: String?)
    case duplicateMember(String)
    case tooManyConditions(max: Int)
    case tooManyRelations(max: Int)

    // Comparisons
    case unknownOperator(String, known: [String], suggestion: String?)
    case listWithoutOperator
    case expectedSingleValue
    case expectedValueList
    case nullInComparison
    case incomparableField(String)
    case patternOnNonText(operation: String, field: String)
    case orderingOnBoolean(operation: String, field: String)
    case unfinishedEscape
    case patternTooLong(max: Int)

    // `search`
    case searchTooLong(max: Int)
    case tooManySearchWords(max: Int)

    // `order_by`
    case expectedFieldList(example: String)
    case expectedFieldName
    case tooManyOrderFields(max: Int)
    case duplicateOrderKey(String)
    case unorderedField(String)
    case toManyInOrder(relationship: String)
    case relationshipInOrder(String)

    // Aggregates
    case tooManyGroups(max: Int)
    case duplicateGroup(String)
    case unknownPeriod(String, suggestion: String?)
    case descendingGroup
    case periodOfNonDate(field: String)
    case fragmentInAggregate
    case keyOfGroup(String)
    case unknownAggregate(String, known: [String], suggestion: String?)
    case selectionOnCount
    case missingAggregateFields(function: String)
    case relationshipInAggregate(String)
    case inapplicableFunction(AggregateValue.Function, field: String)
    case expectedAggregateOrderList
    case expectedName
    case tooManyAggregateOrderKeys(max: Int)
    case unknownAggregateOrder(String, suggestion: String?)
}

extension QueryProblem {
    var code: Problem.Code {
        switch self {
        case .missingID, .missingValues, .missingVariable:
            .required
        case .ownColumn:
            .readOnly
        case .unknownTable, .unusedVariable, .unknownField, .unexpectedArgument, .argumentOnToOne, .unknownArgument,
            .unknownFragment, .unusedFragment, .unknownQuantifier, .unknownOperator, .unknownPeriod,
            .fragmentInAggregate, .unknownAggregate, .unknownAggregateOrder:
            .unknown
        case .expectedValuesObject, .expectedBoolean, .expectedInteger, .expectedText, .expectedCursor,
            .expectedVariablesObject, .unquotedWord, .expectedSelectionText, .selectionOnScalar, .missingSelection,
            .fragmentOfOtherTable, .expectedCondition, .expectedConditionList, .expectedQuantifier,
            .expectedRelatedCondition, .listWithoutOperator, .expectedSingleValue, .expectedValueList,
            .nullInComparison, .incomparableField, .patternOnNonText, .orderingOnBoolean, .expectedFieldList,
            .expectedFieldName, .unorderedField, .toManyInOrder, .relationshipInOrder, .periodOfNonDate,
            .selectionOnCount, .missingAggregateFields, .relationshipInAggregate, .inapplicableFunction,
            .expectedAggregateOrderList, .expectedName:
            .type
        case .invalidCursor, .damagedCursor, .cursorOfOtherOrder, .cursorOfOtherParameters, .syntax, .unfinishedEscape,
            .descendingGroup:
            .format
        case .conflictingKey, .duplicateArgument, .duplicateFragment, .duplicateMember, .duplicateOrderKey,
            .duplicateGroup, .keyOfGroup:
            .duplicate
        case .fragmentCycle:
            .rule
        case .valuesTooLong, .patternTooLong, .searchTooLong:
            .tooLong
        case .tooManyConditions, .tooManyRelations, .tooManySearchWords, .tooManyOrderFields, .tooManyGroups,
            .tooManyAggregateOrderKeys:
            .outOfRange
        case .invalidValue(let error):
            error.code
        }
    }

    /// The known name that was probably meant.
    var suggestion: String? {
        switch self {
        case .unknownTable(_, let suggestion), .unusedVariable(_, let suggestion), .unknownField(_, _, let suggestion),
            .unknownArgument(_, _, let suggestion), .unknownFragment(_, let suggestion),
            .unknownQuantifier(_, _, let suggestion), .unknownOperator(_, _, let suggestion),
            .unknownPeriod(_, let suggestion), .unknownAggregate(_, _, let suggestion),
            .unknownAggregateOrder(_, let suggestion):
            suggestion
        default: nil
        }
    }
}
