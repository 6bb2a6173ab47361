package import LayoutCache

/// The result of bringing a layout up to date.
package struct PreparationAnswer: Sendable {
  private enum Work: String {
    case upToDate = "up to date"
    case caughtUp = "caught up"
    case laidOut = "laid out"

    init(_ preparation: Preparation) {
      guard let context = preparation.context else {
        self = .upToDate
        return
      }
      self = context.invalidateEverything ? .laidOut : .caughtUp
    }
  }

  private let layout: String
  private let revision: Int
  private let work: Work
  private let duration: Duration

  /// Brings a layout up to date.
  ///
  /// - Parameter report: As for `LayoutCache.prepare(_:reporting:)`.
  /// - Throws: `LayoutCacheError`.
  package init(
    _ layout: LayoutID, in cache: LayoutCache,
    reporting report: @escaping (LayoutProgress) -> Void = { _ in }
  ) throws {
    let start = ContinuousClock.now
    let preparation = try cache.prepare(layout, reporting: report)
    self.layout = layout.layout
    revision = preparation.revision
    work = Work(preparation)
    duration = start.duration(to: .now)
  }

  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("layout", \.layout), AnswerField("revision", \.revision),
      .table(.text("work"), \.work.rawValue),
      .json("laidOut") { $0.work == .laidOut },
      .json("caughtUp") { $0.work == .caughtUp },
      AnswerField(
        "microseconds", as: "time", \.duration.wholeMicroseconds,
        shown: \.duration.inMilliseconds),
    ]
  }
}
