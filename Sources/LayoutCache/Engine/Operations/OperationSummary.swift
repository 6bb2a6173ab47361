/// The operations of some commits in words: "resize of 1 item, insertion of 2 sections".
struct OperationSummary: CustomStringConvertible {
  /// The counted acts and their objects, in the order in which they were first added.
  private var counts: [(act: String, noun: String, count: Int)] = []

  mutating func add(_ batch: LoggedBatch) {
    for (index, operation) in batch.operations.enumerated() {
      // A move is counted with the insertion that completes it.
      guard !batch.isMoved(at: index), let (act, noun, count) = operation.summary else { continue }
      if let place = counts.firstIndex(where: { $0.act == act && $0.noun == noun }) {
        counts[place].count += count
      } else {
        counts.append((act, noun, count))
      }
    }
  }

  var description: String {
    counts.isEmpty
      ? "no operation"
      : counts.map { "\($0.act) of \($0.count) \($0.noun)\($0.count == 1 ? "" : "s")" }
        .joined(separator: ", ")
  }
}

extension ResolvedOperation {
  /// The operation's act, its objects, and their number.
  fileprivate var summary: (act: String, noun: String, count: Int)? {
    switch self {
    case .insertItems(let run, _, _, let isMove): (isMove ? "move" : "insertion", "item", run.count)
    case .deleteItems(let range, _, _): ("deletion", "item", range.count)
    case .changeItem(_, _, _, nil, _): ("resize", "item", 1)
    case .changeItem: ("measurement", "item", 1)
    case .changeData: ("change of data", "item", 1)
    case .changeSupplementary(let kind, _, _, _, _): ("measurement", kind.rawValue, 1)
    case .insertSection: ("insertion", "section", 1)
    case .deleteSection: ("deletion", "section", 1)
    case .changeStyle: ("restyle", "section", 1)
    case .moveSection: ("move", "section", 1)
    case .invalidateItems(let range, _, _): ("invalidation", "item", range.count)
    case .rebalance, .continueRebalance: ("rebalance", "layout", 1)
    case .everything: ("invalidation", "layout", 1)
    // Marks stay.
    case .mark, .build, .undo: nil
    }
  }
}
