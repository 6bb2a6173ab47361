import Synchronization

/// The availability of the log, tracked so that calls do not wait for an unavailable one.
struct LogContact {
  private(set) var unavailableSince: Duration?
  private(set) var reason = ""
  /// The time of the last failed call.
  private var lastTry: Duration = .zero
  /// The start of the unanswered poll; `nil` if none is pending.
  private var askedAt: Duration?

  /// A request unanswered for longer is treated as an outage.
  private static let patience = Duration.seconds(2)

  mutating func begin(at time: Duration) { askedAt = time }

  mutating func didAnswer() { (unavailableSince, askedAt) = (nil, nil) }

  mutating func didFail(_ reason: String, at time: Duration) {
    unavailableSince = unavailableSince ?? time
    askedAt = nil
    self.reason = reason
    lastTry = time
  }

  /// Returns why a call would be pointless; `nil` if it may succeed.
  func reasonNotToTry(at time: Duration, for duration: Duration) -> String? {
    if unavailableSince != nil, time - lastTry < duration { return reason }
    if let askedAt, time - askedAt > Self.patience, duration > .zero { return "no answer" }
    return nil
  }
}

extension ClusterNode {
  /// Reads confirmed state from the log, and records whether the log is available.
  func read<R>(_ body: (any SharedLog) throws -> R) throws -> R {
    try writing { try body(store) }
  }

  /// Calls the log, and records whether it is available.
  func writing<R>(_ body: () throws -> R) throws -> R {
    do {
      let result = try body()
      contact.withLock { $0.didAnswer() }
      return result
    } catch let failure as SharedLogFailure {
      switch failure {
      case .unavailable(let reason), .unknown(let reason):
        contact.withLock { $0.didFail(reason, at: options.now()) }
      case .rejected, .incompatible, .archiveDeleted: contact.withLock { $0.didAnswer() }
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
    if call == .idempotentWrite, let reason = reasonNotToTry ?? reasonOfRules {
      throw SharedLogFailure.unavailable(reason)
    }
    let deadline = options.now() + options.timeout
    var unknown: String?
    while true {
      do {
        return try writing(body)
      } catch let failure as SharedLogFailure {
        let isLast = options.now() >= deadline
        switch (call, failure) {
        case (.invisible, .unknown(let reason)), (.invisible, .unavailable(let reason)):
          if isLast { throw SharedLogFailure.unavailable(reason) }
        case (.invisible, _): throw failure
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
    contact.withLock { $0.reasonNotToTry(at: options.now(), for: options.awayFor) }
  }
}
