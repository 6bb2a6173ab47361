#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The time of day, by which the log is kept and what is abandoned is found; tests bring
/// their own.
package struct WallClock: Sendable {
  /// The milliseconds since 1970.
  package let now: @Sendable () -> Int64

  package init(now: @escaping @Sendable () -> Int64) { self.now = now }

  /// The system's.
  package static let system = WallClock { Int64(Date().timeIntervalSince1970 * 1000) }
}
