import LayoutGeometry
import SumTree

// An archive of a dataset: its items, and what of its layouts does not follow from those. It is
// the same, byte for byte, in every file that has the same history, whatever the nodes there
// are like, and is cut into chunks at any byte.
//
//   "LCI1"   the last byte is the format's version
//   records  each: kind u8, length varint, as many bytes; in this order:
//
//   kind         how many              what is in it
//   1  head      one                   version of the layout rules; the dataset's incarnation and
//                                      revision; time of its last entry; sections, items
//   2  mark      one a source          source, position, revision; by source
//   3  request   one a request         owner, key, hash, revision, time; by owner and key: those
//                                      less than 24 hours older than the last entry
//   4  layout    one a layout          id, name, configuration, and where a history follows the
//                                      result's incarnation and configuration; by id
//   5  sections  one for 64 sections   a leaf of sections without a label
//   6  items     one for 64 items      a leaf of items without a label, one of their data
//   then for each layout of which a history follows, by id:
//   7  history   one                   the layout's id
//   and for each section that has items in a stable waterfall, in order:
//   8  section   one                   settled skew, rebalance under way
//   9  columns   one for 16,384 items  the first column of each, u8
//   10 end       one                   the digest of all before, 16 bytes
//
// docs/FORMAT.md has it field by field.

/// The records of an archive, by what they begin with.
package enum ArchiveRecord: UInt8 {
  case head = 1
  case mark, request, layout, sections, items, history, section, columns, end

  /// The first bytes of an archive; the last byte is the format's version.
  static let magic: [UInt8] = Array("LCI1".utf8)

  /// The sections and the items of a record; of the last one fewer.
  static let runCount = 64
  /// The items whose columns one record has; of a section's last one fewer.
  static let columnCount = 16_384
  /// No record is longer: that of the layout with two of the longest configurations.
  static let bytesMax = 2 * Limits.configurationBytesMax + (1 << 20)
}

/// Why bytes can't be loaded as an archive. Nothing is changed then.
package struct ArchiveError: Error, Hashable, Sendable {
  /// The problem.
  package enum Code: Hashable, Sendable {
    /// They are no archive, or one of another version's format.
    case otherFormat
    /// Its layouts were laid out by rules of another version.
    case otherRules(found: Int, known: Int)
    /// They end too early.
    case truncated
    /// They contradict the format, or themselves.
    case malformed(String)
    /// Another dataset has a layout with the id of one of the archive's.
    case layoutIsTaken(Int64)
  }

  package var code: Code

  init(_ code: Code) { self.code = code }
}

extension ArchiveError: CustomStringConvertible {
  package var description: String {
    switch code {
    case .otherFormat: "these bytes are no archive of a dataset that this version can read"
    case .otherRules(let found, let known):
      "the archive is of version \(found) of the layout rules, and this program of \(known)"
    case .truncated: "the archive ends too early"
    case .malformed(let detail): "the archive is damaged: \(detail)"
    case .layoutIsTaken(let id):
      "layout \(id) of the archive is one of another dataset in this database"
    }
  }
}

/// The contents of an archive, by which two can be compared.
package struct ArchiveSummary: Hashable, Sendable {
  /// The dataset's revision.
  package var revision: Int
  package var sectionCount: Int
  package var itemCount: Int
  /// The layouts whose columns are in it.
  package var historyCount: Int
  /// The length of the archive.
  package var byteCount: Int
  /// A digest of it, 16 bytes. It tells accidents, and no ill will.
  package var digest: [UInt8]
}
