package import LayoutCache

/// The answer to a query, with its snapshot.
package struct QueryAnswer {
  package var snapshot: LayoutSnapshot
  package var page: ElementsPage
  package var duration: Duration

  package init(snapshot: LayoutSnapshot, page: ElementsPage, duration: Duration) {
    (self.snapshot, self.page, self.duration) = (snapshot, page, duration)
  }

  /// Appends the object printed by `query --json --explain`.
  package func write(to json: inout JSONWriter) {
    json.beginAnswer(of: snapshot)
    json.members(of: page, nil)
    json.explain(page.work, duration)
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
