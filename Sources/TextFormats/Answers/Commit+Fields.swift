package import LayoutCache

extension Commit {
  /// Appends the object printed by `update --json`.
  package func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("dataset", dataset)
    json.member("revision", revision)
    json.member("incarnation", incarnation.rawValue)
    if isRepeated {
      json.member("repeated", true)
    } else {
      json.member("updates")
      updates.write(to: &json)
    }
    json.member("layouts")
    json.value(layouts, LayoutChange.fields)
    if !behind.isEmpty {
      json.member("behind")
      json.value(behind, LaggingLayout.fields)
    }
    if let undone {
      json.member("undone")
      json.value(undone, Undone.fields)
      if undone.placesColumns { json.member("columns", "placed") }
    }
    json.endObject()
  }
}

extension Commit {
  /// Returns the bytes of ``write(to:)``; if there are more than `bytesMax`, those of the
  /// statement that everything has changed.
  package func json(bytesMax: Int) -> [UInt8] {
    JSONWriter.bytes(upTo: bytesMax, write(to:)) { json in
      var commit = self
      commit.updates = .everything(.tooLarge)
      for index in layouts.indices { commit.layouts[index].context.removeParts() }
      commit.write(to: &json)
    }
  }
}

extension InvalidationContext {
  /// Replaces the changed parts with everything.
  package mutating func removeParts() {
    var context = InvalidationContext.everything(reason ?? .tooLarge)
    (context.contentSizeAdjustment, context.work) = (contentSizeAdjustment, work)
    context.contentOffsetAdjustment = contentOffsetAdjustment
    self = context
  }
}

extension Commit.LayoutChange {
  /// The fields of a layout that a commit has brought up to date.
  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("layout", \.layout), .json("incarnation", \.incarnation.rawValue),
    ] + InvalidationContext.fields.map { $0.of(\.context) }
  }
}

extension InvalidationContext {
  /// The fields of an invalidation context.
  package static var fields: [AnswerField<Self>] {
    [
      .json("everything", \.invalidateEverything), .optional("reason") { $0.reason?.rawValue },
      .optional("coarse") { $0.isCoarse ? true : nil },
      AnswerField("recomputedItems", as: "recomputed items", \.work.recomputedItems),
      AnswerField("recomputedColumns", as: "recomputed columns", \.work.recomputedColumns),
      AnswerField("changedNodes", as: "changed nodes", \.work.changedNodes),
      AnswerField(
        "contentSizeAdjustment", as: "content size", \.contentSizeAdjustment,
        shown: { context in
          let size = context.contentSizeAdjustment
          return "\(signed(size.width)) x \(signed(size.height))"
        }),
      AnswerField(
        "contentOffsetAdjustment", as: "content offset", \.contentOffsetAdjustment,
        shown: { context in
          let offset = context.contentOffsetAdjustment
          return "\(signed(offset.x)), \(signed(offset.y))"
        }),
      .kinds("supplementaryElements") { $0.supplementaryElements.map(\.rawValue) },
      .kinds("decorationElements") { Array($0.decorationElements) },
      .rows(
        "sections", as: .text("invalid"), SectionInvalidation.fields, \.sections,
        shown: { context in
          context.invalidateEverything
            ? "everything" : plural(context.sections.count, "section")
        }),
    ]
  }
}

extension Commit.Undone {
  /// The fields of the commits that an undo has reverted.
  fileprivate static var fields: [AnswerField<Self>] {
    [.json("first", \.first), .json("last", \.last), .json("summary", \.summary)]
  }
}

extension Commit.LaggingLayout {
  /// The fields of a layout that a commit could not bring up to date.
  fileprivate static var fields: [AnswerField<Self>] {
    [AnswerField("layout", \.layout), AnswerField("code", \.code), AnswerField("reason", \.reason)]
  }
}

extension SectionInvalidation {
  /// The JSON of a section; both ends of ranges are inclusive.
  fileprivate static var fields: [AnswerField<Self>] {
    [
      .json("section", \.section),
      .json("items") { $0.items.ranges.map { [$0.lowerBound, $0.upperBound - 1] } },
      .json("columns") { Array($0.columns.ranges.joined()) },
      .optional("interval") { $0.contentInterval.map { [$0.lowerBound, $0.upperBound] } },
      .kinds("supplementaryElements") { $0.supplementaryElements.map(\.rawValue) },
      .kinds("decorationElements") { Array($0.decorationElements) },
    ]
  }
}

extension AnswerField {
  /// Sorted names of kinds, only in JSON; absent without any.
  fileprivate static func kinds(
    _ name: String, _ kinds: @escaping @Sendable (Row) -> [String]
  ) -> AnswerField {
    .optional(name) {
      let kinds = kinds($0)
      return kinds.isEmpty ? nil : kinds.sorted()
    }
  }
}

private func signed(_ length: Length) -> String {
  length > .zero ? "+\(length)" : length.description
}
