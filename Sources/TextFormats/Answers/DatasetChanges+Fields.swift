package import LayoutCache

extension DatasetChanges {
  /// Appends the object printed by `query --since --json`.
  package func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("dataset", dataset)
    json.member("revision", revision)
    json.member("since", since)
    json.member("incarnation", incarnation.rawValue)
    json.member("updates")
    updates.write(to: &json)
    json.member("layouts")
    json.value(layouts, Commit.LayoutChange.fields)
    json.endObject()
  }
}
