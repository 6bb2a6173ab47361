package import SumTree

/// An error of the database's file.
package struct StoreError: Error, Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// There is no file at the path, and none was to be made.
    case noSuchFile
    /// There is something at the path where a new file was to be made.
    case exists
    /// The file can't be opened: a directory, a missing folder, no permission.
    case cannotOpen(detail: String)
    /// The file is not an SQLite database, or one of another program.
    case notADatabase(detail: String)
    /// A newer program has written the file.
    case newerVersion(found: Int, known: Int)
    /// SQLite, a row or a blob is damaged.
    case corrupt(detail: String)
    /// A node is damaged: its checksum or its content is wrong.
    case corruptNode(NodeID, detail: String)
    /// A node that should be there is not.
    case missingNode(NodeID)
    /// Another process held the database for longer than the busy timeout.
    case busy(seconds: Double)
    /// The file or its folder can't be written.
    case readOnly
    /// The disk is full.
    case diskFull
    /// The operating system failed to read or write.
    case inputOutput(detail: String)
    /// The file that is open is no longer the one at the path.
    case replaced(Replacement)
    /// The store has been closed, or is being closed.
    case closed
    /// The store can't be closed within one of its own calls.
    case inUse
    /// SQLite refused a statement of ours: a bug.
    case unexpected(detail: String)
  }

  /// The ways in which a file can be lost while it is open.
  package enum Replacement: Hashable, Sendable {
    /// Nothing is at the path: the file was deleted or moved.
    case removed
    /// Another file is at the path.
    case replaced
    /// Another database was copied into the file.
    case overwritten
    /// The file's write-ahead log was deleted or replaced.
    case withoutLog

    package var description: String {
      switch self {
      case .removed: "the file was removed or moved"
      case .replaced: "another file was put in its place"
      case .overwritten: "another database was copied over it"
      case .withoutLog: "its write-ahead log (-wal) was removed or replaced"
      }
    }
  }

  package var code: Code
  /// The database's file.
  package var path: String
  /// Whether a commit has failed whose last bytes may have been written: other connections do
  /// not see it, but if no later commit overwrites it, one that opens the file again may.
  package var mayBeStored = false

  package init(_ code: Code, path: String) {
    self.code = code
    self.path = path
  }
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch code {
    case .noSuchFile: "no database at \(path)"
    case .exists: "\(path) exists; name a file that is not there"
    case .cannotOpen(let detail): "cannot open \(path): \(detail)"
    case .notADatabase(let detail): "\(path) is not a LayoutCache database: \(detail)"
    case .newerVersion(let found, let known):
      """
      \(path) has schema version \(found), and this program knows versions up to \(known); \
      use a newer program
      """
    case .corrupt(let detail): "\(path) is damaged: \(detail)"
    case .corruptNode(let id, let detail): "\(path) is damaged: node \(id.rawValue) \(detail)"
    case .missingNode(let id): "\(path) is damaged: node \(id.rawValue) is missing"
    case .busy(let seconds):
      "\(path) has been locked by another process for \(seconds) seconds; try again"
    case .readOnly: "\(path) cannot be written: the file or its folder is read-only"
    case .diskFull: "\(path) cannot grow: the disk is full"
    case .inputOutput(let detail):
      "\(path) cannot be read or written: \(detail)"
        + (mayBeStored
          ? "; whether the change is stored is known when the file is opened again" : "")
    case .replaced(let replacement):
      "\(path) is not the database that was opened: \(replacement.description); open it again"
    case .closed: "\(path) has been closed; open it again"
    case .inUse:
      "\(path) can't be closed within a call that uses it; close it when that has returned"
    case .unexpected(let detail): "SQLite refused a statement on \(path): \(detail)"
    }
  }
}
