import Foundation

/// The loop of every property test: which seeds, how many steps, and the position that a
/// failure prints.
///
///     @Test(.property, arguments: PropertyRun.seeds)
///     func sumsAreKept(seed: UInt64) throws {
///       var generator = SeededGenerator(seed: seed)
///       for step in PropertyRun.each(seed, steps: 40) { ... }
///     }
///
/// `LAYOUTCACHE_SEED` adds one seed, `LAYOUTCACHE_SEEDS` replaces the number of fixed ones and
/// `LAYOUTCACHE_STEPS` the number of steps. `LAYOUTCACHE_THOROUGH=1` is the run of `make test-all`
/// after that of `make test`. An invalid value traps: a run that silently ignored it would look like
/// a pass.
public enum PropertyRun {
  /// Whether the run is that of `make test-all`: `LAYOUTCACHE_THOROUGH` is set. Otherwise tests
  /// whose cases differ little run a part of them.
  public static let isThorough = ProcessInfo.processInfo.environment["LAYOUTCACHE_THOROUGH"] != nil

  /// The number of fixed seeds: the environment's, else two, or five in a thorough run.
  public static let fixedCount = Int(
    environmentNumber("LAYOUTCACHE_SEEDS") ?? (isThorough ? 5 : UInt64(gateCount)))

  /// The fixed seeds, and the environment's. A thorough run leaves out those of `make test`, which
  /// has run before.
  public static let seeds = Array(
    seeds(fixedCount).dropFirst(isThorough && fixedCount > gateCount ? gateCount : 0))

  private static let gateCount = 2

  /// A number of fixed seeds, and the environment's.
  public static func seeds(_ count: Int) -> [UInt64] {
    var fixed: [UInt64] = [1, 2]
    while fixed.count < count { fixed.append(fixed[fixed.count - 2] &+ fixed[fixed.count - 1]) }
    return fixed.prefix(count) + (environmentSeed.map { [$0] } ?? [])
  }

  /// The seed of tests that run once, with a different seed each time: the environment's, else
  /// a random one.
  public static let changingSeed = environmentSeed ?? UInt64.random(in: 0...999_999)

  /// The environment's number of steps, else `standard`.
  public static func steps(_ standard: Int) -> Int {
    environmentNumber("LAYOUTCACHE_STEPS").map { Int($0) } ?? standard
  }

  /// The steps of one seed's run, from 0: the environment's number of them, else `standard`.
  /// A failure in a step prints the seed and the step.
  ///
  /// - Precondition: The test has the trait `.property`.
  public static func each(_ seed: UInt64, steps standard: Int) -> some Sequence<Int> {
    let position = PropertyPosition.begin(seed)
    return (0..<steps(standard)).lazy.map { step in
      position.enter("step", step)
      return step
    }
  }

  /// Rounds of steps, from 0, which begin with fresh data each: the environment's number of
  /// them, else `standard`. A failure prints the round too.
  ///
  /// - Precondition: The test has the trait `.property`.
  public static func each(_ seed: UInt64, rounds standard: Int) -> some Sequence<Int> {
    let position = PropertyPosition.begin(seed)
    return (0..<steps(standard)).lazy.map { round in
      position.enter("round", round)
      return round
    }
  }

  /// The seeds of a test that adds something up over all of them, five at least. A failure prints
  /// the seed.
  ///
  /// - Precondition: The test has the trait `.property`.
  public static func eachSeed(
    in seeds: some Sequence<UInt64> = PropertyRun.seeds(max(fixedCount, 5))
  ) -> some Sequence<UInt64> {
    seeds.lazy.map { seed in
      _ = PropertyPosition.begin(seed)
      return seed
    }
  }

  private static var environmentSeed: UInt64? { environmentNumber("LAYOUTCACHE_SEED") }

  private static func environmentNumber(_ name: String) -> UInt64? {
    guard let text = ProcessInfo.processInfo.environment[name] else { return nil }
    guard let number = UInt64(text) else { preconditionFailure("\(name) is no number: \(text)") }
    return number
  }
}
