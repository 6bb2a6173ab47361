// An operation that ended before another began must precede it in the log. One sweep over all
// ends and begins in time order tracks the greatest position of the operations that have ended.

extension HistoryChecker {
  /// The scope of a comparison: a dataset, or a session in a dataset.
  private struct Row: Hashable {
    var dataset: String
    var session: String?
  }

  /// The least position of a row's operations from a given time on.
  private struct Demand {
    var rule: HistoryRule
    var row: Row
    /// Operations that ended before this time count.
    var time: Int64
    var operation: ClientOperation
    var place: Place
  }

  private struct Place {
    var sequence: Int
    /// A write is exactly at its sequence; reads are after it and before the next write.
    var isWrite: Bool
  }

  mutating func checkOrder() {
    var ends: [(time: Int64, operation: ClientOperation, place: Place)] = []
    var demands: [Demand] = []
    for operation in operations {
      guard let place = place(of: operation) else { continue }
      if let end = operation.end, isAnswered(operation) { ends.append((end, operation, place)) }
      demands += self.demands(of: operation, place)
    }
    ends.sort { $0.time < $1.time }
    demands.sort { $0.time < $1.time }
    var greatest: [Row: (operation: ClientOperation, place: Place)] = [:]
    var endCount = 0
    for demand in demands {
      while endCount < ends.count, ends[endCount].time < demand.time {
        let (_, operation, place) = ends[endCount]
        for session in [nil, operation.session] {
          let row = Row(dataset: operation.dataset, session: session)
          if greatest[row].map({ $0.place.sequence < place.sequence }) ?? true {
            greatest[row] = (operation, place)
          }
        }
        endCount += 1
      }
      guard let before = greatest[demand.row] else { continue }
      let least = before.place.sequence + (demand.place.isWrite ? 1 : 0)
      guard demand.place.sequence < least else { continue }
      violations.append(
        HistoryViolation(
          demand.rule,
          "at \(demand.place.sequence), with \(before.place.sequence) before",
          operations: [before.operation, demand.operation]))
    }
  }

  /// Whether the client itself knows the position of the operation.
  private func isAnswered(_ operation: ClientOperation) -> Bool {
    switch operation.action {
    case .read, .write(_, .committed): true
    case .write: false
    }
  }

  private func place(of operation: ClientOperation) -> Place? {
    switch operation.action {
    case .read(let reading): return Place(sequence: reading.sequence, isWrite: false)
    case .write(let write, _):
      // A write that is in the log twice is already a violation.
      let found = entries[WriteName(dataset: operation.dataset, write: write)] ?? []
      return found.count == 1 ? Place(sequence: found[0].sequence, isWrite: true) : nil
    }
  }

  private func demands(of operation: ClientOperation, _ place: Place) -> [Demand] {
    let all = Row(dataset: operation.dataset, session: nil)
    guard case .read(let reading) = operation.action else {
      return [
        Demand(rule: .realTime, row: all, time: operation.begin, operation: operation, place: place)
      ]
    }
    let own = Row(dataset: operation.dataset, session: operation.session)
    var demands = [
      Demand(rule: .session, row: own, time: operation.begin, operation: operation, place: place)
    ]
    if let age = reading.age {
      // The age was measured after the read began, so this demand is not stricter than the
      // answer states.
      demands.append(
        Demand(
          rule: .age, row: all, time: operation.begin - age, operation: operation, place: place))
    }
    return demands
  }
}
