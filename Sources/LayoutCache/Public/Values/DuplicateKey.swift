import LayoutGeometry

/// A key that would occur twice, and the lines with it.
public struct DuplicateKey: Hashable, Sendable {
  public var key: String
  /// The input's lines with the key, as far as the caller passed line numbers; one line if the
  /// other item is already in the dataset.
  public var lines: [Int]

  public init(key: String, lines: [Int]) {
    self.key = key
    self.lines = lines
  }
}

extension DuplicateKey: CustomStringConvertible {
  /// "line 7: key 'a' is already used in line 3".
  public var description: String {
    let key = excerpt(key)
    return switch lines.count {
    case 0: "key '\(key)' occurs twice"
    case 1: "line \(lines[0]): key '\(key)' already exists in the dataset"
    default: "line \(lines[1]): key '\(key)' is already used in line \(lines[0])"
    }
  }
}

extension DuplicateKey {
  /// The duplicate without unknown line numbers.
  var withoutUnknownLines: DuplicateKey { DuplicateKey(key: key, lines: lines.filter { $0 > 0 }) }
}
