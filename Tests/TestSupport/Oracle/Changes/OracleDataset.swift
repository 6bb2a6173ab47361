/// A dataset with several layouts: one feed per layout, all with the same items.
public struct OracleDataset {
  /// A layout of the dataset.
  public struct Layout {
    public var name: String
    /// Its configuration, as it is stored.
    public internal(set) var text: String
    public internal(set) var feed: OracleFeed
    /// The revision at which it was last laid out or given its configuration.
    var since = 0
    /// The revision since which measured lengths count: the container changed there.
    var lengthsSince = 0
    /// Distinguishes it from another one of its name.
    public var number = 0
  }

  /// An operation, and its layout if it applies to only one.
  public struct Operation: Hashable, Sendable {
    public var layout: Int
    public var operation: OracleOperation

    public init(_ operation: OracleOperation, layout: Int) {
      (self.layout, self.operation) = (layout, operation)
    }
  }

  public var name: String
  /// In order of creation.
  public var layouts: [Layout]
  public private(set) var revision = 1
  var layoutCount = 0

  /// - Parameter texts: The layouts' configurations, by name. No layout is laid out yet.
  /// - Precondition: There is at least one layout.
  public init(
    name: String, sections: [OracleSection], layouts texts: [(name: String, text: String)]
  ) throws(OracleRefusal) {
    self.name = name
    layouts = []
    for (name, text) in texts {
      var feed = try OracleFeed(configuration: text, sections: sections)
      feed.discardResult()
      layouts.append(Layout(name: name, text: text, feed: feed, number: layoutCount))
      layoutCount += 1
    }
  }

  /// The items, with the first layout's stored values.
  public var sections: [OracleSection] { layouts[0].feed.sections }

  public var itemCount: Int { sections.reduce(0) { $0 + $1.items.count } }

  /// As ``Oracle/numbers``, in all layouts.
  public var numbers: [[UInt8]: Double] {
    get { layouts[0].feed.numbers }
    set { for index in layouts.indices { layouts[index].feed.numbers = newValue } }
  }

  /// Sets the numbers of items placed again per batch, in all layouts.
  public mutating func setRules(instalment: Int, placedAgainMax: Int) {
    for index in layouts.indices {
      layouts[index].feed.instalment = instalment
      layouts[index].feed.placedAgainMax = placedAgainMax
    }
  }

  /// Applies all operations, or none.
  public mutating func apply(_ batch: [Operation]) throws(OracleRefusal) {
    var changed = self
    var makesRevision = false
    for index in layouts.indices { changed.layouts[index].feed.beginBatch() }
    for (number, operation) in batch.enumerated() {
      do {
        if try changed.carryOut(operation) { makesRevision = true }
      } catch {
        var refusal = error
        refusal.operation = number + 1
        throw refusal
      }
    }
    if makesRevision {
      changed.revision += 1
      for index in layouts.indices { try changed.endBatch(batch, layout: index) }
    }
    self = changed
  }

  /// Applies one operation in all layouts that it concerns.
  ///
  /// - Returns: Whether it creates a revision.
  mutating func carryOut(_ operation: Operation) throws(OracleRefusal) -> Bool {
    var makesRevision = false
    for index in layouts.indices
    where !operation.operation.isOfOneLayout || index == operation.layout {
      if try layouts[index].feed.carryOut(operation.operation) { makesRevision = true }
    }
    return makesRevision
  }

  /// Each batch includes an instalment for every layout, whichever layout its operations name.
  private mutating func endBatch(_ batch: [Operation], layout: Int) throws(OracleRefusal) {
    let own = batch.filter { $0.layout == layout }.map(\.operation)
    try layouts[layout].feed.endBatch(isLarge: own.contains(.continueRebalance))
    for case .invalidate(_, _, everything: true) in own { layouts[layout].feed.discardResult() }
  }

  /// Gives a layout another configuration, which takes effect when the layout is prepared.
  public mutating func set(_ layout: Int, to text: String) throws(OracleRefusal) {
    // Lengths measured in another container are dropped, by a separate commit.
    if try !layouts[layout].feed.keepsLengths(setting: text) {
      try apply([Operation(.resetLengths, layout: layout)])
      layouts[layout].lengthsSince = revision
    }
    try layouts[layout].feed.set(configuration: text)
    layouts[layout].text = text
  }

  public mutating func prepare(_ layout: Int) throws(OracleRefusal) {
    let feed = layouts[layout].feed
    if !feed.hasResult || feed.nextConfiguration != nil { layouts[layout].since = revision }
    try layouts[layout].feed.prepare()
  }

  /// The dataset after undoing its last batch.
  ///
  /// - Parameter former: The state before the batch, with the same layouts.
  /// - Returns: `nil` if a layout has been laid out since: it has no columns from before; or if its
  ///   lengths from before do not count.
  public func undoing(to former: OracleDataset) -> OracleDataset? {
    var back = former
    back.revision = revision + 1
    back.name = name
    for (index, layout) in layouts.enumerated() {
      if layout.lengthsSince > former.revision { return nil }
      if layout.feed.hasResult {
        let was = former.layouts[index].feed
        // A result of a configuration that the former state had yet to apply is a later one, also at
        // the same revision.
        guard layout.since == former.layouts[index].since, was.hasResult,
          was.nextConfiguration == nil || layout.since < former.revision
        else { return nil }
      } else {
        back.layouts[index].feed.discardResult()
      }
      back.layouts[index].since = layout.since
      back.layouts[index].text = layout.text
      back.layouts[index].feed.nextConfiguration = layout.feed.nextConfiguration
    }
    return back
  }

  /// The dataset after returning to an earlier state by one batch, with each layout laid out from
  /// scratch.
  ///
  /// - Parameter former: A state that no import has replaced.
  public func returning(to former: OracleDataset) throws(OracleRefusal) -> OracleDataset {
    var back = self
    back.revision += 1
    for index in layouts.indices {
      let same = former.layouts.first { $0.number == layouts[index].number }
      let sections = (same ?? former.layouts[0]).feed.sections
      back.layouts[index].feed.frameLengths = same?.feed.frameLengths ?? OracleFrameLengths()
      back.layouts[index].feed.sections = sections
      if same == nil || layouts[index].lengthsSince > former.revision {
        back.layouts[index].feed.forgetEverything()
      }
      try back.layouts[index].feed.replace(sections: back.layouts[index].feed.sections)
    }
    return back
  }

  /// Removes a layout, and creates another of the same name.
  public mutating func makeAgain(_ layout: Int, text: String) throws(OracleRefusal) {
    var made = layouts.remove(at: layout)
    made.text = text
    made.number = layoutCount
    layoutCount += 1
    try made.feed.set(configuration: text)
    made.feed.forgetEverything()
    layouts.append(made)
  }

  /// Appends imported items and sections, as a batch does: present items keep their columns.
  public mutating func append(_ sections: [OracleSection]) throws(OracleRefusal) {
    var batch: [Operation] = []
    for section in sections {
      if layouts[0].feed.index(ofSection: section.key) == nil {
        batch.append(Operation(.insertSection(key: section.key, style: section.style), layout: 0))
      } else if let style = section.style {
        batch.append(Operation(.style(section: section.key, style: style), layout: 0))
      }
      batch.append(
        Operation(.insert(items: section.items, at: .end(section: section.key)), layout: 0))
    }
    try apply(batch)
  }

  /// Replaces all items.
  public mutating func replace(sections: [OracleSection]) throws(OracleRefusal) {
    for index in layouts.indices {
      layouts[index].feed.frameLengths = OracleFrameLengths()
      try layouts[index].feed.replace(sections: sections)
    }
    revision += 1
  }
}

extension OracleOperation {
  /// Whether it names a layout, and does not affect the others.
  public var isOfOneLayout: Bool {
    switch self {
    case .prefer, .preferLengths, .resetLengths, .preferSupplementary, .preferLayout,
      .invalidate, .invalidateElements, .rebalance, .continueRebalance:
      true
    default: false
    }
  }
}

extension OracleDataset {
  /// Adds a layout, which is not laid out yet.
  public mutating func addLayout(_ name: String, text: String) throws(OracleRefusal) {
    var added = layouts[0]
    added.name = name
    added.text = text
    added.number = layoutCount
    layoutCount += 1
    try added.feed.set(configuration: text)
    added.feed.forgetEverything()
    layouts.append(added)
  }
}
