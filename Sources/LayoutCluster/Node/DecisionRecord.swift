/// The entries that this process is about to decide. A copy of it outlives the process: an entry
/// that ends two processes is not decided again.
struct DecisionRecord {
  /// Consecutive entries of a dataset.
  private struct Run {
    var first: Int
    var last: Int
    /// The number of processes that have ended since ``first`` was about to be decided.
    var endCount = 0
  }

  /// By dataset, those that are being decided, or were when an earlier process ended.
  private var runs: [Int64: Run] = [:]

  /// The number of ends after which an entry is not decided.
  static let endsMax = 2

  /// Creates the record from that of an earlier process, which has ended; empty from other bytes.
  init(of bytes: [UInt8]) {
    let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
    for run in text.split(separator: ",") {
      let numbers = run.split(separator: " ").compactMap { Int($0) }
      guard numbers.count == 4 else { continue }
      runs[Int64(numbers[0])] = Run(
        first: numbers[1], last: numbers[2], endCount: min(numbers[3] &+ 1, Self.endsMax))
    }
  }

  /// Of each run the dataset, the first and last entry, and the ends, up to a full stop.
  var encoded: [UInt8] {
    let texts = runs.map { dataset, run in "\(dataset) \(run.first) \(run.last) \(run.endCount)" }
    return Array((texts.joined(separator: ",") + ".").utf8)
  }

  /// Records that entries are about to be decided.
  ///
  /// - Returns: Whether the first must be decided alone, since a process has ended with it or one
  ///   before it, and the number of processes that have ended with it.
  mutating func begin(_ dataset: Int64, _ first: Int, through last: Int) -> (Bool, ends: Int) {
    guard let earlier = runs[dataset], earlier.first <= first, first <= earlier.last else {
      runs[dataset] = Run(first: first, last: last)
      return (false, 0)
    }
    let ends = earlier.first == first ? earlier.endCount : 0
    runs[dataset] = Run(first: first, last: earlier.last, endCount: ends)
    return (true, ends)
  }

  /// Records that entries were decided, or that this has failed without an end of the process.
  mutating func end(_ dataset: Int64, through last: Int) {
    if let run = runs[dataset], run.last <= last { runs[dataset] = nil }
  }
}
