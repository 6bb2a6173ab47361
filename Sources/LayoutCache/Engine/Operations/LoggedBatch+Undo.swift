import LayoutStore

extension LoggedBatch {
  /// Whether the batch reverts the previous one.
  var isUndo: Bool {
    if case .undo? = operations.first { true } else { false }
  }

  /// Returns whether reverting the batch may restore lengths measured for a layout.
  func replacesLengths(of id: Int64) -> Bool {
    operations.contains { operation in
      switch operation {
      case .changeItem(_, _, _, _, let previous): previous?.isMeasured(in: id) ?? false
      case .deleteItems(_, _, let removed), .deleteSection(_, _, let removed, _):
        removed?.items.isMeasured(in: id) ?? false
      case .changeSupplementary(_, _, let layout, _, let previous): layout == id && previous != nil
      default: false
      }
    }
  }

  /// Returns the operations that revert the batch, from the last to the first. Marks stay, and
  /// layouts revert effects that concern only them.
  ///
  /// - Throws: ``UndoError``.
  func inverse() throws(UndoError) -> [ResolvedOperation] {
    var inverse: [ResolvedOperation] = []
    for (index, operation) in operations.enumerated().reversed() {
      inverse += try operation.undone(isMoved: isMoved(at: index))
    }
    return inverse
  }

  /// Returns whether the next operation inserts the items again that the one at an index removes.
  func isMoved(at index: Int) -> Bool {
    guard index + 1 < operations.count,
      case .insertItems(_, _, _, isMove: true) = operations[index + 1]
    else { return false }
    return true
  }

  /// Returns the batch that reverts this one, marked as an undo.
  func undone() throws(UndoError) -> LoggedBatch {
    LoggedBatch(operations: [.undo] + (try inverse()))
  }
}

extension ResolvedOperation {
  /// Returns the operation without the lengths measured for some layouts; `nil` if it only changes
  /// such lengths.
  func removingLengths(of layouts: Set<Int64>) -> ResolvedOperation? {
    func removing(_ items: ItemLeaf) -> ItemLeaf {
      var items = items
      items.removeLengths { layouts.contains($0) }
      return items
    }
    func removing(_ run: ItemRun) -> ItemRun { ItemRun(removing(run.items), run.data) }
    switch self {
    case .insertItems(let run, let index, let section, let isMove):
      return .insertItems(removing(run), index: index, section: section, isMove: isMove)
    case .deleteItems(let range, let section, let removed):
      return .deleteItems(range, section: section, removed: removed.map(removing))
    case .changeItem(let item, let index, let section, let layout, let previous):
      if let layout, layouts.contains(layout) { return nil }
      return .changeItem(
        removing(item), index: index, section: section, layout: layout,
        previous: previous.map(removing))
    case .changeSupplementary(_, _, let layout, _, _):
      return layouts.contains(layout) ? nil : self
    case .changeStyle(let section, var change):
      change.items = change.items.map(removing)
      return .changeStyle(section, change)
    case .changeData, .insertSection, .deleteSection, .moveSection, .invalidateItems, .rebalance,
      .everything, .continueRebalance, .build, .mark, .undo:
      return self
    }
  }

  /// Returns the operations that revert this one, applied to its result.
  ///
  /// - Parameter isMoved: Whether the next operation inserts the items again that this one
  ///   removes.
  fileprivate func undone(isMoved: Bool) throws(UndoError) -> [ResolvedOperation] {
    switch self {
    case .insertItems(let run, let index, let section, _):
      return [.deleteItems(index..<(index + run.count), section: section, removed: run)]
    case .deleteItems(let range, let section, let removed?):
      return [
        .insertItems(removed, index: range.lowerBound, section: section, isMove: isMoved)
      ]
    case .changeItem(let run, let index, let section, let layout, let previous?):
      return [
        .changeItem(previous, index: index, section: section, layout: layout, previous: run)
      ]
    case .changeData(let run, let key, let index, let section, let previous?):
      return [
        .changeData(previous, key: key, index: index, section: section, previous: run)
      ]
    case .changeSupplementary(let kind, let section, let layout, let length, let previous):
      return [
        .changeSupplementary(
          kind, section: section, layout: layout, length: previous, previous: length)
      ]
    case .insertSection(let section, let style):
      return [.deleteSection(section, itemCount: 0, style: style)]
    case .deleteSection(let section, let itemCount, let removed, let style):
      let insertion = ResolvedOperation.insertSection(section, style: style)
      if itemCount == 0 { return [insertion] }
      guard let removed else { throw .notLogged }
      return [insertion, .insertItems(removed, index: 0, section: section)]
    case .changeStyle(let section, let change):
      if change.isEverything { throw .notLogged }
      return [.changeStyle(section, change.reversed)]
    case .moveSection(let section, let target):
      return [
        .moveSection(from: SectionReference(index: target, key: section.key), to: section.index)
      ]
    case .invalidateItems: return [self]
    case .rebalance, .everything, .continueRebalance, .mark, .undo: return []
    case .build: throw .imported
    case .deleteItems, .changeItem, .changeData: throw .notLogged
    }
  }
}

extension StoreReader {
  /// Returns whether an entry of a log reverts the previous one.
  ///
  /// - Throws: ``StoreError`` with `corrupt` if the entry is damaged.
  func isUndo(_ revision: Int, of dataset: Int64) throws -> Bool {
    guard let entry = try logRow(of: dataset, at: revision) else { return false }
    return try LoggedBatch(entry, path: path).isUndo
  }
}
