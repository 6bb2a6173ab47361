package import LayoutCache

extension LayoutTransition {
  /// Appends the members with the inserted, deleted and moved elements, and with the visible
  /// rectangles.
  package func writeMembers(to json: inout JSONWriter) {
    json.member("initialRect", initialRect)
    json.member("finalRect", finalRect)
    json.member("appearing", of: appearing) { $1.write(to: &$0) }
    json.member("disappearing", of: disappearing) { $1.write(to: &$0) }
    json.member("moving", of: moving) { $1.write(to: &$0) }
  }
}

extension LayoutTransition.Element {
  fileprivate func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("initial")
    json.values(of: [initial], nil)
    json.member("final")
    json.values(of: [final], nil)
    // Omitted like every member at its default.
    if change != .none { json.member("change", change.rawValue) }
    json.endObject()
  }
}
