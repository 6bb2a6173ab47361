import Logging

/// Writes the library's log to standard error: warnings and errors, one per line.
struct WarningLog: LogHandler {
  var logLevel = Logger.Level.warning
  var metadata: Logger.Metadata = [:]

  /// Installs this as the process's log. Called once, before the first log message.
  static func bootstrap() { LoggingSystem.bootstrap { _ in WarningLog() } }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { StandardError.writeLine(event.line(with: metadata)) }
}

extension LogEvent {
  /// Returns the event in one line, with its metadata and that of its logger.
  func line(with metadata: Logger.Metadata) -> String {
    let values = values(with: metadata).map { " \($0.key)='\($0.value)'" }.joined()
    return "\(level): \(message)\(values)"
  }

  /// Returns the metadata of the event and its logger, ordered by name.
  func values(with metadata: Logger.Metadata) -> [(key: String, value: Logger.Metadata.Value)] {
    metadata.merging(self.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }
  }
}
