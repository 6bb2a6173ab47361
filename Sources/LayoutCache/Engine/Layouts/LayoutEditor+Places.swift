import CollectionLayout
import SumTree

/// The place in a section before which all edits of a batch are.
struct EditedPlace: Sendable {
  var key: String
  /// The number of items after it.
  var rest: Int
}

extension LayoutEditor {
  mutating func recordEdited(_ section: SectionReference, rest: Int) {
    let least = min(rest, edited[section.index]?.rest ?? rest)
    edited[section.index] = EditedPlace(key: section.key, rest: least)
  }

  /// Corrects uneven columns at the places of the batch's edits.
  mutating func correctEditedPlaces() throws {
    for (index, place) in edited.sorted(by: { $0.key < $1.key }) where place.rest > 0 {
      let section = SectionReference(index: index, key: place.key)
      let sectionPlan = try sectionPlan(section)
      guard case .atOnce(let placing) = sectionPlan.kind.placing.following else { continue }
      var result = try result(of: index)
      let correction = try placing.correct(
        &result.content, at: result.content.itemCount - place.rest,
        placing: shapes.rebalancing.instalment, shapes, in: session)
      guard let (change, length) = correction else { continue }
      result.overdueKey = try placing.isOverdue(result.content) ? place.key : nil
      try keep(result, at: index, change, contentLength: length, sectionPlan)
      recordReplaced(change, place.key, itemCount: result.content.itemCount, at: index)
    }
  }
}
