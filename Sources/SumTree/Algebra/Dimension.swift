/// A state that moves along a tree: accumulated and compared by a seek.
///
/// Summaries **act** on states, so that a seek maintains one small state instead of multiplying
/// whole summaries. Laws, for a state `x` and summaries `a`, `b` of `m` and `n` elements:
///
/// - advancing over `identity` and zero elements leaves `x` unchanged
/// - advancing over `a` and then over `b` equals advancing over `a·b` and `m + n` elements
///
/// Trees copy a state once for each child they visit. A state should be a few words without
/// heap memory; for a state that is an array, prefer the seeks by element offset, which advance
/// only in place.
@usableFromInline package protocol Dimension<LeafSummary> {
  /// The monoid that acts on this state.
  associatedtype LeafSummary: Summary

  /// Moves the state over `count` elements with the given summary.
  mutating func advance(over summary: LeafSummary, count: Int)
}
