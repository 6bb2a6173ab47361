import LayoutGeometry

/// A key that would occur twice, and where.
public struct DuplicateKey: Hashable, Sendable {
  public var key: String
  /// The input's lines that hold it, as far as the caller gave them; one where
  /// the other item is in the dataset already.
  public var lines: [Int]

  public init(key: String, lines: [Int]) {
    self.key = key
    self.lines = lines
  }
}

extension DuplicateKey: CustomStringConvertible {
  /// "line 7: key 'a' is in line 3 too".
  public var description: String {
    let key = excerpt(key)
    return switch lines.count {
    case 0: "key '\(key)' occurs twice"
    case 1: "line \(lines[0]): key '\(key)' is in the dataset already"
    default: "line \(lines[1]): key '\(key)' stands in line \(lines[0]) too"
    }
  }
}

extension DuplicateKey {
  /// The duplicate without the lines that the caller did not give.
  var withoutUnknownLines: DuplicateKey {
    DuplicateKey(key: key, lines: lines.filter { $0 > 0 })
  }
}
