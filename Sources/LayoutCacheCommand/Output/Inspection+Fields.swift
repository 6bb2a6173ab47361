import LayoutCache
import TextFormats

/// The output of `inspect` for a database as a whole.
struct DatabaseReport {
  var file: DatabaseInspection
  var datasets: [DatasetInspection]

  static var fields: [AnswerField<Self>] {
    [
      AnswerField("database", \.file.path),
      AnswerField("fileBytes", as: "file bytes", \.file.fileBytes),
      AnswerField("nodes", \.file.nodeCount),
      .rows(
        "datasets", as: .number("datasets"), DatasetInspection.fields, \.datasets,
        shown: \.datasets.count.text),
    ]
  }
}

extension DatasetInspection {
  static var fields: [AnswerField<Self>] {
    [
      AnswerField("dataset", \.name), AnswerField("revision", \.revision),
      AnswerField("sections", \.sectionCount), AnswerField("items", \.itemCount),
      AnswerField("nodes", \.nodeCount), AnswerField("nodeBytes", as: "bytes", \.nodeBytes),
      AnswerField("bytesPerItem", as: "bytes/item", \.bytesPerItem),
      .rows("trees", TreeInspection.fields, \.trees),
      .rows(
        "layouts", as: .number("layouts"), LayoutInspection.fields, \.layouts,
        shown: \.layouts.count.text),
    ]
  }
}

extension TreeInspection {
  static var fields: [AnswerField<Self>] {
    [
      AnswerField("tree", \.name), AnswerField("elements", \.elementCount),
      AnswerField("depth", \.depth),
    ]
  }
}

extension LayoutInspection {
  static var fields: [AnswerField<Self>] {
    [
      AnswerField("layout", \.name),
      AnswerField(
        "preparedRevision", as: "prepared at", \.preparedRevision,
        shown: { $0.preparedRevision.preparedText }),
      AnswerField("pendingContexts", as: "pending", \.pendingRevisions),
      AnswerField("contentSize", as: "content size", \.contentSize),
      AnswerField("depth", \.tree.depth), AnswerField("nodes", \.nodeCount),
      AnswerField("nodeBytes", as: "bytes", \.nodeBytes),
      AnswerField("bytesPerItem", as: "bytes/item", \.bytesPerItem),
      .optional("measured", as: .text("measured"), \.measured),
      .optional("secondsSinceCreation", \.secondsSinceCreation),
      .optional("secondsSinceUse", \.secondsSinceUse),
      .rows("sections", SectionInspection.fields, \.sections),
    ]
  }
}

extension LayoutInspection {
  /// The columns of a table with variants of responsive layouts.
  static var variantColumns: [AnswerField<Self>] {
    [
      .table(.text("created"), \.secondsSinceCreation.agoText),
      .table(.text("last used"), \.secondsSinceUse.agoText),
    ]
  }
}

extension MeasuredLengthCounts: AnswerValue {
  static var isNumber: Bool { false }

  /// The counts above zero.
  var text: String {
    let counts = [(items, "item"), (headers, "header"), (footers, "footer")]
    return counts.filter { $0.0 > 0 }.map { plural($0.0, $0.1) }.joined(separator: ", ")
  }

  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("items", items)
    json.member("headers", headers)
    json.member("footers", footers)
    json.endObject()
  }
}

extension SectionInspection {
  static var fields: [AnswerField<Self>] {
    [
      AnswerField("sectionKey", as: "section", \.key), AnswerField("items", \.itemCount),
      AnswerField("depth", \.treeDepth), AnswerField("columnEnds", as: "column ends", \.columnEnds),
      // Kinds without columns have no column ends that could differ.
      AnswerField("skew", \.skew, shown: { $0.columnEnds.isEmpty ? "" : $0.skew.text }),
    ]
  }
}
