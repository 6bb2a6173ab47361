/// Metrics in Prometheus' text format.
///
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4.
struct PrometheusText {
  enum Kind: String {
    case counter, gauge, histogram
  }

  private(set) var text = ""

  /// Appends a metric with one series.
  ///
  /// - Parameter value: `nil` if it is unknown; then nothing is appended.
  mutating func add(
    _ name: String, _ kind: Kind, _ value: (some CustomStringConvertible)?,
    labels: [(name: String, value: String)] = [], _ help: String
  ) {
    guard let value else { return }
    begin(name, kind, help)
    add(name, labels, value)
  }

  /// Begins a metric, whose series follow.
  mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// Appends a series.
  mutating func add(
    _ name: String, _ labels: [(name: String, value: String)], _ value: some CustomStringConvertible
  ) {
    let pairs = labels.map { "\($0.name)=\"\(escapedLabel($0.value))\"" }
    text += pairs.isEmpty ? name : "\(name){\(pairs.joined(separator: ","))}"
    text += " \(value)\n"
  }
}

/// Returns a label's value as the format has it between quotation marks.
private func escapedLabel(_ text: String) -> String {
  text.reduce(into: "") { text, character in
    switch character {
    case "\\": text += "\\\\"
    case "\"": text += "\\\""
    case "\n": text += "\\n"
    default: text.append(character)
    }
  }
}
