import HTTPTypes
import Hummingbird
import Logging

extension ServiceContext {
  /// Returns the ID of a request, for its answer and its lines of the log: that of the header
  /// `X-Request-Id`, as a proxy sets it, if it is plain, otherwise the framework's.
  func requestID(_ headers: HTTPFields) -> String {
    if let id = headers[.requestID], isPlainID(id) { return id }
    return logger[metadataKey: Self.frameworkKey].map { "\($0)" } ?? randomID()
  }

  func logger(of id: String) -> Logger {
    var logger = logger
    logger[metadataKey: Self.frameworkKey] = nil
    logger[metadataKey: "request"] = .string(id)
    return logger
  }

  /// The name under which the framework logs its own ID of a request.
  private static let frameworkKey = "hb.request.id"
}

extension HTTPField.Name {
  static let requestID = HTTPField.Name("X-Request-Id")!
}

/// Returns whether a client's ID is short, and safe in logs and headers: 1 to 64 letters, digits,
/// `-` or `_`.
func isPlainID(_ id: String) -> Bool {
  (1...64).contains(id.utf8.count)
    && id.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
}

/// Returns a new ID.
func randomID() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
