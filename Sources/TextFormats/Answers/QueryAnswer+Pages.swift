package import LayoutCache

extension QueryAnswer {
  /// Returns the bytes of ``write(_:_:data:to:)``.
  package static func bytes(
    _ snapshot: LayoutSnapshot, _ pages: [ElementsPage], data: [ElementsData]? = nil
  ) -> [UInt8] {
    let elementCount = pages.reduce(0) { $0 + $1.elements.count }
    var json = JSONWriter(capacity: answerBytes + elementCount * elementBytes)
    write(snapshot, pages, data: data, to: &json)
    return json.bytes
  }

  /// The usual size of an answer without elements, and of an element, in bytes.
  private static let (answerBytes, elementBytes) = (512, 192)

  /// Appends the answer to a query for one or several rectangles at one revision: for one the
  /// object printed by `query --json`, for several the same with an object for each in `pages`.
  ///
  /// - Parameter data: The data of each page's items; `nil` if it was not requested.
  package static func write(
    _ snapshot: LayoutSnapshot, _ pages: [ElementsPage], data: [ElementsData]? = nil,
    to json: inout JSONWriter
  ) {
    json.beginAnswer(of: snapshot)
    if pages.count == 1 {
      json.members(of: pages[0], data?[0])
    } else {
      json.member("pages")
      json.beginArray()
      for (index, page) in pages.enumerated() {
        json.beginObject()
        json.members(of: page, data?[index])
        json.endObject()
      }
      json.endArray()
    }
    json.endObject()
  }
}

extension JSONWriter {
  /// Begins the object of an answer, with the members that identify the state.
  package mutating func beginAnswer(of snapshot: LayoutSnapshot) {
    beginObject()
    member("dataset", snapshot.layout.dataset)
    member("layout", snapshot.layout.layout)
    member("revision", snapshot.revision)
    member("incarnation", snapshot.incarnation.rawValue)
    member("contentSize", snapshot.contentSize)
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
