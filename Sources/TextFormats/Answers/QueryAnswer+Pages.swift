package import LayoutCache

extension QueryAnswer {
  /// Appends what a query for several rectangles, or one, found out, all of one revision:
  /// for one what `query --json` prints, for several the same with an object for each in
  /// `pages`.
  ///
  /// - Parameter data: What the items of each page carry; `nil` where that was not asked for.
  package static func write(
    _ snapshot: LayoutSnapshot, _ pages: [ElementsPage], data: [ElementsData]? = nil,
    to json: inout JSONWriter
  ) {
    json.beginObject()
    json.member("dataset", snapshot.layout.dataset)
    json.member("layout", snapshot.layout.layout)
    json.member("revision", snapshot.revision)
    json.member("incarnation", snapshot.incarnation)
    json.member("contentSize", snapshot.contentSize)
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
  /// Appends the elements of a page, and where it goes on.
  mutating func members(of page: ElementsPage, _ data: ElementsData?) {
    member("elements")
    value(page.elements, data)
    optionalMember("next", page.next?.token)
  }
}
