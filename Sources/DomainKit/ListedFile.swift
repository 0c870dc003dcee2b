/// A member of the objects in a column that names files, such as the photo of a block of text and pictures.
///
/// ```swift
/// // {"photo": 12, "text": "Avant"}, or a list of such objects
/// Column("photo", .bigint, file: FileRule([.png, .jpeg], maxBytes: 2_000_000), label: "Photo")
/// ```
///
/// The column is a `jsonb`. The trigger that `kernel.file_list_keep` makes checks each file, as `kernel.file_keep` does for a column
/// of its own, and notes it in `kernel.listed_files`: so the file is kept as long as a record names it, and who may read the column
/// may read the file.
///
/// ```sql
/// SELECT kernel.file_list_keep('works.notes', 'blocks', 'photo', 2000000, 'image/png', 'image/jpeg');
/// ```
public struct ListedFile: Sendable, Equatable {
    /// The column.
    public let column: String
    /// The member of the objects; nil: the elements of the list are the files' ids.
    public let member: String?
    /// Which files it may name.
    public let rule: FileRule
}

extension Column {
    /// The members by which the values of the column name files: those of an object, or of the objects in a list.
    public var listedFiles: [ListedFile] {
        var found: [ListedFile] = []
        for member in objectMembers {
            guard let rule = member.file else { continue }
            let listed = ListedFile(column: name, member: member.name.isEmpty ? nil : member.name, rule: rule)
            if !found.contains(listed) { found.append(listed) }
        }
        return found
    }

    /// Whether a value of the column may name a file, itself or by a member.
    public var namesFiles: Bool { file != nil || !listedFiles.isEmpty }

    /// Why the database cannot keep the files that the values of the column name; nil: it can.
    package var listedFileProblem: String? {
        guard case .json(let shape?) = type else { return nil }
        let members = listedFiles.map(\.member)
        if Set(members).count < members.count {
            return "two kinds of its objects have other rules for files of one name"
        }
        return shape.fileCount > objectMembers.count(where: { $0.file != nil })
            ? "a file is named by an object, or by the objects of a list, and not deeper within" : nil
    }

    /// The member of this name of the objects in the column; nil if there is none.
    func objectMember(_ name: String) -> Column? { objectMembers.first { $0.name == name } }

    private var objectMembers: [Column] {
        switch type {
        case .json(.list(let element, _, _)?): element.members
        case .json(let shape?): shape.members
        default: []
        }
    }
}

extension Shape {
    /// The members of an object, of all its kinds, or the scalar itself.
    fileprivate var members: [Column] {
        switch self {
        case .object(let members): members
        case .kinds(let kinds): [kinds.member] + kinds.common + kinds.kinds.flatMap(\.members)
        case .scalar(let column): [column]
        case .anyObject, .list: []
        }
    }

    /// How many members name files, at any depth.
    fileprivate var fileCount: Int {
        if case .list(let element, _, _) = self { return element.fileCount }
        return members.reduce(0) { count, member in
            guard case .json(let shape?) = member.type else { return count + (member.file == nil ? 0 : 1) }
            return count + shape.fileCount
        }
    }
}
