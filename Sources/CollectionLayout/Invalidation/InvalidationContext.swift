public import LayoutGeometry

/// The changes of a layout: the parts that a client must query again to update from the old
/// revision to the new one.
///
/// The terms are those of `UICollectionViewLayoutInvalidationContext`. Index paths are those
/// after the change. Elements not listed in a section's entry have moved as a whole, if at all:
/// sections after one whose length has changed move by the difference, and the sum of all
/// differences is ``contentSizeAdjustment``.
///
/// Contexts compose: ``combined(with:)`` of two successive changes is a context of both.
public struct InvalidationContext: Hashable, Sendable {
  /// The reason why all of the layout is invalid, and ``sections`` is empty; `nil` if the changed
  /// parts are known.
  public var reason: InvalidationReason?
  /// Whether ``sections`` names more items than have changed: for each section, one range.
  public var isCoarse = false
  /// Whether items or sections were inserted, deleted or reordered.
  public var invalidateDataSourceCounts = false
  /// The changed sections, by index; each index once.
  public private(set) var sections: [SectionInvalidation] = []
  /// The insertions, deletions and moves of sections, in order.
  public private(set) var sectionChanges: [SectionChange] = []
  /// The header and footer of the layout, if they moved or changed. If the header is named, all
  /// sections have moved by the difference of its lengths.
  public var supplementaryElements: Set<LayoutAttributes.SupplementaryKind> = []
  /// The kind of the layout's background, if that changed.
  public var decorationElements: Set<String> = []
  /// The change of the content's size.
  public var contentSizeAdjustment = Size.zero
  /// The change of the content offset that keeps a visible cell at its position on the screen.
  /// The cell is the first that was not inserted or moved by an operation, and whose natural
  /// size, span and measured length are unchanged; cells that start in the visible rectangle
  /// precede those cut at its start. If there is none, it is the first visible cell that
  /// remains. The adjustment never leads beyond the content's ends, and corrects an offset that
  /// is beyond them. Zero without a visible rectangle.
  public var contentOffsetAdjustment = Point.zero
  /// The work of bringing the layout up to date.
  public var work = LayoutWork()

  /// Creates the context of an empty change.
  public init() {}

  /// Returns the context of a change whose parts are unknown.
  public static func everything(_ reason: InvalidationReason) -> InvalidationContext {
    var context = InvalidationContext()
    context.reason = reason
    context.invalidateDataSourceCounts = true
    return context
  }

  /// Whether all of the layout is invalid.
  public var invalidateEverything: Bool { reason != nil }

  /// Whether the change affects no visible element.
  public var isEmpty: Bool {
    !invalidateEverything && !invalidateDataSourceCounts && sections.isEmpty
      && contentSizeAdjustment == .zero && supplementaryElements.isEmpty
      && decorationElements.isEmpty
  }

  /// Returns the changes of a section; `nil` for none.
  public func section(_ index: Int) -> SectionInvalidation? {
    let place = firstPlace(atLeast: index)
    guard place < sections.count, sections[place].section == index else { return nil }
    return sections[place]
  }

  /// Merges another part of the same change into a section's entry.
  public mutating func invalidate(_ section: SectionInvalidation) {
    let place = firstPlace(atLeast: section.section)
    if place < sections.count, sections[place].section == section.section {
      sections[place].formUnion(section)
    } else {
      sections.insert(section, at: place)
    }
  }

  /// Removes the entries of sections that fail a test.
  package mutating func keepSections(
    where isKept: (SectionInvalidation) throws -> Bool
  ) rethrows {
    sections = try sections.filter(isKept)
  }

  /// Sets the starts of the listed sections after all changes.
  package mutating func setStarts(_ start: (_ section: Int) throws -> Length) rethrows {
    for index in sections.indices {
      sections[index].start = try start(sections[index].section)
    }
  }

  /// Replaces the items that each section names.
  package mutating func setItems(
    _ items: (SectionInvalidation) throws -> RangeSet<Int>
  ) rethrows {
    for index in sections.indices { sections[index].items = try items(sections[index]) }
  }

  /// Appends an insertion, deletion or move of a section, and updates the indices of the other
  /// entries.
  public mutating func append(_ change: SectionChange) {
    invalidateDataSourceCounts = true
    sectionChanges.append(change)
    var carried: [SectionInvalidation] = []
    for var section in sections {
      guard let index = change.index(of: section.section) else { continue }
      section.section = index
      carried.append(section)
    }
    sections = carried.sorted { $0.section < $1.section }
  }

  /// Returns the context of this change followed by another.
  ///
  /// Associative. Entries of this change are retained where the next one leaves their index
  /// paths unchanged, and otherwise are covered by the next one's entries. A section without an
  /// entry in the next one keeps its `start`.
  public func combined(with next: InvalidationContext) -> InvalidationContext {
    var combined = self
    combined.formCombination(with: next)
    return combined
  }

  /// Like ``combined(with:)``, in place.
  package mutating func formCombination(with next: InvalidationContext) {
    work = work + next.work
    contentSizeAdjustment = contentSizeAdjustment + next.contentSizeAdjustment
    contentOffsetAdjustment = Point(
      x: contentOffsetAdjustment.x + next.contentOffsetAdjustment.x,
      y: contentOffsetAdjustment.y + next.contentOffsetAdjustment.y)
    invalidateDataSourceCounts = invalidateDataSourceCounts || next.invalidateDataSourceCounts
    isCoarse = isCoarse || next.isCoarse
    if let reason = reason ?? next.reason {
      self.reason = reason
      sections = []
      sectionChanges = []
      supplementaryElements = []
      decorationElements = []
      return
    }
    supplementaryElements.formUnion(next.supplementaryElements)
    decorationElements.formUnion(next.decorationElements)
    for change in next.sectionChanges { append(change) }
    for section in next.sections { invalidate(section) }
  }

  /// Adds the kinds of elements of the layout.
  package mutating func name(_ kinds: [CustomElement.Kind]) {
    for kind in kinds {
      switch kind {
      case .supplementary(let kind): supplementaryElements.insert(kind)
      case .decoration(let kind): decorationElements.insert(kind)
      }
    }
  }

  /// Names the elements of the layout that a change of the content's length moves or resizes.
  package mutating func nameEnd(of frame: LayoutFrame) {
    if frame.footer > .zero { supplementaryElements.insert(.layoutFooter) }
    if let background = frame.background { decorationElements.insert(background.kind) }
  }

  /// Names the elements of the layout that differ: by another configuration, or measured.
  package mutating func name(_ old: LayoutFrame, becoming new: LayoutFrame) {
    if old.header != new.header || old.pins.header != new.pins.header {
      supplementaryElements.insert(.layoutHeader)
      nameEnd(of: new)
    }
    if old.footer != new.footer || old.pins.footer != new.pins.footer {
      supplementaryElements.insert(.layoutFooter)
    }
    if old.background == new.background { return }
    for background in [old.background, new.background] {
      if let background { decorationElements.insert(background.kind) }
    }
  }

  private func firstPlace(atLeast section: Int) -> Int {
    // Most changes concern one section, and appending is the common case.
    if let last = sections.last, last.section < section { return sections.count }
    return sections.firstIndex { $0.section >= section } ?? sections.count
  }
}

/// The reason why a change is not described by its parts.
public enum InvalidationReason: String, Hashable, Sendable, Codable, CaseIterable {
  /// The log does not reach back that far.
  case logCut = "log-cut"
  /// The layout was laid out from scratch, or its configuration changed.
  case relaid
  /// There are more changes than an answer or a pass over the log permits.
  case tooLarge = "too-large"
  /// The items were imported.
  case imported = "import"
  /// No stored result leads from that revision on.
  case notFollowed = "not-followed"
  /// The result is not stored.
  case temporary
}

/// A change of the list of sections.
public enum SectionChange: Hashable, Sendable {
  /// A section was inserted, at this index.
  case insert(Int)
  /// The section at this index was deleted.
  case delete(Int)
  /// A section moved from an index to an index counted after its removal.
  case move(from: Int, to: Int)

  /// Returns the index of a section after the change; `nil` if it was deleted.
  public func index(of section: Int) -> Int? {
    switch self {
    case .insert(let index): section >= index ? section + 1 : section
    case .delete(let index):
      section == index ? nil : section > index ? section - 1 : section
    case .move(let from, let to):
      if section == from {
        to
      } else {
        SectionChange.insert(to).index(of: section > from ? section - 1 : section)
      }
    }
  }
}

/// Counts of work, independent of the machine.
public struct LayoutWork: Hashable, Sendable, Codable {
  /// The number of items whose length or position was computed.
  public var recomputedItems: Int
  /// The number of columns in which items moved, were inserted or deleted, over all sections.
  public var recomputedColumns: Int
  /// The number of replaced tree nodes, whether or not they were written to the file.
  public var changedNodes: Int

  /// Creates counts of work; 0 by default.
  public init(recomputedItems: Int = 0, recomputedColumns: Int = 0, changedNodes: Int = 0) {
    self.recomputedItems = recomputedItems
    self.recomputedColumns = recomputedColumns
    self.changedNodes = changedNodes
  }

  /// Returns the sum of both.
  public static func + (left: LayoutWork, right: LayoutWork) -> LayoutWork {
    LayoutWork(
      recomputedItems: left.recomputedItems + right.recomputedItems,
      recomputedColumns: left.recomputedColumns + right.recomputedColumns,
      changedNodes: left.changedNodes + right.changedNodes)
  }
}
