extension Cursor {
  /// Moves to the next leaf that is wanted, passing over whole subtrees that are not.
  ///
  /// - Parameter wanted: Whether a run of elements may hold what is looked for, by the
  ///   state before it and its summary. Law: it is true of a run if it is true of a
  ///   part of it. Nothing is required of the order of runs.
  /// - Returns: `false` at the end.
  /// - Throws: What resolving nodes throws; see `TreeReader`.
  /// - Complexity: Visits the nodes that are wanted.
  @inlinable
  @discardableResult
  public mutating func next(
    where wanted: (_ before: Place, _ summary: Leaf.LeafSummary) -> Bool
  ) throws -> Bool {
    passCurrentLeaf()
    return try move { before, _, summary, _ in wanted(before, summary) }
  }
}
