import CollectionLayout
import LayoutGeometry
import SumTree

extension LayoutEditor {
  /// Changes a section's style. Its items are placed as by a layout from scratch, unless the
  /// plans of both styles place them identically.
  mutating func restyle(_ section: SectionReference, _ change: StyleChange) throws {
    var result = try result(of: section.index)
    guard result.style.isExactly(change.previous) else { throw MisplacedOperation() }
    let old = plan.section(section.key, style: result.style)
    let new = plan.section(section.key, style: change.style)
    let lengthBefore = result.length
    result.style = change.style
    if old.kind.places(as: new.kind) {
      result = try result.taken(over: old, by: new, key: section.key)
      try put(result, at: section.index)
      guard !old.hasFrame(of: new) else { return }
      return invalidate(section, change, old, new, length: max(lengthBefore, result.length))
    }
    result.content.kept?.drop(&session.edits)
    pending[section.index] = nil
    replaced[section.index] = nil
    var empty = try new.measured(result.measured).withoutItems(shapes)
    (empty.measured, empty.style) = (result.measured, result.style)
    try put(empty, at: section.index)
    if let items = change.items { try edit(.fill(items), of: section) }
    edited[section.index] = nil
    invalidate(
      section, change, old, new,
      length: max(lengthBefore, try self.result(of: section.index).length))
  }

  private mutating func invalidate(
    _ section: SectionReference, _ change: StyleChange, _ old: SectionPlan, _ new: SectionPlan,
    length: Length
  ) {
    context.invalidate(
      SectionInvalidation(
        ofSection: section.index, itemCount: change.itemCount, from: old, to: new,
        length: length))
  }
}
