import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Adapts HTTP/1.0 requests to the framework, and their answers to HTTP/1.0.
///
/// The framework assumes HTTP/1.1: it keeps each connection open, sends bodies without a length in
/// chunks, and recognizes a client's wish to close only as the exact header `Connection: close`.
final class RequestVersion: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Inserts the handler before the framework's, which drops the version.
  final class Installer: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    func handlerAdded(context: ChannelHandlerContext) {
      let pipeline = context.pipeline.syncOperations
      do {
        let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
        try pipeline.addHandler(RequestVersion(), position: .before(codec))
      } catch {
        preconditionFailure("a connection of HTTP/1 has the framework's codec: \(error)")
      }
    }
  }

  private var isLegacy = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    isLegacy = head.version != .http1_1
    head.headers.remove(name: HTTPField.Name.legacyVersion.rawName)
    if isLegacy {
      head.headers.add(name: HTTPField.Name.legacyVersion.rawName, value: "1.0")
      // RFC 9112, section 3.3: the service's address if the client names no host.
      if !head.headers.contains(name: "Host"), let address = context.localAddress?.ipAddress {
        head.headers.add(name: "Host", value: address.contains(":") ? "[\(address)]" : address)
      }
      // HTTP/1.0 clients do not understand interim responses.
      head.headers.remove(name: "Expect")
    }
    let connection = head.headers[canonicalForm: "Connection"]
    if isLegacy || connection.contains(where: { $0.lowercased() == "close" }) {
      head.headers.replaceOrAdd(name: "Connection", value: "close")
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard isLegacy, case .head(var head) = unwrapOutboundIn(data) else {
      return context.write(data, promise: promise)
    }
    head.version = .http1_0
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }
}

extension Request {
  /// Checks that the client understands chunks, and so can tell the end of an answer without a length
  /// from a lost connection.
  ///
  /// - Throws: ``Problem`` with 505.
  func requireChunks() throws {
    guard headers[.legacyVersion] == nil else {
      throw Problem(
        .versionNotSupported, "streams and exports need HTTP/1.1: an end could not be recognized")
    }
  }
}

extension HTTPField.Name {
  /// Set for handlers, not sent by clients: the version of a request before HTTP/1.1.
  fileprivate static let legacyVersion = HTTPField.Name("LayoutCache-Request-Version")!
}
