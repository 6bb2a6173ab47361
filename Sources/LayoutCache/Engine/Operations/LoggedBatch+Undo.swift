import LayoutStore

extension LoggedBatch {
  /// Whether the batch takes the one before it back.
  var isUndo: Bool { operations.first == .undo }

  /// What takes the batch back: it says so, and undoes its operations from the last to the
  /// first. Marks stay, and what concerns layouts alone they undo themselves.
  ///
  /// - Throws: ``UndoObstacle``.
  func undone() throws(UndoObstacle) -> LoggedBatch {
    var inverse: [ResolvedOperation] = [.undo]
    for (index, operation) in operations.enumerated().reversed() {
      let isMoved = index + 1 < operations.count && operations[index + 1].isMoveIn
      inverse += try operation.undone(isMoved: isMoved)
    }
    return LoggedBatch(operations: inverse)
  }
}

extension ResolvedOperation {
  fileprivate var isMoveIn: Bool {
    if case .insertItems(_, _, _, isMove: true) = self { true } else { false }
  }

  /// The operations that take this one back, on the result of it.
  ///
  /// - Parameter isMoved: Whether the next operation puts in again what this one takes out.
  fileprivate func undone(isMoved: Bool) throws(UndoObstacle) -> [ResolvedOperation] {
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
    case .insertSection(let section):
      return [.deleteSection(section, itemCount: 0)]
    case .deleteSection(let section, let itemCount, let removed):
      if itemCount == 0 { return [.insertSection(section)] }
      guard let removed else { throw .isNotLogged }
      return [.insertSection(section), .insertItems(removed, index: 0, section: section)]
    case .moveSection(let section, let target):
      return [
        .moveSection(from: SectionReference(index: target, key: section.key), to: section.index)
      ]
    case .invalidateItems: return [self]
    case .rebalance, .everything, .carryOn, .mark, .undo: return []
    case .build: throw .isImport
    case .deleteItems, .changeItem, .changeData: throw .isNotLogged
    }
  }
}

extension StoreReader {
  /// Whether an entry of a log takes the one before it back.
  ///
  /// - Throws: ``StoreError`` with `corrupt` where it is damaged.
  func isUndo(_ revision: Int, of dataset: Int64) throws -> Bool {
    guard let entry = try logRow(of: dataset, at: revision) else { return false }
    return try LoggedBatch(entry, path: path).isUndo
  }
}
