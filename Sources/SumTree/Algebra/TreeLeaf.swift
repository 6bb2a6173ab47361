/// A run of consecutive elements: the content of a tree's leaf nodes, and the form in which
/// elements are inserted.
///
/// Laws, for leaves `a`, `b` and a range `r` within `0..<a.count`:
///
/// - `a.slice(r).count == r.count`
/// - `a.joined(with: b).count == a.count + b.count`
/// - `a.slice(0..<i).joined(with: a.slice(i..<a.count))` holds the elements of `a`
/// - `a.joined(with: b).summary` is the product of `a.summary` and `b.summary`
///
/// A leaf to be inserted may be of any length; the tree splits it.
@usableFromInline package protocol TreeLeaf: Sendable {
  /// The monoid of this leaf's summaries.
  associatedtype LeafSummary: Summary

  /// The number of elements.
  var count: Int { get }

  /// The product of the elements' summaries, in order.
  var summary: LeafSummary { get }

  /// Returns whether a summary that was read from a file may be that of this leaf.
  ///
  /// Called once for each leaf that is loaded. Law: `summary` is accepted; for others, as
  /// `Summary.isProduct(of:)`.
  func isSummed(by summary: LeafSummary) -> Bool

  /// Returns the elements of the half-open range `range` within `0..<count`.
  func slice(_ range: Range<Int>) -> Self

  /// Returns the elements of this leaf followed by those of `next`.
  func joined(with next: Self) -> Self

  /// The approximate memory this leaf occupies, in bytes, for cache budgets.
  var byteCount: Int { get }

  /// Appends this leaf's bytes.
  ///
  /// Law: `init(from:)` reads exactly these bytes and returns an equal leaf.
  func encode(into writer: inout ByteWriter)

  /// Reads a leaf.
  ///
  /// - Throws: `ByteError` for bytes that `encode(into:)` cannot have written; it never traps.
  init(from reader: inout ByteReader) throws(ByteError)
}

extension TreeLeaf {
  @inlinable
  package func isSummed(by summary: LeafSummary) -> Bool { self.summary == summary }
}
