/// The most UTF-8 bytes of a name that is compared: whoever mistypes a longer one is shown it
/// as it is.
private let nearNameBytesMax = 64

/// The most names that a text is compared with.
private let nearNamesMax = 4096

/// The name that a mistyped text probably means.
///
/// Case, dashes, underscores and spaces do not count. A letter too many, missing, wrong or
/// swapped with its neighbour is one mistake; a third of the letters may be mistaken, up to
/// three. The start of a name, of three letters at least, means it too.
///
/// - Parameters:
///   - text: From outside, of any length.
///   - names: What there is; the first of those that are equally near is taken.
/// - Returns: One of the names; `nil` where none is near.
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

/// Names as a message lists them: in quotes, the first of them where they are many.
///
/// - Parameter countMax: How many at most.
package func listing(_ names: some Collection<String>, upTo countMax: Int = 12) -> String {
  let listed = names.prefix(countMax).map { "'\(excerpt($0))'" }
  let rest = names.count - listed.count
  return listed.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
}

/// Which name was probably meant, as a message asks; `nil` where none is near.
package func didYouMean(_ text: String, among names: some Sequence<String>) -> String? {
  nearestName(to: text, among: names).map { "did you mean '\(excerpt($0))'?" }
}

/// The bytes of a name that are compared.
private func letters(of name: String) -> [UInt8] {
  // One more than is compared tells that it is too long.
  name.utf8.lazy.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") && $0 != 0x20 }
    .prefix(nearNameBytesMax + 1)
    .map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }
}

/// The letters to insert, delete, replace or swap with their neighbours.
///
/// Source: optimal string alignment, in three rows.
///
/// - Returns: `nil` where they are more than some.
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
