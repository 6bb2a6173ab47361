package import Logging
import Synchronization

/// Records the logged messages.
package final class RecordingLog: Sendable {
  private let recorded = Mutex<[String]>([])

  package var messages: [String] { recorded.withLock { $0 } }

  package init() {}

  package var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

  private struct Handler: LogHandler {
    let log: RecordingLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(log: RecordingLog) { self.log = log }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      log.recorded.withLock { $0.append("\(event.message)") }
    }
  }
}
