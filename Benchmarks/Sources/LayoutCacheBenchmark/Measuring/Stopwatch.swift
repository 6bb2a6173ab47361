import Foundation

/// Times calls, less what reading the clock itself takes.
struct Stopwatch {
  private var clockNanoseconds: Int64 = 0

  init() {
    let empty = (0..<1001).map { _ in nanoseconds {} }
    clockNanoseconds = empty.sorted()[empty.count / 2]
  }

  /// The time of a call, in nanoseconds.
  func nanoseconds(_ body: () throws -> Void) rethrows -> Int64 {
    let start = Self.now
    try body()
    return max(0, Self.now - start - clockNanoseconds)
  }

  /// Runs contestants in turn, a block of calls each, so that a machine whose speed
  /// drifts is as fast for one as for the other.
  ///
  /// - Parameters:
  ///   - count: The calls of each contestant.
  ///   - secondsMax: What all calls together may take before the rest is left out.
  ///   - contestants: Each takes the number of its call.
  ///   - afterBlock: What is done after each block of all of them, not timed; takes
  ///     the calls' numbers.
  /// - Returns: For each contestant the nanoseconds of each call.
  func inTurn(
    _ count: Int, block: Int = 100, secondsMax: Int64 = .max,
    _ contestants: [(Int) throws -> Void],
    afterBlock: (Range<Int>) throws -> Void
  ) throws -> [[Int64]] {
    var samples = contestants.map { _ in [Int64]() }
    var total: Int64 = 0
    for start in stride(from: 0, to: count, by: block) {
      let calls = start..<min(start + block, count)
      for (index, contestant) in contestants.enumerated() {
        for call in calls {
          let sample = try nanoseconds { try contestant(call) }
          samples[index].append(sample)
          total += sample
        }
      }
      try afterBlock(calls)
      if total / 1_000_000_000 >= secondsMax { break }
    }
    return samples
  }

  /// Now, in nanoseconds of a clock that all processes share and nobody sets.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
