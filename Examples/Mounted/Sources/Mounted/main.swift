import Hummingbird
import LayoutCache
import LayoutCacheService
import Logging
import NIOCore

/// The application's request context. The service's routes need the connection.
struct Context: ConnectionContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

let logger = Logger(label: "mounted")
let cache = try LayoutCache(path: CommandLine.arguments[1])
let layouts = try LayoutRoutes(
  cache: cache, configuration: ServiceConfiguration(), logger: logger)

let router = Router(context: Context.self)
// The application's own routes use the cache too.
router.get("count") { _, _ in
  try await cache.perform { "\(try $0.datasets().count) datasets\n" }
}
layouts.addRoutes(to: router, at: "layouts")

let port = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 8080
let application = Application(
  router: router, server: layouts.server,
  configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
  services: [layouts], logger: logger)
try await application.runService()
try cache.close()
