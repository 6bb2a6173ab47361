import LayoutCache
import Logging
import TextFormats

/// Writes a service's log to standard error, one event per line: as text, or as JSON for
/// programs that collect logs.
struct ServiceLog: LogHandler {
  enum Format: String, CaseIterable, Sendable {
    case text, json
  }

  let label: String
  let format: Format
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  init(label: String, format: Format, level: Logger.Level) {
    (self.label, self.format) = (label, format)
    logLevel = level
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let time = timeText(millisecondsSince1970: WallClock.system.now())
    switch format {
    case .text: StandardError.writeLine(event.line(with: metadata), time: time)
    case .json:
      var json = JSONWriter()
      json.beginObject()
      json.member("time", time)
      json.member("level", "\(event.level)")
      json.member("logger", label)
      json.member("message", "\(event.message)")
      for (name, value) in event.values(with: metadata) {
        guard case .stringConvertible(let number) = value else {
          json.member(name, "\(value)")
          continue
        }
        switch number {
        case let number as Int: json.member(name, number)
        case let number as Double: json.member(name, number)
        case let isTrue as Bool: json.member(name, isTrue)
        default: json.member(name, "\(value)")
        }
      }
      json.endObject()
      StandardError.write(String(decoding: json.bytes, as: UTF8.self) + "\n")
    }
  }
}
