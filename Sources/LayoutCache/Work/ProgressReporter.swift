/// A progress reporter and cancellation check for laying out a layout.
///
/// Used by one call, on its thread.
final class ProgressReporter {
  private let clock: WallClock
  private let report: ((LayoutProgress) -> Void)?
  private let isCancelled: () -> Bool
  private var progress = LayoutProgress(placedItems: 0, itemCount: 0)
  /// The time of the last report, in milliseconds since 1970.
  private var lastReport: Int64?
  private var hasEnded = false

  /// The time between two reports, in milliseconds: 20 a second.
  private static let interval: Int64 = 50

  /// - Parameters:
  ///   - report: Called with progress that never decreases, even if the work is restarted.
  ///   - isCancelled: Returns whether the work must stop.
  init(
    _ clock: WallClock, report: ((LayoutProgress) -> Void)? = nil,
    isCancelled: @escaping () -> Bool = { false }
  ) {
    self.clock = clock
    self.report = report
    self.isCancelled = isCancelled
  }

  /// - Throws: `CancellationError` if the work must stop.
  func requireGoOn() throws {
    if isCancelled() { throw CancellationError() }
  }

  /// Starts or restarts the work.
  ///
  /// - Throws: As ``requireGoOn()``.
  func begin(itemCount: Int) throws {
    try requireGoOn()
    progress.itemCount = max(progress.itemCount, itemCount)
  }

  /// Records the number of items placed up to now. Called after each leaf.
  ///
  /// - Throws: As ``requireGoOn()``.
  func didPlace(upTo count: Int) throws {
    try requireGoOn()
    guard let report, count > progress.placedItems, !hasEnded else { return }
    progress.placedItems = count
    let now = clock.now()
    // The system clock may be set back.
    if let lastReport, abs(now - lastReport) < Self.interval { return }
    lastReport = now
    // The last report is made by `end()`.
    if count < progress.itemCount { report(progress) }
  }

  /// Records that all items have been placed. Later calls, when the result is copied or the
  /// work is repeated, report nothing.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    progress.placedItems = progress.itemCount
    report?(progress)
  }
}
