import LayoutCache
import LayoutGeometry

/// The text form of one operation: the value of its `op`, its members, and the resulting operation.
///
/// ``all`` is the complete grammar of a batch. A new operation needs a case in
/// `BatchOperation`, a form here, and its resolution in the library. A new member of a form
/// needs its name here and its decoding; members not listed in a form are rejected.
package struct OperationForm: Sendable {
  /// The value of `op`.
  let name: String
  /// The members that the object may have, `op` first.
  let members: [String]
  /// Decodes the operation from an object with only these members, each once.
  let operation: @Sendable (BatchObject) throws(RecordProblem) -> BatchOperation
  /// Complete lines with the operation, for help texts. They need no other operation to decode.
  let examples: [String]

  private init(
    _ name: String, _ members: [String], _ examples: [String],
    _ operation: @escaping @Sendable (BatchObject) throws(RecordProblem) -> BatchOperation
  ) {
    self.name = name
    self.members = ["op"] + members
    (self.examples, self.operation) = (examples, operation)
  }

  /// The forms, in the order in which messages list them.
  static let all = [
    OperationForm(
      "insert", ["items"] + destination,
      [#"{"op":"insert","items":[{"key":"a","width":4,"height":3}],"section":"s"}"#]
    ) { line throws(RecordProblem) in
      .insert(try line.items(), at: try line.destination(isOptional: true))
    },
    OperationForm(
      "delete", ["keys", "missing"],
      [#"{"op":"delete","keys":["a","b"]}"#]
    ) { line throws(RecordProblem) in
      .delete(keys: try line.itemKeys("keys"), missing: try line.missingKeys())
    },
    OperationForm(
      "upsert", ["items", "section", "move"],
      [#"{"op":"upsert","items":[{"key":"a","width":4,"height":5}],"section":"s"}"#]
    ) { line throws(RecordProblem) in
      .upsert(
        try line.upsertedItems(),
        section: line.has("section") ? try line.sectionKey("section") : nil,
        moving: try line.optionalFlag("move"))
    },
    OperationForm(
      "move", ["key"] + destination,
      [#"{"op":"move","key":"a","before":"b"}"#]
    ) { line throws(RecordProblem) in
      .move(key: try line.itemKey("key"), to: try line.destination(isOptional: false))
    },
    OperationForm(
      "resize", ["key", "width", "height", "span"],
      [#"{"op":"resize","key":"a","width":4,"height":5,"span":2}"#]
    ) { line throws(RecordProblem) in
      let key = try line.itemKey("key")
      let (width, height) = (try line.double("width"), try line.double("height"))
      let span = try line.optionalSpan()
      let size = try line.limited(key) { () throws(LimitError) in
        try Limits.naturalSize(width: width, height: height)
      }
      return .resize(key: key, size: size, columnSpan: span)
    },
    OperationForm(
      "hide", ["keys", "hidden"],
      [#"{"op":"hide","keys":["a"],"hidden":"collapsed"}"#]
    ) { line throws(RecordProblem) in
      .hide(keys: try line.itemKeys("keys"), try line.visibility())
    },
    OperationForm(
      "prefer",
      [
        "layout", "key", "header", "footer", "length", "crossLength", "lengths", "missing",
        "everything", "layoutHeader", "layoutFooter",
      ],
      [
        #"{"op":"prefer","layout":"phone","key":"a","length":211.5}"#,
        #"{"op":"prefer","layout":"phone","lengths":[["a",211.5],["b",80]]}"#,
        #"{"op":"prefer","layout":"phone","header":"s","length":32}"#,
        #"{"op":"prefer","layout":"phone","layoutHeader":50}"#,
        #"{"op":"prefer","layout":"phone","everything":null}"#,
      ]
    ) { line throws(RecordProblem) in
      try line.preference()
    },
    OperationForm(
      "data", ["key", "data"],
      [#"{"op":"data","key":"a","data":{"title":"Sunrise"}}"#]
    ) { line throws(RecordProblem) in
      let key = try line.itemKey("key")
      return .data(key: key, try line.dataOrNull("data", of: key))
    },
    OperationForm(
      "insertSection", ["key", "index", "style"],
      [#"{"op":"insertSection","key":"s","index":3,"style":"hero"}"#]
    ) { line throws(RecordProblem) in
      .insertSection(
        key: try line.sectionKey("key"), index: try line.optionalInteger("index"),
        style: line.has("style") ? try line.styleOrNull() : nil)
    },
    OperationForm(
      "style", ["section", "style"],
      [#"{"op":"style","section":"s","style":"hero"}"#]
    ) { line throws(RecordProblem) in
      .style(section: try line.sectionKey("section"), style: try line.styleOrNull())
    },
    OperationForm(
      "deleteSection", ["key", "missing"],
      [#"{"op":"deleteSection","key":"s"}"#]
    ) { line throws(RecordProblem) in
      .deleteSection(key: try line.sectionKey("key"), missing: try line.missingKeys())
    },
    OperationForm(
      "moveSection", ["key", "index"],
      [#"{"op":"moveSection","key":"s","index":0}"#]
    ) { line throws(RecordProblem) in
      .moveSection(key: try line.sectionKey("key"), index: try line.integer("index"))
    },
    OperationForm(
      "invalidate", ["layout", "items", "sections", "everything", "kinds"],
      [
        #"{"op":"invalidate","layout":"phone","items":["a"],"sections":["s"]}"#,
        #"{"op":"invalidate","layout":"phone","sections":["s"],"kinds":["header"]}"#,
      ]
    ) { line throws(RecordProblem) in
      let layout = try line.layoutName("layout")
      if line.has("kinds") {
        for other in ["items", "everything"] where line.has(other) {
          throw line.problem(.conflictingMembers, other, "\(other) cannot be combined with kinds")
        }
        return .invalidateElements(
          layout: layout, kinds: try line.names("kinds", as: "kind"),
          sections: line.has("sections") ? try line.sectionKeys("sections") : [])
      }
      // It would have no effect: more likely a forgotten "everything".
      guard ["items", "sections", "everything"].contains(where: line.has) else {
        throw line.problem(
          .missingField, "everything",
          "items, sections and everything are missing; \"everything\":true lays out all of it")
      }
      return .invalidate(
        layout: layout, items: line.has("items") ? try line.itemKeys("items") : [],
        sections: line.has("sections") ? try line.sectionKeys("sections") : [],
        everything: try line.optionalFlag("everything"))
    },
    OperationForm(
      "match", ["sections", "missing"],
      [#"{"op":"match","sections":[{"key":"s","items":[]}],"missing":"keep"}"#]
    ) { line throws(RecordProblem) in
      .match(try line.matchedSections(), missing: try line.missingItems())
    },
    OperationForm(
      "mark", ["source", "position", "after"],
      [#"{"op":"mark","source":"orders","position":"0/16B3748"}"#]
    ) { line throws(RecordProblem) in
      .mark(
        source: try line.name("source", as: "source"),
        position: try line.name("position", as: "position"), after: try line.markExpectation())
    },
  ]

  /// The examples of every form, in order.
  package static var examples: [String] { all.flatMap(\.examples) }

  /// The members that specify a destination.
  private static let destination = ["section", "index", "before", "after"]
}

extension OperationForm {
  /// Returns the operation of a line's object.
  ///
  /// - Throws: The first problem, in the order `op`, unknown or duplicate members, the members'
  ///   values, limits.
  static func operation(of line: BatchObject) throws(RecordProblem) -> BatchOperation {
    let op = try line.string("op")
    guard let form = all.first(where: { $0.name == op }) else {
      let names = all.map(\.name)
      throw line.problem(
        .unknownOperation, "op",
        clauses(
          "op is \"\(excerpt(op))\", not one of \(names.joined(separator: ", "))",
          didYouMean(op, among: names)))
    }
    try line.requireMembers(form.members, of: form.name)
    return try form.operation(line)
  }
}
