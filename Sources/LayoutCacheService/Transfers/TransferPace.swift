import NIOCore
import Synchronization

/// The pace at which a client sends an import or takes an export. Only the time for which the client
/// is waited for counts.
final class TransferPace: Sendable {
  private struct State {
    /// The time for which the client was waited for, and the bytes that it has moved in it.
    var waited = Duration.zero
    var bytes = 0
    /// The time since which the client is waited for; `nil` while the work continues.
    var since: ContinuousClock.Instant?
    var isSlow = false
  }

  private let patience: Duration
  private let rateMin: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Mutex(State())

  /// - Parameter timeouts: The minimum rate, and the time over which it is measured.
  init(
    _ timeouts: ServiceTimeouts,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) { (patience, rateMin, self.now) = (timeouts.transfer, timeouts.transferRateMin, now) }

  /// Notes that the client is expected to send or to take bytes from now on.
  func waits() { state.withLock { $0.since = now() } }

  /// Notes the number of bytes that the client has sent or taken, and that the work continues.
  func moved(_ bytes: Int) {
    state.withLock { state in
      state.bytes += bytes
      measure(&state)
      state.since = nil
    }
  }

  /// Whether the client has been too slow.
  var isSlow: Bool {
    state.withLock { state in
      measure(&state)
      return state.isSlow
    }
  }

  private func measure(_ state: inout State) {
    guard let since = state.since else { return }
    let now = now()
    state.waited += since.duration(to: now)
    state.since = now
    if state.waited < patience { return }
    let isSlow = Double(state.bytes) < Double(rateMin) * (state.waited / .seconds(1))
    state = State(since: now, isSlow: state.isSlow || isSlow)
  }

  /// Calls `end` once the client has been too slow, until the returned task is cancelled.
  func watch(on channel: any Channel, _ end: @escaping @Sendable () -> Void) -> RepeatedTask {
    channel.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { task in
      guard self.isSlow else { return }
      task.cancel()
      end()
    }
  }

  /// The reason for which a transfer ends.
  var detail: String { "the client was slower than \(rateMin) bytes per second over \(patience)" }
}
