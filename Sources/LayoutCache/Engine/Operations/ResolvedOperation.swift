import CollectionLayout
import LayoutGeometry
import SumTree

/// An operation with everything looked up: what the log keeps, and what is carried
/// out on a dataset's trees and on its layouts' results, now or when they are next
/// opened.
///
/// It names items by their places, so carrying it out takes no search for keys, and
/// it holds all that a layout needs, so that a layout catches up without the
/// dataset of that time. What goes and what was before it holds too, for those who are told
/// what has changed or take it back; `nil` where that is too much, or an older version has
/// logged it.
enum ResolvedOperation: Sendable, Equatable {
  /// Items come to be before the one at an index. A move says so: the operation before
  /// has taken the same item out.
  case insertItems(ItemRun, index: Int, section: SectionReference, isMove: Bool = false)
  /// The items of a range go.
  case deleteItems(Range<Int>, section: SectionReference, removed: ItemRun? = nil)
  /// The item at an index becomes the one item of the leaf, which has its key.
  /// Concerns one layout, or all where that is `nil`.
  case changeItem(
    ItemLeaf, index: Int, section: SectionReference, layout: Int64?, previous: ItemLeaf? = nil)
  /// The item at an index, which has the key, gets the data of the run's one item.
  /// Concerns no layout.
  case changeData(
    ItemDataRun, key: String, index: Int, section: SectionReference, previous: ItemDataRun? = nil)
  /// A section's header or footer gets a measured length in a layout, or loses it where
  /// that is `nil`.
  case changeSupplementary(
    LayoutAttributes.SupplementaryKind, section: SectionReference, layout: Int64,
    length: Length?, previous: Length?)
  /// An empty section comes to be before the one at the index.
  case insertSection(SectionReference)
  case deleteSection(SectionReference, itemCount: Int, removed: ItemRun? = nil)
  /// To an index that is counted after the section's removal.
  case moveSection(from: SectionReference, to: Int)
  /// Items of a layout are shown again.
  case invalidateItems(Range<Int>, section: SectionReference, layout: Int64)
  /// A section's items are placed again from one on.
  case rebalance(from: Int, section: SectionReference, layout: Int64)
  /// A layout is laid out from scratch.
  case everything(layout: Int64)
  /// The batch's instalment of a layout's rebalances is a large one.
  case carryOn(layout: Int64)
  /// The dataset was made, or its items were rebuilt by an import: nothing that came
  /// before leads here.
  case build
  /// A source of changes has been followed so far.
  case mark(source: String, position: String)
  /// The first of a batch that takes the one before back: the others undo its operations, and
  /// layouts get the columns again that they had before it.
  case undo

  /// How many operations it counts for: the items it touches one by one.
  var weight: Int {
    switch self {
    case .insertItems(let run, _, _, _): run.count
    case .deleteItems(let range, _, _), .invalidateItems(let range, _, _): range.count
    case .changeItem, .changeData, .changeSupplementary, .insertSection, .deleteSection,
      .moveSection, .rebalance, .everything, .carryOn, .build, .mark, .undo:
      1
    }
  }

  /// Whether it only changes data, and so concerns no layout.
  var isOfData: Bool {
    if case .changeData = self { true } else { false }
  }
}
