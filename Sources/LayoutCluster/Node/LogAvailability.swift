import Synchronization

/// Whether the log is available, so that calls do not wait for an unavailable one.
///
/// Polls are the probes: sending one leads from `connected` to `waiting`, and only an answered
/// poll leads back. Any call that cannot reach the log leads to `unavailable`; a call that fails
/// for another reason, or is not answered, changes nothing.
enum LogAvailability: Hashable {
  case connected
  /// A poll is not answered yet.
  case waiting(since: Duration)
  case unavailable(since: Duration, reason: String)

  /// A poll unanswered for longer is treated as an outage: changes are rejected.
  private static let patience = Duration.seconds(2)
  /// Readers do not wait for a log that has not answered a poll for longer.
  private static let readPatience = Duration.milliseconds(500)

  /// Records that a poll is sent.
  mutating func begin(at time: Duration) {
    if self == .connected { self = .waiting(since: time) }
  }

  /// Records that a poll was answered.
  mutating func didAnswer() { self = .connected }

  mutating func didFail(_ reason: String, at time: Duration) {
    switch self {
    case .connected: self = .unavailable(since: time, reason: reason)
    case .waiting(let since), .unavailable(let since, _):
      self = .unavailable(since: since, reason: reason)
    }
  }

  /// Returns why a call would be pointless; `nil` if it may succeed.
  func reasonNotToTry(at time: Duration) -> String? {
    switch self {
    case .connected: nil
    case .waiting(let since): time - since > Self.patience ? "no answer" : nil
    case .unavailable(_, let reason): reason
    }
  }

  /// Returns whether a reader that can be answered without the log may wait for it.
  func isWorthWaiting(at time: Duration) -> Bool {
    switch self {
    case .connected: true
    case .waiting(let since): time - since <= Self.readPatience
    case .unavailable: false
    }
  }
}

extension ClusterNode {
  /// Reads confirmed state from the log, and records whether the log is available.
  func read<R>(_ body: (any SharedLog) throws -> R) throws -> R {
    try writing { try body(store) }
  }

  /// Reads confirmed state as a poll.
  func probe<R>(_ body: (any SharedLog) throws -> R) throws -> R {
    availability.withLock { $0.begin(at: options.now()) }
    do {
      let result = try body(store)
      availability.withLock { $0.didAnswer() }
      return result
    } catch {
      availability.withLock { availability in
        switch error as? SharedLogFailure {
        case .rejected, .incompatible, .newerEntry, .archiveDeleted: availability.didAnswer()
        case .unavailable, .misconfigured, .busy, .unknown, nil:
          availability.didFail("\(error)", at: options.now())
        }
      }
      throw error
    }
  }

  /// Calls the log, and records it if the log is unavailable.
  func writing<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let failure as SharedLogFailure {
      switch failure {
      case .unavailable(let reason), .misconfigured(let reason):
        availability.withLock { $0.didFail(reason, at: options.now()) }
      case .busy, .unknown, .rejected, .incompatible, .newerEntry, .archiveDeleted: break
      }
      throw failure
    }
  }

  /// The kinds of calls that are retried after a failure.
  enum RetriedCall {
    /// A call without an effect that other nodes see before it is answered. It is retried while
    /// the log is unavailable, and its failure is never `unknown`.
    case invisible
    /// A write that may be made twice. It is retried until its outcome is known, but not if the
    /// log was unavailable from the start: after any failure but `unknown`, nothing was written.
    case idempotentWrite
  }

  /// Makes a call, and retries it for at most ``ClusterOptions/timeout``.
  ///
  /// - Throws: ``SharedLogFailure``.
  func retrying<R>(_ call: RetriedCall, _ body: () throws -> R) throws -> R {
    if call == .idempotentWrite { try requireLog() }
    let deadline = options.now() + options.timeout
    var unknown: String?
    while true {
      do {
        return try writing(body)
      } catch let failure as SharedLogFailure {
        let isLast = options.now() >= deadline
        switch (call, failure) {
        case (.invisible, .unknown(let reason)):
          if isLast { throw SharedLogFailure.unavailable(reason) }
        case (.invisible, _):
          if isLast || !failure.isTransient { throw failure }
        case (.idempotentWrite, _):
          if case .unknown(let reason) = failure { unknown = reason }
          // An earlier attempt may have succeeded, or may still succeed.
          guard let unknown else { throw failure }
          if isLast { throw SharedLogFailure.unknown(unknown) }
        }
      }
      options.pause(.milliseconds(50))
    }
  }

  /// The reason not to call the log now; `nil` if it may be available.
  var reasonNotToTry: String? {
    guard options.onlyPollsAsk else { return nil }
    return availability.withLock { $0.reasonNotToTry(at: options.now()) }
  }

  /// - Throws: ``SharedLogFailure`` with `unavailable` if the log is unavailable, or uses layout
  ///   rules that the node does not support.
  func requireLog() throws {
    if let reason = reasonNotToTry ?? reasonOfRules { throw SharedLogFailure.unavailable(reason) }
  }

  /// Whether a reader that can be answered without the log may wait for it.
  var isWorthWaiting: Bool {
    !options.onlyPollsAsk || availability.withLock { $0.isWorthWaiting(at: options.now()) }
  }
}
