/// The entries that this process is deciding. A copy of the record outlives the process: an entry
/// that has ended two processes is not decided again.
struct DecisionRecord {
  /// Consecutive entries of a dataset.
  private struct Run {
    var first: Int
    var last: Int
    /// The number of processes that have ended while ``first`` was decided.
    var endCount = 0
    /// Whether this process is deciding them.
    var isBegun = true
  }

  /// By dataset, those that are being decided, and those whose decision has ended a process.
  private var runs: [Int64: Run] = [:]

  /// The number of ends after which an entry is not decided.
  static let endsMax = 2

  /// Creates the record from that of an earlier process, which has ended; empty from other bytes.
  init(of bytes: [UInt8]) {
    let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
    for run in text.split(separator: ",") {
      let numbers = run.split(separator: " ").compactMap { Int($0) }
      guard numbers.count == 5 else { continue }
      let endCount = min(numbers[3] &+ numbers[4], Self.endsMax)
      runs[Int64(numbers[0])] = Run(
        first: numbers[1], last: numbers[2], endCount: endCount, isBegun: false)
    }
  }

  /// Of each run the dataset, the first and last entry, the ends, and 1 if it is being decided; up to
  /// a full stop.
  var encoded: [UInt8] {
    let texts = runs.map { dataset, run in
      "\(dataset) \(run.first) \(run.last) \(run.endCount) \(run.isBegun ? 1 : 0)"
    }
    return Array((texts.joined(separator: ",") + ".").utf8)
  }

  /// Returns the number of processes that have ended with an entry; `nil` if none has ended with it
  /// or one shortly before it: it need not be decided alone.
  func endCount(_ dataset: Int64, _ entry: Int) -> Int? {
    guard let run = runs[dataset], (run.first...run.last).contains(entry) else { return nil }
    return run.first == entry ? run.endCount : 0
  }

  /// Records that entries are about to be decided.
  mutating func begin(_ dataset: Int64, _ first: Int, through last: Int) {
    let endCount = endCount(dataset, first)
    runs[dataset] = Run(
      first: first, last: endCount == nil ? last : max(last, runs[dataset]?.last ?? last),
      endCount: endCount ?? 0)
  }

  /// Records that entries were decided, or that this has failed without an end of the process.
  mutating func end(_ dataset: Int64, through last: Int) {
    guard let run = runs[dataset] else { return }
    runs[dataset] =
      run.last <= last ? nil : Run(first: last + 1, last: run.last, isBegun: false)
  }
}
