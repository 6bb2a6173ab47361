import LayoutCache
import LayoutGeometry
import TextFormats

/// A value of an operation that is beyond a limit.
struct ExcessiveValue: Error {
  var limit: LimitError
  /// The item whose value it is.
  var key: String

  var reason: RefusedOperation.Reason { .limit(limit, key: key) }
}

extension Operation {
  /// The operation that a text states, held to the limits of what it has lengths for;
  /// the library checks the rest against the dataset.
  init(_ operation: BatchOperation) throws(ExcessiveValue) {
    switch operation {
    case .insert(let stated, let destination):
      var items: [Item] = []
      items.reserveCapacity(stated.count)
      for item in stated {
        items.append(
          try checked(item.key) { () throws(LimitError) in
            try Item(
              key: item.key, width: item.width, height: item.height, columnSpan: item.span ?? 1)
          })
      }
      self = .insert(items, at: ItemDestination(destination))
    case .delete(let keys):
      self = .delete(keys: keys)
    case .move(let key, let destination):
      self = .move(key: key, to: ItemDestination(destination))
    case .resize(let key, let width, let height, let span):
      let size = try checked(key) { () throws(LimitError) in
        Size(
          width: try Limits.naturalSide(points: width, as: "width"),
          height: try Limits.naturalSide(points: height, as: "height"))
      }
      self = .resize(key: key, size: size, columnSpan: span)
    case .prefer(let layout, let key, let points):
      var length: Length?
      if let points {
        length = try checked(key) { () throws(LimitError) in
          try Limits.naturalSide(points: points, as: "length")
        }
      }
      self = .prefer(layout: layout, key: key, length: length)
    case .insertSection(let key, let index):
      self = .insertSection(key: key, index: index)
    case .deleteSection(let key):
      self = .deleteSection(key: key)
    case .moveSection(let key, let index):
      self = .moveSection(key: key, index: index)
    case .invalidate(let layout, let items, let sections, let everything):
      self = .invalidate(layout: layout, items: items, sections: sections, everything: everything)
    }
  }
}

extension ItemDestination {
  fileprivate init(_ destination: BatchDestination) {
    self =
      switch destination {
      case .end(let section): .end(section: section)
      case .index(let index, let section): .index(index, section: section)
      case .before(let key): .before(key)
      case .after(let key): .after(key)
      }
  }
}

private func checked<Value>(
  _ key: String, _ value: () throws(LimitError) -> Value
) throws(ExcessiveValue) -> Value {
  do {
    return try value()
  } catch {
    throw ExcessiveValue(limit: error, key: key)
  }
}
