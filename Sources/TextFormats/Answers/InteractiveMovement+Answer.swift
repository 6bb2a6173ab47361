package import LayoutCache
package import LayoutGeometry

extension InteractiveMovement {
  /// Appends the members with the target of the items, the resulting changes of visible
  /// elements, and the batch that commits the move.
  ///
  /// - Parameters:
  ///   - rect: The rectangle of the provisional order to include; `nil` for none.
  ///   - limit: The maximum number of elements in it.
  /// - Throws: As ``InteractiveMovement/elements(in:visible:limit:)``.
  package func writeMembers(
    showing rect: Rect?, visible: Rect?, limit: Int, to json: inout JSONWriter
  ) throws {
    json.member("targetIndexPath", targetIndexPath.numbers)
    json.member("indexPaths", indexPaths.map(\.numbers))
    json.member("moving")
    json.value(try movingAttributes(), nil)
    json.member("context")
    json.value(context, InvalidationContext.fields)
    json.member("operations", of: end()) { $1.write(to: &$0) }
    guard let rect else { return }
    json.member("elements")
    json.value(try elements(in: rect, visible: visible, limit: limit), nil)
  }
}
