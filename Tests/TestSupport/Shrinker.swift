/// Reduces a failing list to a readable size.
public enum Shrinker {
  /// A shorter list for which `fails` still holds; no single element can be
  /// left out of it.
  ///
  /// Leaves out halves, then quarters, down to single elements.
  ///
  /// - Precondition: `fails(list)`.
  /// - Complexity: O(n²) calls of `fails` at worst, O(log n) when one element
  ///   is to blame.
  public static func shrink<Element>(
    _ list: [Element], whileFails fails: ([Element]) throws -> Bool
  ) rethrows -> [Element] {
    let failsAtFirst = try fails(list)
    precondition(failsAtFirst, "the list does not fail")
    var list = list
    var length = max(1, list.count / 2)
    while !list.isEmpty {
      var leftOut = false
      var start = 0
      while start < list.count {
        let end = min(start + length, list.count)
        let shorter = Array(list[..<start] + list[end...])
        if try fails(shorter) {
          list = shorter
          leftOut = true
        } else {
          start = end
        }
      }
      if length > 1 {
        length /= 2
      } else if !leftOut {
        break
      }
    }
    return list
  }
}
