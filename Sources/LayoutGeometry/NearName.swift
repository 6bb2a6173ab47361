/// The maximum number of UTF-8 bytes of a compared name: there are no suggestions for longer ones.
private let nearNameBytesMax = 64

/// The maximum number of names compared with a text.
private let nearNamesMax = 4096

/// Returns the name that a mistyped text probably means.
///
/// Case, dashes, underscores and spaces are ignored. An extra, missing, wrong or transposed
/// letter is one mistake; a third of the letters may be mistakes, up to three. A prefix of at
/// least three letters matches a name, too.
///
/// - Parameters:
///   - text: The untrusted text, of any length.
///   - names: The existing names; the first of several equally near names is returned.
/// - Returns: One of the names; `nil` if none is near.
/// - Complexity: O(names), at most 4,096 of them.
package func nearestName(to text: String, among names: some Sequence<String>) -> String? {
  let typed = letters(of: text)
  guard !typed.isEmpty, typed.count <= nearNameBytesMax else { return nil }
  let mistakesMax = min(3, max(1, typed.count / 3))
  var best: (name: String, mistakes: Int)?
  for name in names.prefix(nearNamesMax) {
    let known = letters(of: name)
    if known.isEmpty || known.count > nearNameBytesMax { continue }
    let isStart = typed.count >= 3 && known.starts(with: typed)
    let mistakes = isStart ? 1 : mistakes(in: typed, of: known, upTo: mistakesMax)
    guard let mistakes, mistakes < known.count, mistakes < best?.mistakes ?? .max else { continue }
    best = (name, mistakes)
    if mistakes == 0 { break }
  }
  return best?.name
}

/// Returns a list of names for a message: quoted, and truncated if there are many.
///
/// - Parameter countMax: The maximum number of names.
package func listing(_ names: some Collection<String>, upTo countMax: Int = 12) -> String {
  let listed = names.prefix(countMax).map { "'\(excerpt($0))'" }
  let rest = names.count - listed.count
  return listed.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
}

/// Returns the question whether a near name was meant; `nil` if none is near.
package func didYouMean(_ text: String, among names: some Sequence<String>) -> String? {
  nearestName(to: text, among: names).map { "did you mean '\(excerpt($0))'?" }
}

/// Returns the bytes of a name for comparison.
private func letters(of name: String) -> [UInt8] {
  // One byte more than compared, which marks names that are too long.
  name.utf8.lazy.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") && $0 != 0x20 }
    .prefix(nearNameBytesMax + 1)
    .map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }
}

/// Returns the number of letters to insert, delete, replace or transpose.
///
/// Source: optimal string alignment, in three rows.
///
/// - Returns: `nil` above the maximum.
private func mistakes(in text: [UInt8], of name: [UInt8], upTo most: Int) -> Int? {
  guard abs(text.count - name.count) <= most else { return nil }
  var before: [Int] = []
  var last = Array(0...name.count)
  for (row, letter) in text.enumerated() {
    var next = [row + 1]
    for (column, other) in name.enumerated() {
      var least = min(
        last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, next[column] + 1)
      if row > 0, column > 0, letter == name[column - 1], text[row - 1] == other {
        least = min(least, before[column - 1] + 1)
      }
      next.append(least)
    }
    (before, last) = (last, next)
  }
  return last[name.count] <= most ? last[name.count] : nil
}
