import HTTPTypes
import Hummingbird
import LayoutGeometry

/// The files of a folder of the user, such as web pages that use the client module.
struct UserPages: Sendable {
  /// The path of the folder in addresses.
  static let path = "/pages"

  private let folder: PagesFolder
  private let files: FileMiddleware<ServiceContext, LocalFileSystem>

  init(_ folder: PagesFolder) {
    self.folder = folder
    files = FileMiddleware(folder.path, urlBasePath: Self.path, searchForIndexHtml: true)
  }

  /// Returns the file that the path names.
  ///
  /// - Throws: ``Problem`` with `routeNotFound` if there is none, if its name or that of a folder
  ///   begins with a period, or if it is not a file of the folder.
  func respond(_ request: Request, _ context: ServiceContext) async throws -> Response {
    // Links of the page are relative to the folder.
    if request.uri.path == Self.path { return .redirect(to: Self.path + "/") }
    let path = percentDecoded(request.uri.path[...]) ?? ""
    let isHidden = path.split(separator: "/").contains { $0.hasPrefix(".") }
    let isPlain = !path.unicodeScalars.contains { $0.properties.generalCategory == .control }
    let missing = Problem(
      .routeNotFound, "the folder of --pages has no file for \(excerpt(request.uri.path))")
    // A file is not a folder, although the file system provider ignores the slash.
    let isFile = path.split(separator: "/").last?.contains(".") ?? false
    guard isPlain, !isHidden, !path.isEmpty, !(isFile && path.hasSuffix("/")) else { throw missing }
    // In a folder its index.html is served, if it has one.
    let names = [String(path.dropFirst(Self.path.count)), "index.html"]
    guard folder.allows(names[0]), !names[0].hasSuffix("/") || folder.allows(names.joined()) else {
      throw missing
    }
    do {
      return try await files.handle(request, context: context) { _, _ in throw HTTPError(.notFound)
      }
    } catch let error as any HTTPResponseError {
      throw error.status == .notFound
        ? missing : Problem(.badRequest, "the path of the file is not valid")
    }
  }
}
