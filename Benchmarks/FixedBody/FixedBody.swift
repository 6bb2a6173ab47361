import Hummingbird
import NIOCore

/// The service's framework with a fixed body and nothing else: the baseline for the service's
/// throughput.
///
/// FixedBody PORT BYTES
@main
enum FixedBody {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    guard arguments.count == 2 else { return print("usage: FixedBody PORT BYTES") }
    let body = ByteBuffer(repeating: UInt8(ascii: "x"), count: arguments[1])
    let router = Router()
    router.get("/") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "application/json"],
        body: ResponseBody(byteBuffer: body))
    }
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: arguments[0])))
    try await application.runService()
  }
}
