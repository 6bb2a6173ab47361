import LayoutCache
import NIOCore
import TextFormats

/// Server-sent events, as HTML's standard has them.
enum EventText {
  /// The longest event, in bytes: of a longer one a reset is sent.
  static let bytesMax = 1 << 20
  /// No update of an item takes less: what would be too long is not written first.
  private static let updateBytesMin = 32

  /// What comes first: how soon to come again, in milliseconds; a comment, so that what
  /// stands between sends it on at once.
  static let beginning = ByteBuffer(string: "retry: 1000\n: welcome\n\n")
  /// What comes from time to time, so that nobody takes the stream for dead.
  static let heartbeat = ByteBuffer(string: ": \n\n")

  /// The text of an event, however long.
  static func text(of event: CommitEvent) -> ByteBuffer {
    switch event {
    case .commit(let commit):
      var json = JSONWriter()
      commit.write(to: &json)
      return text("commit", id: commit.revision, json)
    case .reset(let revision, let incarnation):
      var json = JSONWriter()
      json.beginObject()
      json.member("revision", revision)
      json.member("incarnation", incarnation.rawValue)
      json.endObject()
      return text("reset", id: revision, json)
    case .gone: return ByteBuffer(string: "event: gone\ndata: {}\n\n")
    @unknown default: return heartbeat
    }
  }

  /// - Parameter id: What a client comes back with; `nil` where it can't continue from there.
  static func text(_ name: String, id: Int? = nil, _ json: JSONWriter) -> ByteBuffer {
    var text = ByteBuffer(string: "event: \(name)\n")
    if let id { text.writeString("id: \(id)\n") }
    text.writeString("data: ")
    text.writeBytes(json.bytes)
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
