import Logging

/// Writes the library's log to standard error: warnings and worse, a line each.
struct WarningLog: LogHandler {
  var logLevel = Logger.Level.warning
  var metadata: Logger.Metadata = [:]

  /// Makes this the process's log. Called once, before anything logs.
  static func bootstrap() {
    LoggingSystem.bootstrap { _ in WarningLog() }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    StandardError.writeLine(event.line(with: metadata))
  }
}

extension LogEvent {
  /// The event in one line, with what it and its logger carry.
  func line(with metadata: Logger.Metadata) -> String {
    let values = values(with: metadata).map { " \($0.key)='\($0.value)'" }.joined()
    return "\(level): \(message)\(values)"
  }

  /// What the event and its logger carry, by name.
  func values(with metadata: Logger.Metadata) -> [(key: String, value: Logger.Metadata.Value)] {
    metadata.merging(self.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }
  }
}
