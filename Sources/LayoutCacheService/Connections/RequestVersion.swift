import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Makes requests of HTTP/1.0 look like the others, and their answers like those of HTTP/1.0.
///
/// The framework knows one version: it keeps each connection open, sends what has no length in
/// chunks, and takes a client's wish to close only as `Connection: close` to the letter.
final class RequestVersion: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Puts the handler in front of the framework's own, which drops the version.
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
    if isLegacy {
      // RFC 9112, section 3.3: the service's own address where the client names no host.
      if !head.headers.contains(name: "Host"), let address = context.localAddress?.ipAddress {
        head.headers.add(name: "Host", value: address.contains(":") ? "[\(address)]" : address)
      }
      // Such a client knows no interim answers.
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
