import CoreMetrics
import Synchronization

/// A swift-metrics backend that exposes its values in Prometheus' text format.
///
/// Counters and gauges are numbers. Timers and aggregating recorders are histograms, timers in
/// seconds. A label becomes a metric name: invalid characters are replaced by underscores.
///
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4.
final class PrometheusMetrics: MetricsFactory {
  private struct ID: Hashable {
    var name: String
    var dimensions: [String]
  }

  private enum Metric {
    case counter(PrometheusCounter)
    case gauge(PrometheusGauge)
    case histogram(PrometheusHistogram)

    var isUsed: Bool {
      switch self {
      case .counter(let counter): counter.value > 0
      case .gauge: true
      case .histogram(let histogram): histogram.values().count > 0
      }
    }
  }

  private let metrics = Mutex<[ID: Metric]>([:])

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    metric(label, dimensions) {
      .counter(PrometheusCounter())
    } as: {
      if case .counter(let counter) = $0 { counter } else { nil }
    }
  }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    guard aggregate else { return gauge(label, dimensions) }
    return metric(label, dimensions) {
      .histogram(PrometheusHistogram(bounds: PrometheusHistogram.sizes, unit: 1))
    } as: {
      if case .histogram(let histogram) = $0 { histogram } else { nil }
    }
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    gauge(label, dimensions)
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    metric(label, dimensions) {
      .histogram(PrometheusHistogram(bounds: PrometheusHistogram.seconds, unit: 1e-9))
    } as: {
      if case .histogram(let histogram) = $0 { histogram } else { nil }
    }
  }

  // Values stay: a counter that restarts looks like a restart of the process.
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyMeter(_ handler: any MeterHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}

  private func gauge(_ label: String, _ dimensions: [(String, String)]) -> PrometheusGauge {
    metric(label, dimensions) {
      .gauge(PrometheusGauge())
    } as: {
      if case .gauge(let gauge) = $0 { gauge } else { nil }
    }
  }

  /// Returns the metric of a name, created if missing.
  ///
  /// - Precondition: An existing metric of the name is of the same kind.
  private func metric<M: Sendable>(
    _ label: String, _ dimensions: [(String, String)], make: () -> Metric,
    as kind: (Metric) -> M?
  ) -> M {
    let id = ID(
      name: Self.name(label),
      dimensions: dimensions.map { "\(Self.name($0))=\"\(escapedLabel($1))\"" })
    let metric = metrics.withLock { metrics in
      if let known = metrics[id] { return known }
      let new = make()
      metrics[id] = new
      return new
    }
    guard let found = kind(metric) else { preconditionFailure("\(label) is of another kind") }
    return found
  }

  private static let help = [
    "layoutcache_http_requests_total": "Requests by route, method and class of status.",
    "layoutcache_http_stored_answers_total": "Requests answered from the cache of answers.",
    "layoutcache_http_request_duration_seconds":
      "Time from a request's header to its answer's header.",
  ]

  /// Returns the values ordered by name: each without labels, and each with labels that has been
  /// used. Otherwise a service would send thousands of zeros for routes that no client uses.
  func text() -> String {
    let metrics = metrics.withLock { $0 }.filter { $0.key.dimensions.isEmpty || $0.value.isUsed }
    var text = ""
    var last = ""
    for (id, metric) in metrics.sorted(by: {
      ($0.key.name, $0.key.dimensions.joined()) < ($1.key.name, $1.key.dimensions.joined())
    }) {
      let labels = id.dimensions
      if last != id.name, let help = Self.help[id.name] { text += "# HELP \(id.name) \(help)\n" }
      switch metric {
      case .counter(let counter):
        if last != id.name { text += "# TYPE \(id.name) counter\n" }
        text += "\(id.name)\(Self.braces(labels)) \(counter.value)\n"
      case .gauge(let gauge):
        if last != id.name { text += "# TYPE \(id.name) gauge\n" }
        text += "\(id.name)\(Self.braces(labels)) \(gauge.value)\n"
      case .histogram(let histogram):
        if last != id.name { text += "# TYPE \(id.name) histogram\n" }
        let (buckets, sum, count) = histogram.values()
        for (bound, value) in buckets {
          text += "\(id.name)_bucket\(Self.braces(labels + ["le=\"\(bound)\""])) \(value)\n"
        }
        text += "\(id.name)_sum\(Self.braces(labels)) \(sum)\n"
        text += "\(id.name)_count\(Self.braces(labels)) \(count)\n"
      }
      last = id.name
    }
    return text
  }

  private static func braces(_ labels: [String]) -> String {
    labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
  }

  private static func name(_ label: String) -> String {
    String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" ? $0 : "_" })
  }
}
