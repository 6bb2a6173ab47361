import CollectionLayout
import LayoutGeometry
import SumTree

/// A new style of a section.
struct StyleChange: Sendable, Equatable {
  /// The new style; `nil` for none.
  var style: String?
  var previous: String?
  var itemCount: Int
  /// The section's items, from which layouts place them again; `nil` if it has none, or too many
  /// for the log. In that case every layout is laid out from scratch.
  var items: ItemLeaf?

  /// Whether the log lacks the section's items.
  var isEverything: Bool { items == nil && itemCount > 0 }

  /// The change back to the previous style.
  var reversed: StyleChange {
    StyleChange(style: previous, previous: style, itemCount: itemCount, items: items)
  }
}

/// An operation with all names resolved: stored in the log and applied to a dataset's trees and
/// its layouts' results, immediately or when they are next opened.
///
/// It refers to items by position, so applying it needs no search for keys. It contains
/// everything that a layout needs to catch up without the dataset of that time. It also contains
/// removed and replaced content, to report changes and undo them; `nil` if that is too large, or
/// an older version logged the operation.
enum ResolvedOperation: Sendable, Equatable {
  /// The insertion of items before the one at an index. For a move, the previous operation has
  /// removed the same item.
  case insertItems(ItemRun, index: Int, section: SectionReference, isMove: Bool = false)
  /// The deletion of a range of items.
  case deleteItems(Range<Int>, section: SectionReference, removed: ItemRun? = nil)
  /// The replacement of the item at an index by the one item of the leaf, which has the same key.
  /// Affects one layout, or all if `layout` is `nil`.
  case changeItem(
    ItemLeaf, index: Int, section: SectionReference, layout: Int64?, previous: ItemLeaf? = nil)
  /// The replacement of the data of the item at an index, which has the key, by the data of the
  /// run's one item. Affects no layout.
  case changeData(
    ItemDataRun, key: String, index: Int, section: SectionReference, previous: ItemDataRun? = nil)
  /// A new measured length of a section's header or footer in a layout; `nil` removes it.
  case changeSupplementary(
    LayoutAttributes.SupplementaryKind, section: SectionReference, layout: Int64,
    length: Length?, previous: Length?)
  /// The insertion of an empty section before the one at the index.
  case insertSection(SectionReference, style: String? = nil)
  case deleteSection(
    SectionReference, itemCount: Int, removed: ItemRun? = nil, style: String? = nil)
  /// The change of a section's style.
  case changeStyle(SectionReference, StyleChange)
  /// The move of a section to an index, counted after the section's removal.
  case moveSection(from: SectionReference, to: Int)
  /// The invalidation of items in a layout, which are displayed again.
  case invalidateItems(Range<Int>, section: SectionReference, layout: Int64)
  /// The rebalance of a section: its items are placed again from an index on.
  case rebalance(from: Int, section: SectionReference, layout: Int64)
  /// The invalidation of a whole layout, which is laid out from scratch.
  case everything(layout: Int64)
  /// The continuation of a layout's rebalances by a large instalment.
  case continueRebalance(layout: Int64)
  /// The creation of the dataset, or the replacement of its items by an import: no earlier log
  /// entry leads here.
  case build
  /// The position up to which a source of changes has been followed.
  case mark(source: String, position: String)
  /// The marker of a batch that reverts the previous one, as its first operation. The others
  /// revert that batch's operations, and layouts restore the columns from before it.
  case undo

  /// The number of operations for which it counts: one per item it affects individually.
  var weight: Int {
    switch self {
    case .insertItems(let run, _, _, _): run.count
    case .deleteItems(let range, _, _), .invalidateItems(let range, _, _): range.count
    case .changeStyle(_, let change): max(1, change.itemCount)
    case .changeItem, .changeData, .changeSupplementary, .insertSection, .deleteSection,
      .moveSection, .rebalance, .everything, .continueRebalance, .build, .mark, .undo:
      1
    }
  }

  /// Whether the operation only changes data, and so affects no layout.
  var isOfData: Bool {
    if case .changeData = self { true } else { false }
  }
}
