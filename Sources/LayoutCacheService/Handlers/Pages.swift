import Hummingbird
import LayoutGeometry
import ServicePage

/// Handlers for the files embedded in the binary: the inspector, the client module, and the
/// OpenAPI description.
enum Pages {
  /// The files by name, prepared at the first request for one, which takes some 40 ms.
  private static let files: [String: StaticFile] = {
    var count = 0
    guard let first = service_page_files(&count) else { return [:] }
    return UnsafeBufferPointer(start: first, count: count).reduce(into: [:]) { files, file in
      let name = String(cString: file.name)
      // The bytes are constants of the binary.
      let bytes = UnsafeBufferPointer(start: file.bytes, count: file.count)
      files[name] = StaticFile(Array(bytes), type: type(ofFile: name))
    }
  }()

  /// Only scripts from the service run in the page. Pictures may come from any URL in the
  /// items' data.
  private static let policy =
    """
    default-src 'self'; img-src * data: blob:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; object-src 'none'
    """

  @Sendable static func inspector(_ request: ServiceRequest) async throws -> Response {
    var response = try request.file("index.html")
    response.headers[.contentSecurityPolicy] = policy
    return response
  }

  @Sendable static func client(_ request: ServiceRequest) async throws -> Response {
    try request.file("client.js")
  }

  @Sendable static func clientTypes(_ request: ServiceRequest) async throws -> Response {
    try request.file("client.d.ts")
  }

  @Sendable static func part(_ request: ServiceRequest) async throws -> Response {
    try request.file(request.part("name"))
  }

  @Sendable static func openAPI(_ request: ServiceRequest) async throws -> Response {
    try request.file("openapi.json")
  }

  /// Returns the page that documents the `type` of each problem.
  @Sendable static func problems(_ request: ServiceRequest) async throws -> Response {
    request.respond(problemPage)
  }

  private static let problemPage: StaticFile = {
    var page =
      """
      <!doctype html>
      <html lang="en"><meta charset="utf-8"><title>Problems</title>
      <h1>Problems</h1>
      <dl>

      """
    for kind in ProblemKind.allCases {
      page += "<dt id=\"\(kind.rawValue)\"><b>\(kind.status.code) \(kind.title)</b></dt>"
      page += "<dd>\(kind.advice)</dd>\n"
    }
    page += "</dl></html>\n"
    return StaticFile(Array(page.utf8), type: "text/html; charset=utf-8")
  }()

  static func file(_ name: String) -> StaticFile? { files[name] }

  private static func type(ofFile name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "json": "application/json"
    case "svg": "image/svg+xml"
    default: "text/plain; charset=utf-8"
    }
  }
}

extension ServiceRequest {
  fileprivate func file(_ name: String) throws -> Response {
    guard let file = Pages.file(name) else {
      throw Problem(.routeNotFound, "there is no file \(excerpt(name))")
    }
    return respond(file)
  }
}
