import Foundation

/// An answer to a request.
struct TestAnswer: Sendable {
  var status: Int
  /// Header fields by lowercased name.
  var headers: [String: String]
  var body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The body as JSON.
  var json: Any? { try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed) }

  var object: [String: Any] { json as? [String: Any] ?? [:] }
}

/// A connection to a service that sends exact bytes.
///
/// Its calls block dedicated threads, because the service runs in the same process.
final class TestConnection: Sendable {
  enum Failure: Error {
    case noConnection
    /// The service closed the connection before an answer was complete.
    case closed
    case noAnswerInTime
  }

  private let descriptor: Int32

  init(port: Int) async throws {
    descriptor = try await onThread {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let isConnected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard isConnected == 0 else { throw Failure.noConnection }
      var limit = timeval(tv_sec: 20, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      return descriptor
    }
  }

  deinit { close(descriptor) }

  /// Ends the connection immediately, like a killed client.
  func abort() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Whether bytes have arrived that were not read.
  var hasBytes: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
  }

  /// Sends bytes unchanged.
  func write(_ text: String) async throws { try await write(Array(text.utf8)) }

  /// Sends bytes that may not be a text.
  func write(_ bytes: [UInt8]) async throws {
    let descriptor = descriptor
    try await onThread {
      var sent = 0
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { throw Failure.closed }
        sent += count
      }
    }
  }

  /// Sends a request and reads its answer.
  func send(
    _ method: String, _ path: String, headers: [String: String] = [:], body: String = ""
  ) async throws -> TestAnswer {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if !body.isEmpty { head += "Content-Length: \(body.utf8.count)\r\n" }
    try await write(head + "\r\n" + body)
    return try await read(hasBody: method != "HEAD")
  }

  func read(hasBody: Bool = true) async throws -> TestAnswer {
    let descriptor = descriptor
    return try await onThread {
      var reader = AnswerReader(descriptor: descriptor)
      return try reader.read(hasBody: hasBody)
    }
  }

  /// Reads the bytes received so far, waiting for the first; empty if the service has closed
  /// the connection.
  func readSome() async throws -> String {
    let descriptor = descriptor
    return try await onThread {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      if count < 0 && errno == EAGAIN { throw Failure.noAnswerInTime }
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }

  /// Reads all bytes until the service closes the connection.
  func readToEnd() async throws -> [UInt8] {
    let descriptor = descriptor
    return try await onThread {
      var reader = AnswerReader(descriptor: descriptor)
      var bytes: [UInt8] = []
      while let byte = try reader.next() { bytes.append(byte) }
      return bytes
    }
  }
}

/// Reads answers of HTTP/1.1.
private struct AnswerReader {
  let descriptor: Int32
  private var buffer: [UInt8] = []
  private var index = 0

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Returns the next byte, or `nil` if the service has closed the connection.
  mutating func next() throws -> UInt8? {
    if index == buffer.count {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      if count < 0 {
        if errno == EAGAIN { throw TestConnection.Failure.noAnswerInTime }
        return nil
      }
      if count == 0 { return nil }
      buffer = Array(bytes[..<count])
      index = 0
    }
    defer { index += 1 }
    return buffer[index]
  }

  private mutating func line() throws -> String {
    var bytes: [UInt8] = []
    while true {
      guard let byte = try next() else { throw TestConnection.Failure.closed }
      if byte == UInt8(ascii: "\n") { break }
      bytes.append(byte)
    }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func bytes(_ count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      guard let byte = try next() else { throw TestConnection.Failure.closed }
      bytes.append(byte)
    }
    return bytes
  }

  mutating func read(hasBody: Bool) throws -> TestAnswer {
    let status = Int(try line().split(separator: " ").dropFirst().first ?? "") ?? 0
    var answer = TestAnswer(status: status, headers: [:], body: [])
    while case let field = try line(), !field.isEmpty {
      let parts = field.split(separator: ":", maxSplits: 1)
      let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
      answer.headers[parts[0].lowercased(), default: ""] +=
        (answer.headers[parts[0].lowercased()] == nil ? "" : ", ") + value
    }
    guard hasBody, status >= 200, status != 204, status != 304 else { return answer }
    if answer.headers["transfer-encoding"] == "chunked" {
      while let count = Int(try line(), radix: 16), count > 0 {
        answer.body += try bytes(count)
        _ = try line()
      }
      _ = try line()
    } else {
      answer.body = try bytes(Int(answer.headers["content-length"] ?? "") ?? 0)
    }
    return answer
  }
}

/// Runs `body` on a thread that may block.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(with: Result { try body() })
    }
  }
}
