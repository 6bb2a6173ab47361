package import LayoutCache

extension QueryAnswer {
  /// Appends what a query for several rectangles, or one, found out, all of one revision:
  /// for one what `query --json` prints, for several the same with an object for each in
  /// `pages`.
  package static func write(
    _ snapshot: LayoutSnapshot, _ pages: [ElementsPage], to json: inout JSONWriter
  ) {
    json.beginObject()
    json.member("dataset", snapshot.layout.dataset)
    json.member("layout", snapshot.layout.layout)
    json.member("revision", snapshot.revision)
    json.member("incarnation", snapshot.incarnation)
    json.member("contentSize", snapshot.contentSize)
    if pages.count == 1 {
      json.members(of: pages[0])
    } else {
      json.member("pages")
      json.beginArray()
      for page in pages {
        json.beginObject()
        json.members(of: page)
        json.endObject()
      }
      json.endArray()
    }
    json.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func members(of page: ElementsPage) {
    member("elements")
    value(page.elements, LayoutAttributes.fields)
    optionalMember("next", page.next?.token)
  }
}
