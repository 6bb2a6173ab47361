import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

/// What a change of a dataset came to, as the user is told.
struct CommitReport {
  var dataset: String
  var revision: Int
  /// The layouts that were brought up to date.
  var layouts: [Commit.LayoutChange]

  func print(asJSON isJSON: Bool) throws {
    if isJSON { return try StandardOutput.printJSON { write(to: &$0) } }
    var output = StandardOutput()
    try output.writeLine("dataset '\(dataset)' is at revision \(revision)")
    if layouts.isEmpty {
      try output.writeLine("no layout was brought up to date")
    } else {
      try output.write(Table(changes: layouts).lines(.of()))
    }
    try output.flush()
  }

  /// Appends the object that `update --json` prints.
  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("dataset", dataset)
    json.member("revision", revision)
    json.member("layouts", of: layouts) { json, change in
      json.beginObject()
      json.member("layout", change.layout)
      json.members(of: change.context)
      json.endObject()
    }
    json.endObject()
  }
}

extension CommitReport {
  init(_ commit: Commit, dataset: String) {
    self.init(dataset: dataset, revision: commit.revision, layouts: commit.layouts)
  }
}

extension Table {
  /// A table of layouts that a commit has brought up to date, a row each.
  init(changes: [Commit.LayoutChange]) {
    self.init([
      .text("layout"), .number("recomputed items"), .number("recomputed columns"),
      .number("changed nodes"), .number("content size"), .number("content offset"),
      .text("invalid"),
    ])
    for change in changes {
      let context = change.context
      let size = context.contentSizeAdjustment
      let offset = context.contentOffsetAdjustment
      add([
        change.layout, String(context.work.recomputedItems),
        String(context.work.recomputedColumns), String(context.work.changedNodes),
        "\(signed(size.width)) x \(signed(size.height))",
        "\(signed(offset.x)), \(signed(offset.y))",
        context.invalidateEverything ? "everything" : plural(context.sections.count, "section"),
      ])
    }
  }
}

private func signed(_ length: Length) -> String {
  length > .zero ? "+\(length)" : length.description
}

extension JSONWriter {
  fileprivate mutating func members(of context: InvalidationContext) {
    member("everything", context.invalidateEverything)
    member("recomputedItems", context.work.recomputedItems)
    member("recomputedColumns", context.work.recomputedColumns)
    member("changedNodes", context.work.changedNodes)
    member("contentSizeAdjustment", context.contentSizeAdjustment)
    member("contentOffsetAdjustment", context.contentOffsetAdjustment)
    member("sections", of: context.sections) { $0.value($1) }
  }

  private mutating func value(_ section: SectionInvalidation) {
    beginObject()
    member("section", section.section)
    member("items", of: section.items.ranges) { json, range in
      json.beginArray()
      json.value(range.lowerBound)
      json.value(range.upperBound - 1)
      json.endArray()
    }
    member("columns", of: section.columns.ranges.joined()) { $0.value($1) }
    if let interval = section.contentInterval {
      member("interval")
      beginArray()
      value(interval.lowerBound.points)
      value(interval.upperBound.points)
      endArray()
    }
    endObject()
  }

  private mutating func member(_ name: String, _ point: Point) {
    member(name)
    beginObject()
    member("x", point.x.points)
    member("y", point.y.points)
    endObject()
  }
}
