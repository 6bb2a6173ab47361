import LayoutCache
import LayoutGeometry

/// How one operation is written: the value of its `op`, its members, and what they make.
///
/// ``all`` is the whole grammar of a batch. Another operation takes its case in
/// `BatchOperation`, a form here, and its resolution in the library. Another member of a
/// form is its name here and where it is read; what a form does not name is refused.
struct OperationForm: Sendable {
  /// What `op` says.
  let name: String
  /// The members that the object may have, `op` first.
  let members: [String]
  /// Reads the operation from an object that has no members but these, each once.
  let operation: @Sendable (BatchObject) throws(RecordProblem) -> BatchOperation

  private init(
    _ name: String, _ members: [String],
    _ operation: @escaping @Sendable (BatchObject) throws(RecordProblem) -> BatchOperation
  ) {
    self.name = name
    self.members = ["op"] + members
    self.operation = operation
  }

  /// The forms, in the order in which messages list them.
  static let all = [
    OperationForm("insert", ["items"] + destination) { line throws(RecordProblem) in
      .insert(try line.items(), at: try line.destination())
    },
    OperationForm("delete", ["keys", "missing"]) { line throws(RecordProblem) in
      .delete(keys: try line.itemKeys("keys"), missing: try line.missingKeys())
    },
    OperationForm("upsert", ["items", "section", "move"]) { line throws(RecordProblem) in
      .upsert(
        try line.upsertedItems(), section: try line.sectionKey("section"),
        moving: try line.optionalFlag("move"))
    },
    OperationForm("move", ["key"] + destination) { line throws(RecordProblem) in
      .move(key: try line.itemKey("key"), to: try line.destination())
    },
    OperationForm("resize", ["key", "width", "height", "span"]) { line throws(RecordProblem) in
      let key = try line.itemKey("key")
      let (width, height) = (try line.double("width"), try line.double("height"))
      let span = try line.optionalSpan()
      let size = try line.limited(key) { () throws(LimitError) in
        try Limits.naturalSize(width: width, height: height)
      }
      return .resize(key: key, size: size, columnSpan: span)
    },
    OperationForm(
      "prefer",
      [
        "layout", "key", "header", "footer", "length", "crossLength", "lengths", "missing",
        "everything",
      ]
    ) { line throws(RecordProblem) in
      try line.preference()
    },
    OperationForm("data", ["key", "data"]) { line throws(RecordProblem) in
      let key = try line.itemKey("key")
      return .data(key: key, try line.dataOrNull("data", of: key))
    },
    OperationForm("insertSection", ["key", "index"]) { line throws(RecordProblem) in
      .insertSection(key: try line.sectionKey("key"), index: try line.optionalInteger("index"))
    },
    OperationForm("deleteSection", ["key", "missing"]) { line throws(RecordProblem) in
      .deleteSection(key: try line.sectionKey("key"), missing: try line.missingKeys())
    },
    OperationForm("moveSection", ["key", "index"]) { line throws(RecordProblem) in
      .moveSection(key: try line.sectionKey("key"), index: try line.integer("index"))
    },
    OperationForm(
      "invalidate", ["layout", "items", "sections", "everything"]
    ) { line throws(RecordProblem) in
      .invalidate(
        layout: try line.layoutName("layout"),
        items: line.has("items") ? try line.itemKeys("items") : [],
        sections: line.has("sections") ? try line.sectionKeys("sections") : [],
        everything: try line.optionalFlag("everything"))
    },
    OperationForm("match", ["sections", "missing"]) { line throws(RecordProblem) in
      .match(try line.matchedSections(), missing: try line.missingItems())
    },
    OperationForm("mark", ["source", "position", "after"]) { line throws(RecordProblem) in
      .mark(
        source: try line.name("source", as: "source"),
        position: try line.name("position", as: "position"), after: try line.markExpectation())
    },
  ]

  /// The members that say where items go.
  private static let destination = ["section", "index", "before", "after"]
}

extension OperationForm {
  /// The operation that a line's object states.
  ///
  /// - Throws: The first problem, in the order `op`, members that the operation does
  ///   not have or that occur twice, its members, limits.
  static func operation(of line: BatchObject) throws(RecordProblem) -> BatchOperation {
    let op = try line.string("op")
    guard let form = all.first(where: { $0.name == op }) else {
      let names = all.map(\.name)
      throw line.problem(
        .unknownOperation, "op",
        clauses(
          "op is \"\(excerpt(op))\", which is none of \(names.joined(separator: ", "))",
          didYouMean(op, among: names)))
    }
    try line.requireMembers(form.members, of: form.name)
    return try form.operation(line)
  }
}
