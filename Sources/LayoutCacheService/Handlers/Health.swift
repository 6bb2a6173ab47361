import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutCluster
import TextFormats

/// Whether the service is there, and what it has counted.
enum Health {
  /// The process answers.
  @Sendable static func live(_ exchange: Exchange) async throws -> Response {
    exchange.json { json in
      json.beginObject()
      json.member("status", "ok")
      json.endObject()
    }
  }

  /// It takes requests: the file can be read, and it is not stopping.
  @Sendable static func ready(_ exchange: Exchange) async throws -> Response {
    if exchange.service.isDraining { throw Problem(.draining, "the service is stopping") }
    let cache = exchange.cache
    try await exchange.blocking { try cache.checkFile() }
    let status = exchange.service.node?.status()
    if let status, !status.rulesAreKnown {
      throw Problem(.logAway, "other layout rules are in force than this version knows")
    }
    return exchange.json { json in
      json.beginObject()
      json.member("status", "ready")
      if let status {
        json.member("cluster")
        status.write(to: &json)
      }
      json.endObject()
    }
  }

  /// What is counted, in Prometheus' text format. Where there are tokens the service's own
  /// port asks for one; the port of its own does not.
  @Sendable static func metrics(_ exchange: Exchange) async throws -> Response {
    let configuration = exchange.service.configuration
    if !configuration.tokens.isEmpty, exchange.caller.entry == nil,
      exchange.context.channel.localAddress?.port != configuration.adminPort
    {
      throw Problem(.tokenNeeded, "send a token, or ask at the port for metrics")
    }
    return exchange.answer(
      type: "text/plain; version=0.0.4; charset=utf-8",
      Array(
        (exchange.service.metrics.text() + (exchange.service.node?.status().metrics ?? "")).utf8))
  }
}
