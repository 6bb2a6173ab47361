public import CollectionLayout
public import LayoutGeometry

/// One operation of a batch. Each sees the result of those before it.
@nonexhaustive
public enum BatchOperation: Hashable, Sendable {
  /// Puts items, in order, in a place between others.
  case insert([Item], at: ItemDestination)
  /// Takes items out. A key that is given twice names an item that is gone already.
  case delete(keys: [String], missing: MissingKeys = .fail)
  /// Makes items what a source of changes says that they are. Those that the dataset does
  /// not have come to be at the end of a section, in the order given; the section too
  /// is made, after the others, where it is not there and an item comes to be in it.
  /// Those that it has get the size, and the span and data that are stated, where they
  /// are; `moving` takes them to the end of the section as well, so that all items given
  /// are there in the order given. What is so already changes nothing. A key may be
  /// given once.
  case upsert([UpsertedItem], section: String, moving: Bool = false)
  /// Takes an item out and puts it in another place; an index is counted after its
  /// removal.
  case move(key: String, to: ItemDestination)
  /// Gives an item another natural size, and another column span unless that is
  /// `nil`. Another size takes back the item's measured lengths in every layout; the
  /// same size, with whatever span, keeps them.
  case resize(key: String, size: Size, columnSpan: Int? = nil)
  /// Gives an item a measured length along the main axis of one layout, in place of
  /// the one that follows from its natural size; `nil` takes it back. It goes with
  /// the item wherever that moves, and is not clamped. A length is refused where the
  /// item's section takes none: a grid, a justified section, a circle, a flow with a
  /// fixed `itemSize`, by the layout's configuration as it is stored.
  ///
  /// A flow of items with widths of their own takes a length across next to it, as of a tag
  /// at another type size; a custom kind is given it.
  case prefer(layout: String, key: String, length: Length?, crossLength: Length? = nil)
  /// Gives many items measured lengths in one layout, such as those of a screen, each as
  /// ``prefer(layout:key:length:crossLength:)`` does. Of several entries with one key the last
  /// one counts.
  case preferLengths(layout: String, [MeasuredLength], missing: MissingKeys = .fail)
  /// Drops all measured lengths of one layout: those of items, headers and footers.
  ///
  /// They are found in a snapshot of the dataset, without the write lock.
  case resetLengths(layout: String)
  /// Gives a section's header or footer a measured length along the main axis of one layout,
  /// in place of the one that its configuration says; `nil` takes it back. It is refused
  /// where the section has none in the layout's configuration as it is stored, and goes with
  /// the section.
  case preferSupplementary(
    layout: String, kind: LayoutAttributes.SupplementaryKind, section: String, length: Length?)
  /// Gives an item other data; `nil` takes them back. No layout looks at data, so no
  /// layout changes.
  case data(key: String, ItemData?)
  /// Puts an empty section before the one at an index; after all others where the
  /// index is `nil`.
  case insertSection(key: String, index: Int? = nil)
  /// Takes a section out with all its items.
  case deleteSection(key: String, missing: MissingKeys = .fail)
  /// Moves a section to an index that is counted after its removal.
  case moveSection(key: String, index: Int)
  /// Marks parts of a layout as changed for those who follow it. Items are only named
  /// as such, sections are placed again from their first item, and everything is laid
  /// out from scratch.
  case invalidate(
    layout: String, items: [String] = [], sections: [String] = [], everything: Bool = false)
  /// Places a section's items again from one on, each in the column that is shortest
  /// at that place; from the first item where there is no key, and in all sections
  /// where there is neither. It changes nothing but stable waterfalls, and makes a
  /// revision in any case.
  ///
  /// A batch places 32,768 items of a layout again at most; later commits continue with the
  /// others. ``LayoutCache/rebalance(_:layouts:section:from:preparing:)`` does all.
  case rebalance(layout: String, section: String? = nil, from: String? = nil)
  /// Makes the dataset equal to a list: its sections and items, in their order, are those of the
  /// list, with the sizes, spans and data that are given there. An item that has none of these in
  /// the list has none then. Measured lengths stay, except of items whose natural size changes.
  ///
  /// As few items as possible are moved. The difference is found in a snapshot of the dataset,
  /// without the write lock, and is one revision of ordinary changes; none, where there is no
  /// difference. ``LayoutCache/update(_:toMatch:missing:visible:preparing:expecting:)`` takes one
  /// that is too large for a batch too.
  case match([MatchedSection], missing: MissingItems = .remove)
  /// Notes how far a source of changes has been followed: with the batch, in one
  /// transaction. A batch whose mark is the source's present one has been carried out; it
  /// changes nothing, and answers with the revision of the commit that set the mark. Any
  /// other position is new, and makes a revision. At most one in a batch.
  ///
  /// Both are 1 to 255 bytes without control characters; what a position means is the
  /// source's own matter. `after` makes the batch depend on the source's present mark.
  case mark(source: String, position: String, after: MarkExpectation = .any)
}

extension BatchOperation {
  /// The layout that alone is measured, or invalidated; `nil` for all other operations.
  var onlyLayout: String? {
    switch self {
    case .prefer(let layout, _, _, _), .preferSupplementary(let layout, _, _, _),
      .invalidate(let layout, _, _, _), .preferLengths(let layout, _, _), .resetLengths(let layout):
      layout
    case .insert, .delete, .upsert, .move, .resize, .data, .insertSection, .deleteSection,
      .moveSection, .rebalance, .match, .mark:
      nil
    }
  }
}

/// The mark that a source must have for another one to be set.
///
/// It is compared after the check for repeats: a batch whose mark is the source's present one
/// is a repeat, whatever it expects.
public enum MarkExpectation: Hashable, Sendable {
  /// Any mark, or none.
  case any
  /// No mark: the source has not set one yet.
  case none
  /// A mark with this position.
  case position(String)
}

/// The length that a client has measured for an item in one layout.
public struct MeasuredLength: Hashable, Sendable {
  /// The item's key.
  public var key: String
  /// The length along the main axis; `nil` to reset it.
  public var length: Length?
  /// The length across, where the item's section takes one; `nil` for the natural one.
  public var crossLength: Length?

  public init(key: String, length: Length?, crossLength: Length? = nil) {
    self.key = key
    self.length = length
    self.crossLength = crossLength
  }
}

/// How to handle an operation that names a missing item or section.
public enum MissingKeys: String, Hashable, Sendable, CaseIterable {
  /// The batch is refused.
  case fail
  /// The key is skipped, as where a change arrives twice.
  case ignore
}

/// A section of a list that a dataset is to equal.
public struct MatchedSection: Hashable, Sendable {
  /// The section's key, which the list has once.
  public var key: String
  /// The section's items in order, each of which the list has once.
  public var items: [Item]

  public init(key: String, items: [Item]) {
    self.key = key
    self.items = items
  }
}

/// How to handle items and sections of a dataset that a list does not have.
public enum MissingItems: String, Hashable, Sendable, CaseIterable {
  /// They are removed.
  case remove
  /// They stay, each after the nearest one before it that stays in its section; sections after
  /// the section that they followed.
  case keep
}

/// A place between a section's items.
@nonexhaustive
public enum ItemDestination: Hashable, Sendable {
  /// After the section's last item.
  case end(section: String)
  /// Before the section's item at an index, from 0 to their number.
  case index(Int, section: String)
  /// Before the item with a key.
  case before(String)
  /// After the item with a key.
  case after(String)
}
