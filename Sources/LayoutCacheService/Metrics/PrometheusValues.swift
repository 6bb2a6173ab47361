import CoreMetrics
import Synchronization

final class PrometheusCounter: CounterHandler {
  private let count = Atomic<Int64>(0)

  var value: Int64 { count.load(ordering: .relaxed) }

  func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }

  func reset() { count.store(0, ordering: .relaxed) }
}

final class PrometheusGauge: MeterHandler, RecorderHandler {
  private let number = Mutex(0.0)

  var value: Double { number.withLock { $0 } }

  func set(_ value: Int64) { set(Double(value)) }

  func set(_ value: Double) { number.withLock { $0 = value } }

  func increment(by amount: Double) { number.withLock { $0 += amount } }

  func decrement(by amount: Double) { number.withLock { $0 -= amount } }

  func record(_ value: Int64) { set(Double(value)) }

  func record(_ value: Double) { set(value) }
}

/// A histogram with cumulative buckets.
final class PrometheusHistogram: TimerHandler, RecorderHandler {
  /// Bounds from 100 microseconds to 10 seconds.
  static let seconds = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
    10,
  ]
  /// Bounds for counts and bytes.
  static let sizes = (0...9).map { Double(1 << (2 * $0)) }

  private struct State {
    var counts: [Int]
    var sum = 0.0
    var count = 0
  }

  private let bounds: [Double]
  private let unit: Double
  private let state: Mutex<State>

  /// - Parameter unit: The factor from a recorded integer to the unit of the bounds.
  init(bounds: [Double], unit: Double) {
    self.bounds = bounds
    self.unit = unit
    state = Mutex(State(counts: Array(repeating: 0, count: bounds.count)))
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) * unit) }

  func record(_ value: Int64) { record(Double(value) * unit) }

  func record(_ value: Double) {
    state.withLock { state in
      if let index = bounds.firstIndex(where: { value <= $0 }) { state.counts[index] += 1 }
      state.sum += value
      state.count += 1
    }
  }

  /// Returns the cumulative counts of values up to each bound, the sum of all values, and their
  /// number.
  func values() -> (buckets: [(bound: String, count: Int)], sum: Double, count: Int) {
    let state = state.withLock { $0 }
    var below = 0
    var buckets: [(bound: String, count: Int)] = []
    for (bound, count) in zip(bounds, state.counts) {
      below += count
      buckets.append((String(bound), below))
    }
    buckets.append(("+Inf", state.count))
    return (buckets, state.sum, state.count)
  }
}
