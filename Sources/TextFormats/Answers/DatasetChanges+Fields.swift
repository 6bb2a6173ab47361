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

  /// Returns the bytes of ``write(to:)``; if there are more than `bytesMax`, those of the
  /// statement that everything has changed.
  package func json(bytesMax: Int) -> [UInt8] {
    JSONWriter.bytes(upTo: bytesMax, write(to:)) { json in
      var changes = self
      changes.updates = .everything(.tooLarge)
      for index in layouts.indices { changes.layouts[index].context.removeParts() }
      changes.write(to: &json)
    }
  }
}
