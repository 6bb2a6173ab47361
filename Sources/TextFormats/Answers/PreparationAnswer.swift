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
  private var revision: Int
  private var work: Work
  /// The parts that clients must query again; empty if the layout was up to date.
  private var context: InvalidationContext
  private var duration: Duration

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
    self.layout = try cache.canonical(layout).layout
    revision = preparation.revision
    work = Work(preparation)
    context = preparation.context ?? InvalidationContext()
    duration = start.duration(to: .now)
  }

  /// Brings a layout up to date, or each variant of a responsive layout.
  ///
  /// - Parameter report: Receives the name of the layout and its progress.
  /// - Throws: `LayoutCacheError`.
  package static func all(
    of layout: LayoutID, in cache: LayoutCache,
    reporting report: @escaping (String, LayoutProgress) -> Void = { _, _ in }
  ) throws -> [PreparationAnswer] {
    try cache.layoutsWithResult(of: layout).map { layout in
      try PreparationAnswer(layout, in: cache) { report(layout.layout, $0) }
    }
  }

  /// Combines the results for the variants of a layout.
  package init(_ answers: [PreparationAnswer], of layout: LayoutID, at revision: Int) {
    self.layout = layout.layout
    self.revision = answers.map(\.revision).max() ?? revision
    work =
      answers.contains { $0.work == .laidOut }
      ? .laidOut : answers.contains { $0.work == .caughtUp } ? .caughtUp : .upToDate
    // Contexts of different widths cannot be combined.
    context =
      answers.allSatisfy(\.context.isEmpty)
      ? InvalidationContext()
      : .everything(answers.lazy.compactMap(\.context.reason).first ?? .tooLarge)
    context.work = answers.reduce(LayoutWork()) { $0 + $1.context.work }
    duration = answers.reduce(.zero) { $0 + $1.duration }
  }

  /// Replaces the changed parts with everything.
  package mutating func removeParts() { context.removeParts() }

  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("layout", \.layout), AnswerField("revision", \.revision),
      .table(.text("work"), \.work.rawValue),
      .table(.number("recomputed items"), \.context.work.recomputedItems.text),
      .json("laidOut") { $0.work == .laidOut },
      .json("caughtUp") { $0.work == .caughtUp },
      AnswerField(
        "microseconds", as: "time", \.duration.wholeMicroseconds,
        shown: \.duration.inMilliseconds),
    ] + InvalidationContext.fields.map { $0.of(\.context).onlyJSON }
  }
}
