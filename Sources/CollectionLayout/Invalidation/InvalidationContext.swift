public import LayoutGeometry

/// The changes of a layout: what a client that shows the old revision must
/// look at again to show the new one.
///
/// The words are those of `UICollectionViewLayoutInvalidationContext`. Index paths
/// are those after the change. What a section's entry does not name has moved as a
/// whole, if at all: sections after one whose length has changed move by that, and
/// all of it together is ``contentSizeAdjustment``.
///
/// Contexts compose: ``combined(with:)`` of two successive changes is a context of
/// both.
public struct InvalidationContext: Hashable, Sendable {
  /// Whether the layout was laid out from scratch: nothing of it can be relied on,
  /// and there are no ``sections``.
  public var invalidateEverything = false
  /// Whether items or sections came, went, or changed their order.
  public var invalidateDataSourceCounts = false
  /// The sections that are concerned, by index; each index once.
  public private(set) var sections: [SectionInvalidation] = []
  /// How sections came, went and moved, in order.
  public private(set) var sectionChanges: [SectionChange] = []
  /// How far the content's size has changed.
  public var contentSizeAdjustment = Size.zero
  /// The change of the content's offset that keeps a visible cell where it is on the screen: the
  /// first that was not inserted or moved by an operation, and has the natural size, the span and
  /// the measured length that it had; cells that start in the visible rectangle before those that
  /// are cut at its start. Without any it is the first visible cell that is left. It never leads
  /// beyond the content's ends, and back to them from beyond. Zero where no visible rectangle was
  /// given.
  public var contentOffsetAdjustment = Point.zero
  /// The work that bringing the layout up to date took.
  public var work = LayoutWork()

  /// Creates the context of a change that concerns nothing.
  public init() {}

  /// The context of a layout from scratch.
  public static var everything: InvalidationContext {
    var context = InvalidationContext()
    context.invalidateEverything = true
    context.invalidateDataSourceCounts = true
    return context
  }

  /// Whether the change concerns nothing that is shown.
  public var isEmpty: Bool {
    !invalidateEverything && !invalidateDataSourceCounts && sections.isEmpty
      && contentSizeAdjustment == .zero
  }

  /// The changes of a section; `nil` for none.
  public func section(_ index: Int) -> SectionInvalidation? {
    let place = firstPlace(atLeast: index)
    guard place < sections.count, sections[place].section == index else { return nil }
    return sections[place]
  }

  /// Adds what another part of the same change did to a section.
  public mutating func invalidate(_ section: SectionInvalidation) {
    let place = firstPlace(atLeast: section.section)
    if place < sections.count, sections[place].section == section.section {
      sections[place].formUnion(section)
    } else {
      sections.insert(section, at: place)
    }
  }

  /// Drops what is said of sections that a test does not pass.
  package mutating func keepSections(
    where isKept: (SectionInvalidation) throws -> Bool
  ) rethrows {
    sections = try sections.filter(isKept)
  }

  /// Says where the sections named start after all changes.
  package mutating func setStarts(_ start: (_ section: Int) throws -> Length) rethrows {
    for index in sections.indices {
      sections[index].start = try start(sections[index].section)
    }
  }

  /// Adds a section's coming, going or moving, and carries what is known of the
  /// sections over to their new indices.
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

  /// The context of this change and the one that follows it.
  ///
  /// Associative. What this change says of items is kept as far as the next one
  /// leaves their index paths alone, and is part of what the next one says where it
  /// does not. A section that the next one does not name keeps the `start` it has.
  public func combined(with next: InvalidationContext) -> InvalidationContext {
    var combined = self
    combined.formCombination(with: next)
    return combined
  }

  /// As ``combined(with:)``, in place.
  public mutating func formCombination(with next: InvalidationContext) {
    work = work + next.work
    contentSizeAdjustment = contentSizeAdjustment + next.contentSizeAdjustment
    contentOffsetAdjustment = Point(
      x: contentOffsetAdjustment.x + next.contentOffsetAdjustment.x,
      y: contentOffsetAdjustment.y + next.contentOffsetAdjustment.y)
    invalidateDataSourceCounts = invalidateDataSourceCounts || next.invalidateDataSourceCounts
    if invalidateEverything || next.invalidateEverything {
      invalidateEverything = true
      sections = []
      sectionChanges = []
      return
    }
    for change in next.sectionChanges { append(change) }
    for section in next.sections { invalidate(section) }
  }

  private func firstPlace(atLeast section: Int) -> Int {
    // Most changes concern one section, and appending is the common case.
    if let last = sections.last, last.section < section { return sections.count }
    return sections.firstIndex { $0.section >= section } ?? sections.count
  }
}

/// How the list of sections changed.
public enum SectionChange: Hashable, Sendable {
  /// A section came, and has this index now.
  case insert(Int)
  /// The section at this index went.
  case delete(Int)
  /// From an index to one that is counted after the section's removal.
  case move(from: Int, to: Int)

  /// Where a section is after the change; `nil` where it is gone.
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

/// Work done, counted; it does not depend on the machine.
public struct LayoutWork: Hashable, Sendable, Codable {
  /// The items whose length or place was computed.
  public var recomputedItems: Int
  /// The columns in which an item moved, came or went, section by section.
  public var recomputedColumns: Int
  /// The tree nodes made in place of others, whether or not the file has them.
  public var changedNodes: Int

  /// Creates counts of work; none where nothing is said.
  public init(recomputedItems: Int = 0, recomputedColumns: Int = 0, changedNodes: Int = 0) {
    self.recomputedItems = recomputedItems
    self.recomputedColumns = recomputedColumns
    self.changedNodes = changedNodes
  }

  /// The work of both.
  public static func + (left: LayoutWork, right: LayoutWork) -> LayoutWork {
    LayoutWork(
      recomputedItems: left.recomputedItems + right.recomputedItems,
      recomputedColumns: left.recomputedColumns + right.recomputedColumns,
      changedNodes: left.changedNodes + right.changedNodes)
  }
}
