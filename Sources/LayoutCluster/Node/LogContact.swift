import Synchronization

/// Whether the log answers: who asks a log that is away waits for nothing.
struct LogContact {
  private(set) var awaySince: Duration?
  private(set) var reason = ""
  /// When it was last found away.
  private var lastTry: Duration = .zero
  /// When it was asked what is not answered yet.
  private var askedAt: Duration?

  /// Who waits longer for it takes it to be away.
  private static let patience = Duration.seconds(2)

  mutating func begin(at time: Duration) { askedAt = time }

  mutating func isThere() { (awaySince, askedAt) = (nil, nil) }

  mutating func isAway(_ reason: String, at time: Duration) {
    awaySince = awaySince ?? time
    askedAt = nil
    self.reason = reason
    lastTry = time
  }

  /// Why there is no use in trying; `nil` where there is.
  func reasonNotToTry(at time: Duration, for duration: Duration) -> String? {
    if awaySince != nil, time - lastTry < duration { return reason }
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
      contact.withLock { $0.isThere() }
      return result
    } catch let failure as SharedLogFailure {
      switch failure {
      case .isAway(let reason), .isUnknown(let reason):
        contact.withLock { $0.isAway(reason, at: options.now()) }
      case .isForeign: contact.withLock { $0.isThere() }
      }
      throw failure
    }
  }

  /// Why the log need not be asked now; `nil` where it may be there.
  var reasonNotToTry: String? {
    contact.withLock { $0.reasonNotToTry(at: options.now(), for: options.awayFor) }
  }
}
