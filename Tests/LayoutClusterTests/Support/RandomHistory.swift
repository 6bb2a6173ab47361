import ClusterSimulation
import TestSupport

/// A history of some clients with a correct log: every operation takes effect between its begin
/// and its end, or, if its outcome is unknown, later or never.
struct RandomHistory {
  var history = History()
  /// A time after all operations.
  private(set) var time: Int64 = 0

  init(using generator: inout SeededGenerator) {
    let calls = Self.calls(using: &generator)
    for dataset in Set(calls.map(\.dataset)).sorted() {
      history.log.append(Self.making(of: dataset))
    }
    // The time at which the state of each sequence, from 1, begins.
    var begins: [String: [Int64]] = [:]
    var seen: [String: Int] = [:]
    for call in calls {
      let isWrite = generator.oneIn(2)
      var operation = ClientOperation(
        session: call.session, begin: call.begin, end: call.end, dataset: call.dataset,
        action: .write("w\(call.effect)", .unknown))
      if isWrite {
        write(&operation, call, &begins, using: &generator)
      } else {
        // The state at the node's last poll, or the current one if the session has seen more.
        let own = "\(call.session) of \(call.dataset)"
        var asked = call.effect - Int64.random(in: 0...400, using: &generator)
        let times = begins[call.dataset] ?? []
        var sequence = times.count { $0 <= asked }
        if sequence < seen[own] ?? 0 { (asked, sequence) = (call.effect, times.count) }
        seen[own] = sequence
        let age = generator.oneIn(3) ? nil : call.effect - asked
        operation.action = .read(reading(at: sequence, of: call.dataset, age: age))
      }
      if case .write(_, .committed(let sequence, _)) = operation.action {
        seen["\(call.session) of \(call.dataset)"] = sequence
      }
      history.operations.append(operation)
      time = max(time, call.effect, call.end)
    }
    history.operations.shuffle(using: &generator)
    history.log.shuffle(using: &generator)
  }

  // MARK: Calls

  private struct Call {
    var session: String
    var dataset: String
    var begin: Int64
    var effect: Int64
    var end: Int64
  }

  /// Calls in the order of their effects; a session's do not overlap.
  private static func calls(using generator: inout SeededGenerator) -> [Call] {
    var calls: [Call] = []
    for session in 0..<Int.random(in: 1...5, using: &generator) {
      var time: Int64 = 0
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        let times = (0..<3).map { _ -> Int64 in
          time += 1 + (generator.oneIn(3) ? 0 : Int64.random(in: 0...100, using: &generator))
          return time
        }
        calls.append(
          Call(
            session: "s\(session)", dataset: generator.oneIn(3) ? "1" : "2", begin: times[0],
            effect: times[1], end: times[2]))
      }
    }
    // Different sessions may share times, but the log grows at distinct moments.
    calls.sort { ($0.effect, $0.session) < ($1.effect, $1.session) }
    for index in calls.indices {
      let shift = Int64(index)
      calls[index].begin = calls[index].begin * 1000
      calls[index].effect = calls[index].effect * 1000 + shift
      calls[index].end = calls[index].end * 1000 + 999
    }
    return calls
  }

  private mutating func write(
    _ operation: inout ClientOperation, _ call: Call, _ begins: inout [String: [Int64]],
    using generator: inout SeededGenerator
  ) {
    guard case .write(let write, _) = operation.action else { return }
    let isUnknown = generator.oneIn(4)
    if isUnknown, generator.oneIn(2) { operation.end = nil }
    let isRefused = generator.oneIn(5)
    if !isRefused {
      // Some entries are proposed by the node itself, for no client.
      if generator.oneIn(4) {
        append(to: call.dataset, write: nil)
        begins[call.dataset, default: []].append(call.effect)
      }
      append(to: call.dataset, write: write)
      begins[call.dataset, default: []].append(call.effect)
    }
    let entry = last(of: call.dataset)
    if !isUnknown {
      operation.action = .write(
        write,
        isRefused
          ? .refused : .committed(sequence: entry.sequence, revision: entry.revision))
    }
  }

  // MARK: The log

  func digest(_ dataset: String, _ sequence: Int, _ question: String) -> String {
    "\(question) of \(dataset) at \(sequence)"
  }

  static func making(of dataset: String) -> LoggedEntry {
    LoggedEntry(
      dataset: dataset, sequence: 0, revision: 1, chain: chain(dataset, 0), write: nil)
  }

  private static func chain(_ dataset: String, _ sequence: Int) -> String {
    "\(dataset)-\(sequence)"
  }

  func entries(of dataset: String) -> [LoggedEntry] {
    history.log.filter { $0.dataset == dataset }.sorted { $0.sequence < $1.sequence }
  }

  func last(of dataset: String) -> LoggedEntry { entries(of: dataset).last! }

  mutating func append(to dataset: String, write: String?) {
    var entry = last(of: dataset)
    entry.sequence += 1
    entry.revision += write == nil ? 0 : 1
    entry.chain = Self.chain(dataset, entry.sequence)
    entry.write = write
    history.log.append(entry)
  }

  func reading(at sequence: Int, of dataset: String, age: Int64?) -> ClientOperation.Reading {
    let entry = entries(of: dataset)[sequence]
    return ClientOperation.Reading(
      question: "all", sequence: sequence, revision: entry.revision, chain: entry.chain,
      digest: digest(dataset, sequence, "all"), age: age)
  }

  /// Adds an operation after all others.
  mutating func add(
    _ action: ClientOperation.Action, to dataset: String, session: String
  ) {
    history.operations.append(
      ClientOperation(
        session: session, begin: time + 10, end: time + 20, dataset: dataset, action: action))
    time += 20
  }
}
