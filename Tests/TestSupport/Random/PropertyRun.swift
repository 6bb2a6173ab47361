import Foundation

/// The seeds and the length of property tests, extended by the environment.
///
/// `LAYOUTCACHE_SEED` adds one seed, `LAYOUTCACHE_STEPS` replaces the number of
/// steps. A value that is no number traps: a run that silently ignored it would
/// look like a pass.
public enum PropertyRun {
  /// Ten fixed seeds, and the environment's.
  public static let seeds: [UInt64] = {
    let fixed: [UInt64] = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
    return fixed + (environmentNumber("LAYOUTCACHE_SEED").map { [$0] } ?? [])
  }()

  /// The environment's number of steps, else `standard`.
  public static func steps(_ standard: Int) -> Int {
    environmentNumber("LAYOUTCACHE_STEPS").map { Int($0) } ?? standard
  }

  private static func environmentNumber(_ name: String) -> UInt64? {
    guard let text = ProcessInfo.processInfo.environment[name] else { return nil }
    guard let number = UInt64(text) else { preconditionFailure("\(name) is no number: \(text)") }
    return number
  }
}
