/// A run of consecutive elements: what a tree stores in its leaf nodes, and
/// what is handed to it to be inserted.
///
/// Laws, for leaves `a`, `b` and a range `r` within `0..<a.count`:
///
/// - `a.slice(r).count == r.count`
/// - `a.joined(with: b).count == a.count + b.count`
/// - `a.slice(0..<i).joined(with: a.slice(i..<a.count))` holds the elements of
///   `a`
/// - `a.joined(with: b).summary` is the product of `a.summary` and `b.summary`
///
/// A leaf handed to a tree may be of any length; the tree cuts it.
@usableFromInline package protocol TreeLeaf: Sendable {
  /// The monoid of this leaf's summaries.
  associatedtype LeafSummary: Summary

  /// The number of elements.
  var count: Int { get }

  /// The product of the elements' summaries, in order.
  var summary: LeafSummary { get }

  /// Whether a summary that comes from a file may be that of this leaf.
  ///
  /// Called once for each leaf that is loaded. Law: `summary` is accepted; of others,
  /// what `Summary.isProduct(of:)` says.
  func isSummed(by summary: LeafSummary) -> Bool

  /// Returns the elements of the half-open range `range` within `0..<count`.
  func slice(_ range: Range<Int>) -> Self

  /// Returns the elements of this leaf followed by those of `next`.
  func joined(with next: Self) -> Self

  /// Returns the elements with those of a half-open range replaced by those of a run.
  ///
  /// Law: the same as what is before the range, the run, and what is behind it, sliced and
  /// joined. A leaf that knows a shorter way copies its elements once.
  func replacing(_ range: Range<Int>, with run: Self?) -> Self

  /// The approximate memory this leaf occupies, in bytes, for cache budgets.
  var byteCount: Int { get }

  /// Appends this leaf's bytes.
  ///
  /// Law: `init(from:)` reads exactly these bytes and returns an equal leaf.
  func encode(into writer: inout ByteWriter)

  /// Reads a leaf.
  ///
  /// - Throws: `ByteError` for bytes that `encode(into:)` cannot have written;
  ///   it never traps.
  init(from reader: inout ByteReader) throws(ByteError)
}

extension TreeLeaf {
  @inlinable
  package func isSummed(by summary: LeafSummary) -> Bool { self.summary == summary }

  @inlinable
  package func replacing(_ range: Range<Int>, with run: Self?) -> Self {
    let parts = [
      range.lowerBound > 0 ? slice(0..<range.lowerBound) : nil, run,
      range.upperBound < count ? slice(range.upperBound..<count) : nil,
    ].compactMap { $0 }
    guard let first = parts.first else { return slice(0..<0) }
    return parts.dropFirst().reduce(first) { $0.joined(with: $1) }
  }
}
