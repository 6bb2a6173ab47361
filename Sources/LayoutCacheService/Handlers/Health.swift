import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutCluster
import TextFormats

/// Handlers for probes and metrics.
enum Health {
  /// Reports that the process is alive.
  @Sendable static func live(_ request: ServiceRequest) async throws -> Response {
    request.json { json in
      json.beginObject()
      json.member("status", "ok")
      json.endObject()
    }
  }

  /// Reports whether the service accepts requests: the file is readable, and no shutdown has begun.
  @Sendable static func ready(_ request: ServiceRequest) async throws -> Response {
    if request.service.isDraining { throw Problem(.draining, "the service is stopping") }
    let cache = request.cache
    try await request.blocking { try cache.checkFile() }
    let status = request.service.node?.status()
    if let status, !status.rulesAreKnown {
      throw Problem(
        .logUnavailable, "the log's format or layout rules are not supported by this version")
    }
    if let status, status.isNameReplaced {
      throw Problem(.logUnavailable, "another process has this node's name, '\(status.title)'")
    }
    return request.json { json in
      json.beginObject()
      json.member("status", "ready")
      if let status {
        json.member("cluster")
        status.write(to: &json)
      }
      json.endObject()
    }
  }

  /// Returns the metrics in Prometheus' text format. With access tokens, the main port requires
  /// one; the admin port does not.
  @Sendable static func metrics(_ request: ServiceRequest) async throws -> Response {
    let configuration = request.service.configuration
    if !request.service.tokens.isEmpty, !(request.caller.grant.map { !$0.isSigned } ?? false),
      request.context.channel.localAddress?.port != configuration.adminPort
    {
      throw Problem(.tokenRequired, "send a token, or use the admin port")
    }
    return request.respond(
      type: "text/plain; version=0.0.4; charset=utf-8",
      Array(request.service.metricsText().utf8))
  }
}
