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
    let values = metadata.merging(event.metadata ?? [:]) { _, new in new }
      .sorted { $0.key < $1.key }
      .map { " \($0.key)='\($0.value)'" }
      .joined()
    StandardError.writeLine("\(event.level): \(event.message)\(values)")
  }
}
