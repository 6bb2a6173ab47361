import Foundation

/// Measures the time of calls, without the cost of reading the clock.
struct Stopwatch {
  private var clockNanoseconds: Int64 = 0

  init() {
    let empty = (0..<1001).map { _ in nanoseconds {} }
    clockNanoseconds = empty.sorted()[empty.count / 2]
  }

  /// Returns the time of a call, in nanoseconds.
  func nanoseconds(_ body: () throws -> Void) rethrows -> Int64 {
    let start = Self.now
    try body()
    return max(0, Self.now - start - clockNanoseconds)
  }

  /// Runs contestants in turn, one block of calls each, so that changes of the machine's speed
  /// affect them equally.
  ///
  /// - Parameters:
  ///   - count: The calls of each contestant.
  ///   - contestants: Their argument is the number of the call.
  ///   - afterBlock: Runs after each block of all contestants, untimed. Its argument is the range
  ///     of the calls' numbers.
  /// - Returns: The nanoseconds of each call, by contestant.
  func inTurn(
    _ count: Int, block: Int = 100, _ contestants: [(Int) throws -> Void],
    afterBlock: (Range<Int>) throws -> Void
  ) throws -> [[Int64]] {
    var samples = contestants.map { _ in [Int64]() }
    for start in stride(from: 0, to: count, by: block) {
      let calls = start..<min(start + block, count)
      for (index, contestant) in contestants.enumerated() {
        for call in calls {
          samples[index].append(try nanoseconds { try contestant(call) })
        }
      }
      try afterBlock(calls)
    }
    return samples
  }

  /// The current time, in nanoseconds of a monotonic clock shared by all processes.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
