/// A kind of file that is often given instead of a text, by its first bytes.
private struct OtherFormat {
  enum Remedy {
    case decompress, export, none
    /// A command, with FILE for the name of the file.
    case run(String)
  }

  let opening: [UInt8]
  /// The description, after "the data is".
  let name: String
  let remedy: Remedy

  init(_ opening: [UInt8], _ name: String, _ remedy: Remedy) {
    (self.opening, self.name, self.remedy) = (opening, name, remedy)
  }

  static let all = [
    OtherFormat([0x1F, 0x8B], "compressed by gzip", .decompress),
    OtherFormat(
      Array("version https://git-lfs.github.com/spec/".utf8),
      "a Git LFS pointer, in place of a file that was not downloaded", .run("git lfs pull")),
    OtherFormat([0x28, 0xB5, 0x2F, 0xFD], "compressed by zstd", .decompress),
    OtherFormat([0xFD, 0x37, 0x7A, 0x58, 0x5A], "compressed by xz", .decompress),
    OtherFormat(Array("BZh91AY&SY".utf8), "compressed by bzip2", .decompress),
    OtherFormat(
      Array("PK\u{3}\u{4}".utf8), "a ZIP archive or an .xlsx workbook",
      .run("unzip FILE, or libreoffice --headless --convert-to csv FILE")),
    OtherFormat(
      [0xD0, 0xCF, 0x11, 0xE0], "an .xls workbook",
      .run("libreoffice --headless --convert-to csv FILE")),
    OtherFormat(Array("SQLite format 3".utf8), "an SQLite database", .export),
    OtherFormat(
      Array("PAR1".utf8), "a Parquet file",
      .run(#"duckdb -c "COPY (FROM 'FILE') TO 'items.csv'""#)),
    OtherFormat(Array("%PDF-".utf8), "a PDF", .none),
    OtherFormat([0x89, 0x50, 0x4E, 0x47], "a picture", .none),
    OtherFormat([0xFF, 0xD8, 0xFF], "a picture", .none),
  ]

  static let markup = ["<!doctype html", "<html", "<?xml", "<svg"]

  /// Returns the message for data that must be of a format.
  func message(_ format: TextFormat) -> String {
    switch remedy {
    case .decompress: "the data is \(name); decompress it first"
    case .export: "the data is \(name), not \(format.title); export it as \(format.title)"
    case .run(let command): "the data is \(name), not \(format.title); run: \(command)"
    case .none: "the data is \(name), not \(format.title)"
    }
  }
}

extension ImportError {
  /// Creates the error of data that is another kind of file; `nil` if it may be a text.
  ///
  /// - Parameter opening: The first bytes.
  package init?(of opening: some Collection<UInt8>, insteadOf format: TextFormat) {
    let first = Array(opening.prefix(64))
    let (code, message): (Code, String)
    if first.starts(with: [0xFF, 0xFE]) || first.starts(with: [0xFE, 0xFF]) {
      (code, message) = (.utf16, "the text is UTF-16; convert it to UTF-8")
    } else if first.count > 3, first[0] != 0, first[1] == 0, first[2] != 0, first[3] == 0 {
      (code, message) = (.utf16, "the text seems to be UTF-16; convert it to UTF-8")
    } else if let other = OtherFormat.all.first(where: { first.starts(with: $0.opening) }) {
      (code, message) = (.otherFormat, other.message(format))
    } else {
      let text = String(decoding: first.withoutByteOrderMark, as: UTF8.self)
        .drop { $0.isWhitespace }.lowercased()
      guard OtherFormat.markup.contains(where: text.hasPrefix) else { return nil }
      code = .otherFormat
      message = "the text is HTML or XML, not \(format.title); is it a page with an error?"
    }
    self.init(line: 1, code: code, message: message)
  }
}

extension TextFormat {
  /// The format's name in messages.
  package var title: String { rawValue.uppercased() }
}

extension Array where Element == UInt8 {
  /// The bytes after UTF-8's byte order mark, if there is one.
  package var withoutByteOrderMark: ArraySlice<UInt8> {
    starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...]
  }
}
