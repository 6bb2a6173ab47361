import CollectionLayout
import LayoutGeometry
import SumTree

/// A builder that lays out a dataset. It writes each node once, in constant memory.
struct LayoutBuilder {
  let plan: LayoutPlan
  let view: ItemView
  let shapes: TreeShapes
  var session: TreeSession
  /// The destination of the nodes; `nil` to keep them in memory, without an earlier result.
  let sink: (any NodeSink)?
  /// The receiver of progress, which can stop the work.
  var watch: ProgressReporter?
  /// The source of the items' columns if these are history; `nil` to choose all columns again.
  var history: HistorySource?
  /// The layout before items were appended to its dataset, and a session that reads it: present
  /// items keep its columns if these are history; `nil` to choose all columns again.
  var extended: (dataset: DatasetTrees, layout: EarlierLayout, session: TreeSession)?

  /// Lays out every section. Sections that an earlier result places identically are copied.
  ///
  /// - Parameters:
  ///   - earlier: An earlier result of the same items, if any.
  ///   - work: Receives the items and columns that were placed.
  /// - Throws: `LimitError` if the content would become too long; errors of ``watch``.
  /// - Complexity: O(items · columns).
  func layOut(
    _ dataset: DatasetTrees, reusing earlier: EarlierLayout? = nil, work: inout LayoutWork
  ) throws -> SumTree<SectionResultLeaf> {
    var results = TreeBuilder<SectionResultLeaf>(shape: shapes.sectionResults, sink: sink)
    var known = earlier.map { ElementFinger($0.results, in: session) }
    var firstItem = 0
    var end = Length.zero
    try dataset.sections.forEachLeaf(in: session) { leaf, start in
      var run = SectionResultLeaf()
      for (offset, entry) in leaf.entries.enumerated() {
        let section = plan.section(entry.key, style: entry.style)
        var result: SectionResult
        if let sink, let earlier, earlier.plan.places(entry.key, style: entry.style, as: plan),
          try known?.seek(toElement: start + offset) == true, let known
        {
          result = try known.leaf.entries[known.index]
            .taken(
              over: earlier.plan.section(entry.key, style: entry.style), by: section,
              key: entry.key
            )
            .copied(into: sink, shapes, in: session)
        } else {
          let items = try SectionItems(
            dataset, in: firstItem..<(firstItem + entry.itemCount), for: section, view, shapes,
            in: session, watch: watch)
          result =
            try laidOutFromHistory(section, entry, at: start + offset, items)
            ?? section.laidOut(
              items, measured: entry.measured(in: view.layout), into: sink, work: &work)
        }
        result.style = entry.style
        run.entries.append(result)
        firstItem += entry.itemCount
        try watch?.didPlace(upTo: firstItem)
        end += result.length + plan.sectionSpacing
        try Limits.checkContent(end - plan.sectionSpacing)
      }
      try results.append(run)
    }
    return try results.finish()
  }

  /// Returns a section whose columns are history, placed in the columns that the source of history
  /// has; `nil` without a source, and for other sections.
  private func laidOutFromHistory(
    _ section: SectionPlan, _ entry: SectionLeaf.Entry, at index: Int, _ items: SectionItems
  ) throws -> SectionResult? {
    guard entry.itemCount > 0, case .atOnce(let placing) = section.kind.placing.following else {
      return nil
    }
    let measured = entry.measured(in: view.layout)
    if let history {
      return try section.result(
        of: placing.laidOut(items, from: history, into: sink), by: placing, key: entry.key, measured
      )
    }
    guard let extended, let sink else { return nil }
    var old = SectionContent.none
    var former: SectionItems?
    if index < extended.layout.results.count {
      let place = try extended.layout.results.place(at: index, in: extended.session)
      let present = place.leaf.entries[place.index]
      // Another style may place the items otherwise.
      guard
        extended.layout.plan.section(entry.key, style: present.style).kind.places(as: section.kind)
      else { return nil }
      old = present.content
      former = try SectionItems(
        extended.dataset.items, in: extended.dataset.items(ofSection: index, in: extended.session),
        view, shapes, in: extended.session)
    }
    return try section.result(
      of: placing.laidOut(
        items, extending: old, of: former, in: extended.session, into: sink),
      by: placing, key: entry.key, measured)
  }
}

extension SectionPlan {
  /// Returns a section laid out from scratch.
  ///
  /// - Parameters:
  ///   - measured: The measured lengths of the section in the layout.
  ///   - sink: The destination of the nodes; `nil` to keep them in memory.
  func laidOut(
    _ items: SectionItems, measured lengths: SupplementaryLengths, into sink: (any NodeSink)?,
    work: inout LayoutWork
  ) throws -> SectionResult {
    let (content, length) = try kind.placing.laidOut(items, into: sink, work: &work)
    return SectionResult(
      length: measured(lengths).fixedLength + length, content: content, measured: lengths)
  }

  /// Returns the result of a section whose items were placed in their present columns.
  ///
  /// - Parameters:
  ///   - placed: The content and its length.
  ///   - placing: The placing of the plan.
  fileprivate func result(
    of placed: (content: SectionContent, length: Length), by placing: WaterfallPlan,
    key: String, _ lengths: SupplementaryLengths
  ) throws -> SectionResult {
    SectionResult(
      length: measured(lengths).fixedLength + placed.length, content: placed.content,
      overdueKey: try placing.isOverdue(placed.content) ? key : nil, measured: lengths)
  }

  /// Returns the result of a section without items, which has a length in some kinds.
  func withoutItems(_ shapes: TreeShapes) throws -> SectionResult {
    SectionResult(
      length: fixedLength + (try kind.placing.contentLengthOfNoItems(shapes)), content: .none)
  }
}

extension SectionResult {
  /// Returns the section's result under a plan that places its items identically. The plans may
  /// differ in the elements around the items and in the skew at which sections are rebalanced.
  func taken(over old: SectionPlan, by new: SectionPlan, key: String) throws -> SectionResult {
    var result = self
    result.length += new.measured(measured).fixedLength - old.measured(measured).fixedLength
    result.overdueKey = try new.kind.placing.isOverdue(content) ? key : nil
    return result
  }

  /// Returns a copy of the section with separate nodes.
  fileprivate func copied(
    into sink: any NodeSink, _ shapes: TreeShapes, in session: TreeSession
  ) throws -> SectionResult {
    var copy = self
    copy.content = try content.copied(into: sink, shapes, in: session)
    return copy
  }
}

/// A layout of the same items from which another layout can copy sections.
struct EarlierLayout {
  let plan: LayoutPlan
  let results: SumTree<SectionResultLeaf>
}

extension LayoutPlan {
  /// Returns whether another plan places a section's items identically.
  func places(_ section: String, style: String?, as other: LayoutPlan) -> Bool {
    isComparable(with: other)
      && self.section(section, style: style).kind
        .places(as: other.section(section, style: style).kind)
  }
}
