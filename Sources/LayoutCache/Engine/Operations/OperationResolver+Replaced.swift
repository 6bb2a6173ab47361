import SumTree

// The replaced content that the log stores: enough to report changes and undo them, but bounded,
// so that large deletions stay possible.

extension OperationResolver {
  /// Returns the removed items for the log; `nil` if the log should not store them.
  ///
  /// - Parameter range: Item numbers, counted from the dataset's first.
  mutating func removed(_ range: Range<Int>) throws -> ItemRun? {
    guard !range.isEmpty, range.count <= Budgets.removedItems else { return nil }
    var run = ItemRun()
    var data = ItemDataFinger(trees.data, in: session)
    var start = range.lowerBound
    try trees.items.forEachRun(of: range, in: session) { items in
      // Data that will not be stored need not be read.
      guard run.data.byteCount <= Budgets.replacedDataBytes else { return }
      run.append(ItemRun(items, try data.run(of: start..<(start + items.count))))
      start += items.count
    }
    return keepsReplaced(run.data.byteCount) ? run : nil
  }

  /// Returns whether the log can store `byteCount` more bytes of removed or changed data, and
  /// counts them.
  mutating func keepsReplaced(_ byteCount: Int) -> Bool {
    guard replacedDataBytes + byteCount <= Budgets.replacedDataBytes else { return false }
    replacedDataBytes += byteCount
    return true
  }
}
