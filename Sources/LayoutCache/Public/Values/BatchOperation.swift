public import CollectionLayout
public import LayoutGeometry

/// One operation of a batch, applied to the result of the previous ones.
@nonexhaustive
public enum BatchOperation: Hashable, Sendable {
  /// Inserts items, in order, at a position.
  case insert([Item], at: ItemDestination)
  /// Deletes items. The second occurrence of a key counts as missing.
  case delete(keys: [String], missing: MissingKeys = .fail)
  /// Inserts or updates items as a source of changes states them. Missing items are appended to
  /// the section in the order given; if the section is missing too, it is appended to the dataset
  /// when an item is inserted into it. Existing items get the size, and the span and data if
  /// stated; with `moving` they also move to the end of the section, so that it ends with all
  /// items in the order given. Items that are already equal do not change. Keys are unique.
  ///
  /// The order of a sorted dataset places the items in the section; the section is `nil` if and
  /// only if the dataset derives sections.
  case upsert([UpsertedItem], section: String?, moving: Bool = false)
  /// Moves an item to another position; an index refers to the list without the item.
  case move(key: String, to: ItemDestination)
  /// Changes an item's natural size, and its column span unless that is `nil`. A different size
  /// resets the item's measured lengths in every layout; the same size keeps them, even with a
  /// different span.
  case resize(key: String, size: Size, columnSpan: Int? = nil)
  /// Hides items, collapses them, or shows them again, in all layouts. Measured lengths stay.
  case hide(keys: [String], ItemVisibility)
  /// Sets an item's measured length along the main axis of one layout, which replaces the length
  /// derived from its natural size; `nil` resets it. The length moves with the item, and is not
  /// clamped. The operation is rejected if the item's section takes no measured lengths,
  /// according to the layout's stored configuration: a grid, a justified section, a circle, a
  /// flow with a fixed `itemSize`.
  ///
  /// A flow of items with individual widths also takes a cross length, for example of a tag at
  /// another type size; a custom kind receives it.
  case prefer(layout: String, key: String, length: Length?, crossLength: Length? = nil)
  /// Sets measured lengths of many items in one layout, for example those on a screen, each as
  /// ``prefer(layout:key:length:crossLength:)`` does. Of several entries with one key the last
  /// one applies.
  case preferLengths(layout: String, [MeasuredLength], missing: MissingKeys = .fail)
  /// Resets all measured lengths of one layout: those of items, and of all headers and footers.
  ///
  /// The lengths are found in a snapshot of the dataset, without the write lock.
  case resetLengths(layout: String)
  /// Sets the measured length of a section's header or footer along the main axis of one layout,
  /// which replaces the configured length; `nil` resets it. The length moves with the section.
  /// The operation is rejected if the section has no such element, according to the layout's
  /// stored configuration. For the kinds `layoutHeader` and `layoutFooter` the element is the
  /// layout's, and the section is ignored.
  case preferSupplementary(
    layout: String, kind: LayoutAttributes.SupplementaryKind, section: String, length: Length?)
  /// Sets an item's data; `nil` removes it. Layouts ignore data, so no layout changes, unless the
  /// dataset is sorted and the data give the item another place.
  case data(key: String, ItemData?)
  /// Inserts an empty section before the one at an index; after all others if the index is
  /// `nil`. It has a style if one is stated.
  case insertSection(key: String, index: Int? = nil, style: String? = nil)
  /// Changes a section's style; `nil` removes it. Layouts whose configuration has options for
  /// the old or the new style place the section's items again, and no others.
  case style(section: String, style: String?)
  /// Deletes a section with all its items.
  case deleteSection(key: String, missing: MissingKeys = .fail)
  /// Moves a section. The index refers to the list without the section.
  case moveSection(key: String, index: Int)
  /// Invalidates parts of a layout. Items are only reported to clients as changed; sections are
  /// placed again from their first item; `everything` lays the layout out from scratch.
  case invalidate(
    layout: String, items: [String] = [], sections: [String] = [], everything: Bool = false)
  /// Reports elements other than cells as changed to clients, without moving them: by their kinds,
  /// those of each of some sections, or without sections those of the whole layout. Kinds are
  /// `header`, `footer`, those of `supplementary`, a background's kind, and those of badges,
  /// decorations and decorators; of the layout, `layoutHeader`, `layoutFooter` and its background's
  /// kind. The operation is rejected if a section, or the layout, has no element of a kind.
  case invalidateElements(layout: String, kinds: [String], sections: [String] = [])
  /// Places a section's items again, starting at an item, each in the column that is shortest
  /// there. Without a key it starts at the section's first item; without a section, it places all
  /// sections again. It changes only stable waterfalls, and always adds a revision.
  ///
  /// A batch places at most 32,768 items of a layout again; later commits continue with the rest.
  /// ``LayoutCache/rebalance(_:layouts:section:from:preparing:)`` commits until all are placed.
  case rebalance(layout: String, section: String? = nil, from: String? = nil)
  /// Makes the dataset equal to a list: the same sections and items in the same order, with the
  /// list's styles, sizes, spans, visibilities and data. Styles and data missing in the list are removed. Measured lengths stay,
  /// except of items whose natural size changes.
  ///
  /// As few items as possible are moved. The difference is computed from a snapshot of the
  /// dataset, without the write lock, and is committed as one revision of ordinary changes;
  /// without a difference there is no revision.
  /// ``LayoutCache/update(_:toMatch:missing:visible:anchor:direction:preparing:expecting:)`` also
  /// handles a difference too large for a batch.
  case match([MatchedSection], missing: MissingItems = .remove)
  /// Records the last applied position of a source of changes, in the same transaction as the
  /// batch. A batch whose mark equals the source's current mark has been applied already: it
  /// changes nothing, and returns the revision of the commit that set the mark. Any other
  /// position is new, and adds a revision. A batch contains at most one mark.
  ///
  /// Source and position are 1 to 255 bytes without control characters. Positions are opaque.
  /// `after` makes the batch depend on the source's current mark.
  case mark(source: String, position: String, after: MarkExpectation = .any)
}

extension BatchOperation {
  /// The only layout that the operation affects, if it sets lengths or invalidates; `nil` for
  /// all other operations.
  var onlyLayout: String? {
    switch self {
    case .prefer(let layout, _, _, _), .preferSupplementary(let layout, _, _, _),
      .invalidate(let layout, _, _, _), .invalidateElements(let layout, _, _),
      .preferLengths(let layout, _, _), .resetLengths(let layout):
      layout
    case .insert, .delete, .upsert, .move, .resize, .hide, .data, .insertSection, .style,
      .deleteSection, .moveSection, .rebalance, .match, .mark:
      nil
    }
  }
}

extension BatchOperation {
  /// The layout that the operation names, if any.
  package var layout: String? {
    if case .rebalance(let layout, _, _) = self { layout } else { onlyLayout }
  }
}

/// The current mark that a batch requires of its source.
///
/// The expectation is checked after the test for repeats: a batch whose mark equals the source's
/// current mark is a repeat, whatever it expects.
public enum MarkExpectation: Hashable, Sendable {
  /// Any mark, or none.
  case any
  /// No mark: the source has not set one yet.
  case none
  /// A mark with this position.
  case position(String)
}

/// A length that a client has measured for an item in one layout.
public struct MeasuredLength: Hashable, Sendable {
  /// The item's key.
  public var key: String
  /// The length along the main axis; `nil` to reset it.
  public var length: Length?
  /// The cross length, if the item's section takes one; `nil` for the natural one.
  public var crossLength: Length?

  public init(key: String, length: Length?, crossLength: Length? = nil) {
    self.key = key
    self.length = length
    self.crossLength = crossLength
  }
}

/// The handling of an operation that names a missing item or section.
public enum MissingKeys: String, Hashable, Sendable, CaseIterable {
  /// The batch is rejected.
  case fail
  /// The key is skipped, for example because a change arrived twice.
  case ignore
}

/// A section of a list for a match.
public struct MatchedSection: Hashable, Sendable {
  /// The section's key, unique in the list.
  public var key: String
  /// The name of the section's style; `nil` for none.
  public var style: String?
  /// The section's items in order, with keys unique in the list.
  public var items: [Item]

  public init(key: String, style: String? = nil, items: [Item]) {
    self.key = key
    self.style = style
    self.items = items
  }
}

/// The handling of items and sections missing from a match's list.
public enum MissingItems: String, Hashable, Sendable, CaseIterable {
  /// Missing items and sections are removed.
  case remove
  /// Missing items and sections stay: an item after its nearest predecessor that stays in its
  /// section, a section after the section that it followed.
  case keep
}

/// An insertion position among a section's items.
@nonexhaustive
public enum ItemDestination: Hashable, Sendable {
  /// After the section's last item; in a sorted dataset, where the order places the item in the
  /// section.
  case end(section: String)
  /// Before the section's item at an index, from 0 to the item count.
  case index(Int, section: String)
  /// Before the item with a key.
  case before(String)
  /// After the item with a key.
  case after(String)
  /// Where the dataset's order places the item; only if the dataset derives sections.
  case ordered
}
