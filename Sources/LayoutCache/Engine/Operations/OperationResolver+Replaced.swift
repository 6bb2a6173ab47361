import SumTree

// What the log holds of what was before: enough for who is told what has changed, or takes
// it back, and not so much that nothing can be deleted any more.

extension OperationResolver {
  /// The items that go, for the log; `nil` where it should not hold them.
  ///
  /// - Parameter range: Counted from the dataset's first.
  mutating func removed(_ range: Range<Int>) throws -> ItemRun? {
    guard !range.isEmpty, range.count <= Budgets.removedItems else { return nil }
    var run = ItemRun()
    var data = ItemDataFinger(trees.data, in: session)
    var start = range.lowerBound
    try trees.items.forEachRun(of: range, in: session) { items in
      // Data that are not to be held need not be read.
      guard run.data.byteCount <= Budgets.replacedDataBytes else { return }
      run.append(ItemRun(items, try data.run(of: start..<(start + items.count))))
      start += items.count
    }
    return keepsReplaced(run.data.byteCount) ? run : nil
  }

  /// Whether the log still holds so many bytes of data that go or change.
  mutating func keepsReplaced(_ byteCount: Int) -> Bool {
    guard replacedDataBytes + byteCount <= Budgets.replacedDataBytes else { return false }
    replacedDataBytes += byteCount
    return true
  }
}
