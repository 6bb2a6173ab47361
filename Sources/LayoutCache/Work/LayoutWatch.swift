/// Watches a layout being laid out: reports how far it is, and says whether to continue.
///
/// Belongs to one call, and is used by its thread.
final class LayoutWatch {
  private let clock: WallClock
  private let report: ((LayoutProgress) -> Void)?
  private let isCancelled: () -> Bool
  private var progress = LayoutProgress(placedItems: 0, itemCount: 0)
  /// When the last report was made, in milliseconds since 1970.
  private var lastReport: Int64?
  private var hasEnded = false

  /// The time between two reports, in milliseconds: 20 a second.
  private static let interval: Int64 = 50

  /// - Parameters:
  ///   - report: Takes what never goes back, also where the work is begun again.
  ///   - isCancelled: Whether the work is to end.
  init(
    _ clock: WallClock, report: ((LayoutProgress) -> Void)? = nil,
    isCancelled: @escaping () -> Bool = { false }
  ) {
    self.clock = clock
    self.report = report
    self.isCancelled = isCancelled
  }

  /// - Throws: `CancellationError` where the work is to end.
  func requireGoOn() throws {
    if isCancelled() { throw CancellationError() }
  }

  /// Begins, or begins again.
  ///
  /// - Throws: As ``requireGoOn()``.
  func begin(itemCount: Int) throws {
    try requireGoOn()
    progress.itemCount = max(progress.itemCount, itemCount)
  }

  /// Notes that the first items, so many, have been placed: called leaf by leaf.
  ///
  /// - Throws: As ``requireGoOn()``.
  func didPlace(upTo count: Int) throws {
    try requireGoOn()
    guard let report, count > progress.placedItems, !hasEnded else { return }
    progress.placedItems = count
    let now = clock.now()
    // The time of day may be set back.
    if let lastReport, abs(now - lastReport) < Self.interval { return }
    lastReport = now
    // The last report is made in the end.
    if count < progress.itemCount { report(progress) }
  }

  /// Notes that all items have been placed. Doing that again, where what has been placed is
  /// copied or the work was for nothing, is no news.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    progress.placedItems = progress.itemCount
    report?(progress)
  }
}
