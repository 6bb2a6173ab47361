package import LayoutCache

/// The answer to a query for a rectangle, with where it comes from.
package struct QueryAnswer {
  package var snapshot: LayoutSnapshot
  package var page: ElementsPage
  package var duration: Duration

  package init(snapshot: LayoutSnapshot, page: ElementsPage, duration: Duration) {
    self.snapshot = snapshot
    self.page = page
    self.duration = duration
  }

  package var microseconds: Int { duration.wholeMicroseconds }

  /// Appends the object that `query --json` prints.
  package func write(to json: inout JSONWriter, explains: Bool) {
    json.beginObject()
    json.member("dataset", snapshot.layout.dataset)
    json.member("layout", snapshot.layout.layout)
    json.member("revision", snapshot.revision)
    json.member("incarnation", snapshot.incarnation)
    json.member("contentSize", snapshot.contentSize)
    json.member("elements")
    json.value(page.elements, LayoutAttributes.fields)
    json.optionalMember("next", page.next?.token)
    if explains {
      json.member("explain")
      json.beginObject()
      json.member("nodesVisited", page.work.nodesVisited)
      json.member("nodesRead", page.work.nodesLoaded)
      json.member("cacheHits", page.work.cacheHits)
      json.member("microseconds", microseconds)
      json.endObject()
    }
    json.endObject()
  }
}

extension Duration {
  /// The duration in microseconds, rounded down.
  package var wholeMicroseconds: Int {
    Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000)
  }

  /// The duration in milliseconds with a decimal, as "12.3 ms".
  package var inMilliseconds: String {
    let tenths = wholeMicroseconds / 100
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}
