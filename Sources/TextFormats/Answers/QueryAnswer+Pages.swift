package import LayoutCache

extension QueryAnswer {
  /// Returns the answer to queries for one or several rectangles at one revision: for one the
  /// object printed by `query --json`, for several the same with an object for each in `pages`.
  /// Each page ends early where the answer would exceed its bytes, but not before its first
  /// element.
  ///
  /// - Parameters:
  ///   - pages: The elements of each query.
  ///   - withData: Whether cells have their items' data.
  ///   - bytesMax: The maximum number of bytes, if it has room for the first elements.
  ///   - commit: The result that a commit would have, if the snapshot is a preview. It takes at
  ///     most half of the bytes.
  /// - Throws: As `LayoutSnapshot.elements(_:)`.
  package static func bytes(
    _ snapshot: LayoutSnapshot, _ pages: [ElementsPage], of queries: [ElementsQuery],
    withData: Bool, bytesMax: Int, hints: Bool = false, commit: Commit? = nil
  ) throws -> [UInt8] {
    let elementCount = pages.reduce(0) { $0 + $1.elements.count }
    var json = JSONWriter(capacity: min(answerBytes + elementCount * elementBytes, bytesMax))
    func write(_ index: Int) throws {
      json.bytesMax = bytesMax - (pages.count - index) * pageEndBytes
      json.member("elements")
      json.beginArray()
      let next = try snapshot.write(pages[index], of: queries[index], withData: withData) {
        json.values(of: $0, $1)
      }
      json.endArray()
      json.optionalMember("next", next?.token)
    }
    json.beginAnswer(of: snapshot, hints: hints)
    if let commit {
      json.member("commit")
      commit.json(bytesMax: bytesMax / 2).withUnsafeBufferPointer { json.value(utf8: $0) }
    }
    if pages.count == 1 {
      try write(0)
    } else {
      json.member("pages")
      json.beginArray()
      for index in pages.indices {
        json.beginObject()
        try write(index)
        json.endObject()
      }
      json.endArray()
    }
    json.endObject()
    return json.bytes
  }

  /// The usual size of an answer without elements, and of an element, in bytes.
  private static let (answerBytes, elementBytes) = (512, 192)
  /// The room in an answer for the end of a page: two elements with data, and a continuation with
  /// as many scroll positions as a request has.
  package static let pageEndBytes = 64 << 10
}

extension LayoutSnapshot {
  /// Writes a page's elements in order. Data is read in parts, so that memory does not depend on
  /// its length.
  ///
  /// - Parameters:
  ///   - query: The query that the page answers.
  ///   - write: Appends elements until the answer is full, and returns their number.
  /// - Returns: The continuation after the last element written.
  package func write(
    _ page: ElementsPage, of query: ElementsQuery, withData: Bool,
    _ write: (ArraySlice<LayoutAttributes>, ElementsData?) -> Int
  ) throws -> Continuation? {
    var rest = page.elements[...]
    while !rest.isEmpty {
      let part = withData ? rest.prefix(256) : rest
      let count = write(part, withData ? try data(of: Array(part)) : nil)
      rest = rest.dropFirst(count)
      guard count == part.count else {
        return try elements(
          query, continuing: nil, elementsMax: page.elements.count - rest.count
        ).page.next
      }
    }
    return page.next
  }
}

extension JSONWriter {
  /// Begins the object of an answer, with the members that identify the state.
  ///
  /// - Parameter hints: Whether to append hints.
  package mutating func beginAnswer(of snapshot: LayoutSnapshot, hints: Bool = false) {
    beginObject()
    member("dataset", snapshot.layout.dataset)
    member("layout", snapshot.layout.layout)
    member("revision", snapshot.revision)
    member("incarnation", snapshot.incarnation.rawValue)
    member("contentSize", snapshot.contentSize)
    guard hints, !snapshot.hints.isEmpty else { return }
    member("hints")
    beginArray()
    for hint in snapshot.hints { value(hint) }
    endArray()
  }

  /// Appends the cost of a query.
  package mutating func explain(_ work: QueryWork, _ duration: Duration) {
    member("explain")
    beginObject()
    member("nodesVisited", work.nodesVisited)
    member("nodesRead", work.nodesLoaded)
    member("cacheHits", work.cacheHits)
    member("microseconds", duration.wholeMicroseconds)
    endObject()
  }

  /// Appends the elements of a page, and its continuation.
  mutating func members(of page: ElementsPage, _ data: ElementsData?) {
    member("elements")
    value(page.elements, data)
    optionalMember("next", page.next?.token)
  }
}
