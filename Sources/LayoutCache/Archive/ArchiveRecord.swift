import LayoutGeometry

// An archive of a dataset: its items, and the parts of its layouts that do not follow from
// them. It is the same, byte for byte, for every file with the same history, whatever the nodes
// there, and is split into chunks at any byte.
//
//   "LCI1"   the last byte is the format's version
//   records  each: kind u8, length varint, as many bytes; in this order:
//
//   kind         how many              what is in it
//   1  head      one                   version of the layout rules; the dataset's incarnation and
//                                      revision; time of its last entry; sections, items
//   2  view      one a named view      name, definition; by name
//   3  mark      one a source          source, position, revision; by source
//   4  request   one a request         owner, key, hash, revision, time; by owner and key: those
//                                      less than 24 hours older than the last entry
//   5  layout    one a layout          id, name, configuration, those before, and where a history
//                                      follows the result's incarnation and configuration; by id
//   6  sections  one for 64 sections   a leaf of sections without a label
//   7  items     one for 64 items      a leaf of items without a label, one of their data
//   then for each layout of which a history follows, by id:
//   8  history   one                   the layout's id
//   and for each section that has items in a stable waterfall, in order:
//   9  section   one                   settled skew, rebalance under way
//   10 columns   one for 16,384 items  the first column of each, u8
//   11 end       one                   the digest of all before, 16 bytes
//
// docs/FORMAT.md describes every field.

/// The records of an archive, by their first byte.
package enum ArchiveRecord: UInt8 {
  case head = 1
  case view, mark, request, layout, sections, items, history, section, columns, end

  /// The first bytes of an archive; the last byte is the format's version.
  static let magic: [UInt8] = Array("LCI1".utf8)

  /// The sections or items per record; fewer in the last one.
  static let runCount = 64
  /// The number of items whose columns are in one record; fewer in a section's last one.
  static let columnCount = 16_384
  /// The maximum length of a record: that of a layout with only the longest configurations.
  static let bytesMax = (2 + Budgets.definitions) * Limits.configurationBytesMax + (1 << 20)
}

extension ReplicationError {
  static func malformed(_ detail: String) -> ReplicationError {
    .unreadableArchive("the archive is damaged: \(detail)")
  }
}

/// The contents of an archive, for comparison.
package struct ArchiveSummary: Hashable, Sendable {
  /// The dataset's revision.
  package var revision: Int
  package var sectionCount: Int
  package var itemCount: Int
  /// The number of layouts whose columns are included.
  package var historyCount: Int
  /// The length of the archive.
  package var byteCount: Int
  /// A digest of the archive, 16 bytes. It detects accidental changes, not malicious ones.
  package var digest: [UInt8]
}
