import LayoutGeometry

extension BatchOperation {
  /// Checks the keys and names of the operation against `Limits`, before any is looked up.
  /// Inserted and upserted items were checked when they were created.
  ///
  /// - Throws: ``BatchError`` with `limit`.
  /// - Complexity: O(names).
  func checkNames() throws(BatchError) {
    if let layout { try Self.check(layout, as: "layout name") }
    switch self {
    case .insert(_, let destination):
      try destination.checkNames()
    case .delete(let keys, _), .hide(let keys, _):
      for key in keys { try Self.check(item: key) }
    case .move(let key, let destination):
      try Self.check(item: key)
      try destination.checkNames()
    case .resize(let key, _, _), .data(let key, _):
      try Self.check(item: key)
    case .prefer(_, let key, _, _): try Self.check(item: key)
    case .preferLengths(_, let lengths, _):
      for length in lengths { try Self.check(item: length.key) }
    case .match(let sections, _):
      for section in sections {
        try Self.check(section: section.key)
        if let style = section.style { try Self.check(style, as: "style name") }
      }
    case .resetLengths: break
    case .preferSupplementary(_, let kind, let section, _):
      if !kind.isOfLayout { try Self.check(section: section) }
    case .upsert(_, let section, _):
      if let section { try Self.check(section: section) }
    case .insertSection(let key, _, let style), .style(let key, let style):
      try Self.check(section: key)
      if let style { try Self.check(style, as: "style name") }
    case .deleteSection(let key, _), .moveSection(let key, _):
      try Self.check(section: key)
    case .invalidate(_, let items, let sections, _):
      for key in items { try Self.check(item: key) }
      for key in sections { try Self.check(section: key) }
    case .invalidateElements(_, let kinds, let sections):
      for kind in kinds { try Self.check(kind, as: "kind") }
      for key in sections { try Self.check(section: key) }
    case .rebalance(_, let section, let item):
      if let section { try Self.check(section: section) }
      if let item { try Self.check(item: item) }
    case .mark(let source, let position, _):
      try Self.check(source, as: "source")
      try Self.check(position, as: "position")
    }
  }

  fileprivate static func check(item key: String) throws(BatchError) {
    try check(key, as: "key", ofItem: key)
  }

  fileprivate static func check(section key: String) throws(BatchError) {
    try check(key, as: "section key")
  }

  private static func check(
    _ name: String, as subject: LimitError.Subject, ofItem key: String? = nil
  ) throws(BatchError) {
    do {
      try Limits.check(name: name, as: subject)
    } catch {
      throw .limit(error, key: key)
    }
  }
}

extension ItemDestination {
  fileprivate func checkNames() throws(BatchError) {
    switch self {
    case .end(let section), .index(_, let section):
      try BatchOperation.check(section: section)
    case .before(let key), .after(let key):
      try BatchOperation.check(item: key)
    case .ordered: break
    }
  }
}
