package import LayoutCache

// A view of a dataset as flags and parameters, and as JSON.

/// A text that states no view.
package struct ViewTextError: Error {
  package enum Parameter: String, Sendable { case `where`, order }

  /// The parameter at fault.
  package var parameter: Parameter
  package var description: String
}

extension DatasetView {
  /// Reads a view from the values of flags.
  ///
  /// - Returns: `nil` without values.
  package static func stated(
    where filter: String?, order: String?
  ) throws(ViewTextError) -> DatasetView? {
    if filter == nil && order == nil { return nil }
    let members = try order.map { text throws(ViewTextError) in try DatasetOrder.members(text) }
    do {
      return try DatasetView(where: filter, order: members ?? [])
    } catch {
      let isOfFilter = if case .filter = error.code { true } else { false }
      throw ViewTextError(parameter: isOfFilter ? .where : .order, description: error.description)
    }
  }

  /// The maximum length of a view in JSON, in bytes: each byte of a key or a filter may be escaped.
  package static let bytesMax = 16 << 20

  /// Reads the definition of a named view: an object with `keys`, or with `where` and `order`, of
  /// which each may be missing.
  ///
  /// - Parameter text: Strict JSON (RFC 8259).
  /// - Throws: ``RecordProblem``, whose line is 1; ``LayoutCacheError``: `filter`, `limit`.
  package init(json text: String) throws {
    self = try BatchObject.reading(text) { body in
      if body.has("keys") {
        try body.requireMembers(["keys"], of: "a view of listed keys")
        return try DatasetView(keys: body.itemKeys("keys"))
      }
      try body.requireMembers(["where", "order", "keys"], of: "a view")
      return try DatasetView(
        where: body.has("where") ? body.string("where") : nil,
        order: body.has("order") ? DatasetOrder.members(body) : [])
    }
  }
}

/// A named view in a list.
package struct ViewListing {
  package let name: String
  private let view: DatasetView

  package init(_ name: String, _ view: DatasetView) { (self.name, self.view) = (name, view) }

  /// The approximate bytes in a list in JSON.
  package var byteCount: Int {
    view.order.reduce(view.filterText?.utf8.count ?? 0) { $0 + $1.by.utf8.count }
  }

  /// The fields in a list, without the keys.
  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("view", \.name),
      .optional("where", as: .text("where")) { $0.view.filterText },
      .optional("order", as: .text("order")) { $0.view.order.isEmpty ? nil : $0.view.order },
      .optional("keyCount", as: .number("keys")) { $0.view.keys?.count },
    ]
  }

  /// The fields of one view, with the keys.
  package static var allFields: [AnswerField<Self>] {
    fields.dropLast() + [.optional("keys", as: .text("keys")) { $0.view.keys }]
  }
}
