import LayoutCache

/// The reason why a call to a shared log failed. Only `unavailable` and `misconfigured` tell
/// something about the connection to the log; all others are answers, or concern one call.
package enum SharedLogFailure: Error, Hashable, Sendable {
  /// The log cannot be reached, or does not answer in time; nothing was written.
  case unavailable(String)
  /// The log rejects the connection for a reason that only an administrator removes: a wrong
  /// password, a missing database, a missing permission. Nothing was written.
  case misconfigured(String)
  /// Another session holds a lock that the call needs, or all connections are in use, for too long.
  /// Nothing was written, and the log is available to other calls.
  case busy(String)
  /// It is unknown whether a write was applied: after it was sent, the connection was lost or the
  /// server sent a warning.
  case unknown(String)
  /// The server rejected the statement; nothing was written, and the log is available.
  case rejected(String)
  /// The log has a schema of another version, or contents that this version does not write.
  case incompatible(String)
  /// The next entry of a dataset is of a kind that only newer versions know.
  case newerEntry(String)
  /// A named archive is deleted; nothing was written.
  case archiveDeleted(String)
}

extension SharedLogFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unavailable(let reason), .misconfigured(let reason), .busy(let reason),
      .unknown(let reason), .rejected(let reason), .incompatible(let reason),
      .newerEntry(let reason), .archiveDeleted(let reason):
      reason
    }
  }
}

extension SharedLogFailure {
  /// Whether nothing was written, and the same call may succeed soon.
  var isTransient: Bool {
    switch self {
    case .unavailable, .busy: true
    case .misconfigured, .unknown, .rejected, .incompatible, .newerEntry, .archiveDeleted: false
    }
  }

  /// The library's error for a caller that does not know of a log.
  var asError: LayoutCacheError {
    switch self {
    case .unavailable(let reason), .misconfigured(let reason), .incompatible(let reason):
      LayoutCacheError(.sharedLogUnavailable(reason))
    case .busy(let reason): LayoutCacheError(.database(.busy, message: "the shared log: \(reason)"))
    case .unknown(let reason): LayoutCacheError(.outcomeUnknown(reason))
    case .newerEntry(let reason): ClusterNode.isQuarantined(reason)
    case .rejected(let reason), .archiveDeleted(let reason):
      LayoutCacheError(.database(.inputOutput, message: "the shared log: \(reason)"))
    }
  }
}
