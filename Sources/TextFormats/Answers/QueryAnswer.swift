package import LayoutCache

/// The answer to a query for a rectangle, with where it comes from.
package struct QueryAnswer {
  package var snapshot: LayoutSnapshot
  package var page: ElementsPage
  /// What the page's items carry; `nil` where that was not asked for.
  package var data: ElementsData?
  package var duration: Duration

  package init(
    snapshot: LayoutSnapshot, page: ElementsPage, data: ElementsData? = nil, duration: Duration
  ) {
    self.snapshot = snapshot
    self.page = page
    self.data = data
    self.duration = duration
  }

  /// The page's elements, with what their items carry.
  package var elements: [ElementAnswer] { page.elements(with: data) }

  /// What the answer cost, data included.
  package var work: QueryWork {
    var work = page.work
    work.nodesVisited += data?.work.nodesVisited ?? 0
    work.nodesLoaded += data?.work.nodesLoaded ?? 0
    return work
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
    json.members(of: page, data)
    if explains {
      json.member("explain")
      json.beginObject()
      json.member("nodesVisited", work.nodesVisited)
      json.member("nodesRead", work.nodesLoaded)
      json.member("cacheHits", work.cacheHits)
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
