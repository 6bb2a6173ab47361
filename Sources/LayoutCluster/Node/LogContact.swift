import Synchronization

/// Whether the log answers, so that no call waits for one that is unavailable.
struct LogContact {
  private(set) var unavailableSince: Duration?
  private(set) var reason = ""
  /// When it was last found away.
  private var lastTry: Duration = .zero
  /// When it was asked what is not answered yet.
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

  /// Why there is no use in trying; `nil` where there is.
  func reasonNotToTry(at time: Duration, for duration: Duration) -> String? {
    if unavailableSince != nil, time - lastTry < duration { return reason }
    if let askedAt, time - askedAt > Self.patience, duration > .zero { return "it does not answer" }
    return nil
  }
}

extension ClusterNode {
  /// Reads what the log has decided for good, and notes whether it is there.
  func read<R>(_ body: (any SharedLogReader) throws -> R) throws -> R {
    try writing { try store.read(node: name, body) }
  }

  /// Makes a call to the log, and notes whether it is there.
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

  /// The calls that are made again after a failure.
  enum RetriedCall {
    /// A call without an effect that other nodes see before it is answered. It is retried while
    /// the log is unavailable, and its failure is never `unknown`.
    case invisible
    /// A write that may be made twice. It is retried until its outcome is known, and not where
    /// the log was unavailable from the start: after any failure but `unknown` nothing was done.
    case idempotentWrite
  }

  /// Makes a call, again and again for ``ClusterOptions/timeout`` at most.
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
          // The call before may have been done, or may be done yet.
          guard let unknown else { throw failure }
          if isLast { throw SharedLogFailure.unknown(unknown) }
        }
      }
      options.pause(.milliseconds(50))
    }
  }

  /// Why the log need not be asked now; `nil` where it may be there.
  var reasonNotToTry: String? {
    contact.withLock { $0.reasonNotToTry(at: options.now(), for: options.awayFor) }
  }
}
