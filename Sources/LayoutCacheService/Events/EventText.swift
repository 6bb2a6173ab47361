import LayoutCache
import NIOCore
import TextFormats

/// The text of server-sent events, as defined by the HTML standard.
enum EventText {
  /// The maximum length of an event, in bytes. A reset replaces a longer one.
  static let bytesMax = 1 << 20
  /// The minimum length of an item's update: commits that would exceed the limit are not encoded.
  private static let updateBytesMin = 32

  /// The start of a stream: the reconnection delay in milliseconds, and a comment, so that
  /// intermediaries forward it immediately.
  static let beginning = ByteBuffer(string: "retry: 1000\n: welcome\n\n")
  /// The heartbeat, a comment that keeps intermediaries from closing the stream.
  static let heartbeat = ByteBuffer(string: ": \n\n")

  /// Returns the text of an event of any length.
  static func text(of event: CommitEvent) -> ByteBuffer {
    switch event {
    case .commit(let commit):
      var json = JSONWriter()
      commit.write(to: &json)
      return text("commit", id: "\(commit.revision).\(commit.incarnation)", json.bytes)
    case .reset(let revision, let incarnation):
      var json = JSONWriter()
      json.beginObject()
      json.member("revision", revision)
      json.member("incarnation", incarnation.rawValue)
      json.endObject()
      return text("reset", id: "\(revision).\(incarnation)", json.bytes)
    case .layout(let name, let incarnation):
      var json = JSONWriter()
      json.beginObject()
      json.member("layout", name)
      json.member("incarnation", incarnation.rawValue)
      json.endObject()
      return text("layout", json.bytes)
    case .gone: return ByteBuffer(string: "event: gone\ndata: {}\n\n")
    @unknown default: return heartbeat
    }
  }

  /// Returns the text of an event for several commits: everything beyond the maximum length.
  static func text(of changes: DatasetChanges) -> ByteBuffer {
    text(
      "commit", id: "\(changes.revision).\(changes.incarnation)", changes.json(bytesMax: bytesMax))
  }

  /// - Parameter id: The event ID that a client reconnects with; `nil` if it can't resume there.
  static func text(_ name: String, id: String? = nil, _ json: [UInt8]) -> ByteBuffer {
    var text = ByteBuffer(string: "event: \(name)\n")
    if let id { text.writeString("id: \(id)\n") }
    text.writeString("data: ")
    text.writeBytes(json)
    text.writeString("\n\n")
    return text
  }
}

extension EventText: CommitWriting {
  static func text(of commit: Commit) -> [UInt8]? {
    guard commit.updates.items.count <= bytesMax / updateBytesMin else { return nil }
    let text = text(of: .commit(commit))
    return text.readableBytes <= bytesMax ? Array(text.readableBytesView) : nil
  }
}
