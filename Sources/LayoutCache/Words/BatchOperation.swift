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
  /// not have come to stand at the end of a section, in the order given; the section too
  /// is made, behind the others, where it is not there and an item comes to stand in it.
  /// Those that it has get the size, and the span and data that are stated, where they
  /// are; `moving` takes them to the end of the section as well, so that all items given
  /// stand there in the order given. What is so already changes nothing. A key may be
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
  /// A flow of items with widths of their own takes a length across beside it, as of a tag
  /// at another type size; a custom kind is given it.
  case prefer(layout: String, key: String, length: Length?, crossLength: Length? = nil)
  /// Gives a section's header or footer a measured length along the main axis of one layout,
  /// in place of the one that its configuration says; `nil` takes it back. It is refused
  /// where the section has none in the layout's configuration as it is stored, and goes with
  /// the section.
  case preferSupplementary(
    layout: String, kind: LayoutAttributes.SupplementaryKind, section: String, length: Length?)
  /// Gives an item other data; `nil` takes them back. No layout looks at data, so no
  /// layout changes.
  case data(key: String, ItemData?)
  /// Puts an empty section before the one at an index; behind all others where the
  /// index is `nil`.
  case insertSection(key: String, index: Int? = nil)
  /// Takes a section out with all its items.
  case deleteSection(key: String, missing: MissingKeys = .fail)
  /// Moves a section to an index that is counted after its removal.
  case moveSection(key: String, index: Int)
  /// Marks parts of a layout as changed for those who follow it. Items are only named
  /// as such, sections are placed anew from their first item, and everything is laid
  /// out from scratch.
  case invalidate(
    layout: String, items: [String] = [], sections: [String] = [], everything: Bool = false)
  /// Places a section's items anew from one on, each in the column that is shortest
  /// at that place; from the first item where there is no key, and in all sections
  /// where there is neither. It changes nothing but stable waterfalls, and makes a
  /// revision in any case.
  ///
  /// A batch places 32,768 items of a layout anew at most; later commits go on with the
  /// others. ``LayoutCache/rebalance(_:layouts:section:from:preparing:)`` does all.
  case rebalance(layout: String, section: String? = nil, from: String? = nil)
  /// Notes how far a source of changes has been followed: with the batch, in one
  /// transaction. A batch whose mark is the source's present one has been carried out; it
  /// changes nothing, and answers with the revision of the commit that set the mark. Any
  /// other position is new, and makes a revision. At most one in a batch.
  ///
  /// Both are 1 to 255 bytes without control characters; what a position means is the
  /// source's own matter.
  case mark(source: String, position: String)
}

extension BatchOperation {
  /// The layout that alone is measured, or invalidated; `nil` for all other operations.
  var onlyLayout: String? {
    switch self {
    case .prefer(let layout, _, _, _), .preferSupplementary(let layout, _, _, _),
      .invalidate(let layout, _, _, _):
      layout
    case .insert, .delete, .upsert, .move, .resize, .data, .insertSection, .deleteSection,
      .moveSection, .rebalance, .mark:
      nil
    }
  }
}

/// What becomes of a deletion that names what is not there.
public enum MissingKeys: String, Hashable, Sendable, CaseIterable {
  /// The batch is refused.
  case fail
  /// What is gone already counts for nothing, as where a change arrives twice.
  case ignore
}

/// A place between a section's items.
@nonexhaustive
public enum ItemDestination: Hashable, Sendable {
  /// Behind the section's last item.
  case end(section: String)
  /// Before the section's item at an index, from 0 to their number.
  case index(Int, section: String)
  /// Before the item with a key.
  case before(String)
  /// Behind the item with a key.
  case after(String)
}
