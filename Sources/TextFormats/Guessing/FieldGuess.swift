import LayoutGeometry

/// The fields of a text that probably hold the values of items.
package struct FieldGuess {
  /// A chosen value of an option, and the evidence for it.
  package struct Choice: Hashable, Sendable {
    package var option: ImportOption
    /// The value, such as `created:month`; one of several for ``ImportOption/data``.
    package var value: String
    package var reason: String
  }

  /// A reason that the choices may be wrong, and the options that settle it.
  package struct Doubt: Hashable, Sendable {
    package var reason: String
    package var settledBy: [ImportOption]
  }

  /// In the order of the options.
  package private(set) var choices: [Choice] = []
  /// Whether the key's field has the name of a key, and is not only unique in the sample.
  package private(set) var keyIsNamed = false
  /// The reasons that the choices may be wrong; none if they are probable enough.
  package private(set) var doubts: [Doubt] = []
  private let sample: TextSample
  private let columns: [TextSample.Column]
  private let words: [String: [String]]

  /// The chosen options.
  package var options: ImportOptions {
    var options = ImportOptions()
    for option in ImportOption.allCases {
      let values = choices.filter { $0.option == option }.map(\.value)
      // Names with a comma are not chosen, and the other values are valid.
      if !values.isEmpty { try? options.set(option, values.joined(separator: ",")) }
    }
    return options
  }

  /// Whether the text may be one object around its items.
  package var isSingleRecord: Bool {
    sample.format == .ndjson && (sample.recordCount <= 1 || sample.beginsWithPart)
  }

  /// Whether a field of the text was chosen for anything.
  package var usesFields: Bool {
    let fields = options.fields
    if fields.key != FieldNames.rowNumber || fields.section.isRequired { return true }
    return FieldNames.constant(fields.width) == nil || fields.data != FieldNames().data
  }

  /// The size of items without one, in points: that of a card.
  private static let cardSize = (width: "320", height: "400")

  /// Guesses the fields of a text.
  ///
  /// - Parameters:
  ///   - text: The first records of the text.
  ///   - unusableKeys: Fields that are not unique in the whole text.
  package init(_ text: TextSample, unusableKeys: Set<String> = []) {
    var sample = text
    if let comma = Self.decimalComma(in: text) {
      sample = comma
      choices.append(
        Choice(option: .decimal, value: "comma", reason: "all decimals follow a comma"))
    }
    self.sample = sample
    columns = sample.columns.filter { !$0.name.isEmpty }
    words = Dictionary(
      columns.map { ($0.name, Self.words(of: $0.name)) }, uniquingKeysWith: { first, _ in first })
    checkHeader()
    chooseKey(unusableKeys)
    chooseSize()
    chooseSection()
    if let span = columns.first(where: { $0.name == "span" && $0.present.allSatisfy(\.isNumber) }) {
      add(.span, span.name, "its name")
    }
    // A column of this name may as well describe the items.
    if columns.contains(where: { $0.name == "style" }) { add(.style, "", "it may describe items") }
    chooseData()
    choices.sort { Self.order($0.option) < Self.order($1.option) }
  }

  private static func order(_ option: ImportOption) -> Int {
    ImportOption.allCases.firstIndex(of: option) ?? 0
  }

  /// Replaces guesses by a value that the user has given, whose doubts are the user's.
  package mutating func replace(
    _ option: ImportOption, with value: String, because reason: String = "as given"
  ) {
    choices.removeAll { $0.option == option }
    choices.append(Choice(option: option, value: value, reason: reason))
    choices.sort { Self.order($0.option) < Self.order($1.option) }
  }

  // MARK: - Form

  /// Reads a sample again, if the numbers of its rows have decimals after a comma.
  private static func decimalComma(in sample: TextSample) -> TextSample? {
    guard sample.separator == UInt8(ascii: ";"), !sample.shape.usesDecimalComma else { return nil }
    let comma = sample.readingDecimalComma
    func areNumbers(_ column: TextSample.Column) -> Bool {
      !column.present.isEmpty && column.present.allSatisfy(\.isNumber)
    }
    let numbers = comma.columns.filter(areNumbers)
    let isWritten = numbers.contains { $0.present.contains { $0.text.contains(",") } }
    let isRefuted = sample.columns.contains { column in
      areNumbers(column) && column.present.contains { $0.text.contains(".") }
    }
    return isWritten && !isRefuted ? comma : nil
  }

  /// Doubts a first row with values instead of names.
  private mutating func checkHeader() {
    guard sample.shape.hasHeader, let header = sample.header, header.count > 1 else { return }
    let values = header.filter { name in
      FieldNames.constant(name) != nil || Self.isAddress(name)
        || DatePart.day.key(of: name) != nil
    }
    if let value = values.first {
      let reason = "the first row has values instead of names of columns: '\(excerpt(value))'"
      doubts.append(Doubt(reason: reason, settledBy: [.header]))
    }
  }

  // MARK: - Roles

  private mutating func chooseKey(_ unusable: Set<String>) {
    let uniqueParts = columns.map { column in
      (column: column, part: unusable.contains(column.name) ? 0 : Self.uniquePart(column))
    }
    func rank(_ column: TextSample.Column) -> Int? {
      let name = column.name.lowercased()
      let last = words[column.name]?.last ?? ""
      if name == "key" { return 0 }
      if name == "id" { return 1 }
      if ["sku", "uuid", "guid", "slug", "isbn", "ean", "gtin", "asin", "handle"].contains(last) {
        return 2
      }
      if ["id", "key", "code", "accession", "number"].contains(last) { return 3 }
      // Any unique column of short texts, except descriptions of an item.
      let isMeasure = !Set(["width", "height", "w", "h", "price", "size", "url", "src"])
        .isDisjoint(with: words[column.name] ?? [])
      let isPlain = column.present.allSatisfy { $0.text.utf8.count <= 64 && !$0.text.contains("/") }
      return isMeasure || !isPlain ? nil : 4
    }
    // A column named like a key may have some duplicates, which an import then reports.
    let ranked = uniqueParts.compactMap { column, part -> (rank: Int, column: String)? in
      guard let rank = rank(column), part >= (rank < 4 ? 0.95 : 1) else { return nil }
      return (rank, column.name)
    }
    if let best = ranked.min(by: { $0.rank < $1.rank }) {
      keyIsNamed = best.rank < 4
      add(.key, best.column, best.rank < 4 ? "its name" : "it is unique")
    } else {
      add(.key, FieldNames.rowNumber, "no column is unique; the row's number is the key")
    }
  }

  private mutating func chooseSize() {
    /// The name without its word for a width or height, and whether that word is short.
    func stem(_ name: String, _ long: String, _ short: String) -> (String, isShort: Bool)? {
      var words = Self.words(of: name)
      for (word, isShort) in [(long, false), (short, true)] {
        if let index = words.lastIndex(of: word) {
          words.remove(at: index)
          return (words.joined(separator: " "), isShort)
        }
      }
      return nil
    }
    typealias Pair = (width: TextSample.Column, height: TextSample.Column, rank: Int)
    var pairs: [Pair] = []
    for width in columns {
      guard let (widthStem, isShort) = stem(width.name, "width", "w") else { continue }
      for height in columns {
        guard let other = stem(height.name, "height", "h"), other == (widthStem, isShort) else {
          continue
        }
        let isPicture = ["image", "img", "picture", "photo", "pixel"].contains(widthStem)
        pairs.append((width, height, widthStem.isEmpty ? 0 : isPicture ? 1 : 2))
      }
    }
    func sizedPart(_ pair: Pair) -> Double {
      let count = zip(pair.width.values, pair.height.values).count { width, height in
        (width?.number ?? 0) > 0 && (height?.number ?? 0) > 0
      }
      return Double(count) / Double(max(1, sample.recordCount))
    }
    if !sample.shape.hasHeader { pairs += numberedPairs.map { ($0.0, $0.1, 3) } }
    let usable = pairs.filter { sizedPart($0) > 0.5 || sample.recordCount == 0 }
    guard let pair = usable.min(by: { $0.rank < $1.rank }) else {
      if let named = pairs.min(by: { $0.rank < $1.rank }) {
        let part = Int((sizedPart(named) * 100).rounded())
        let reason = """
          '\(excerpt(named.width.name))' and '\(excerpt(named.height.name))' have the names of a \
          size, but only \(part) % of the rows have one there
          """
        doubts.append(Doubt(reason: reason, settledBy: [.width, .height, .size]))
        add(.width, named.width.name, "its name")
        add(.height, named.height.name, "its name")
        return addCardSize("for rows without a size")
      }
      add(.width, Self.cardSize.width, "no column has a width; all items have this one")
      return add(.height, Self.cardSize.height, "no column has a height; all items have this one")
    }
    let reason = pair.rank == 3 ? "it has positive numbers" : "its name"
    add(.width, pair.width.name, reason)
    add(.height, pair.height.name, reason)
    let emptyCount = zip(pair.width.values, pair.height.values).count { $0 == nil || $1 == nil }
    if emptyCount > 0 { addCardSize("\(emptyCount) of \(sample.recordCount) rows have no size") }
    let orientation = columns.first { column in
      words[column.name]?.last == "orientation" && !column.present.isEmpty
        && column.present.allSatisfy { (0...8).contains($0.number ?? 9) }
    }
    if let orientation { add(.orientation, orientation.name, "its name and values 0 to 8") }
  }

  /// The first two columns of positive numbers other than the key, in a text without names.
  private var numberedPairs: [(TextSample.Column, TextSample.Column)] {
    let key = choices.first { $0.option == .key }?.value
    let numbers = columns.filter { column in
      column.name != key && !column.present.isEmpty
        && column.present.allSatisfy { ($0.number ?? 0) > 0 }
    }
    return numbers.count < 2 ? [] : [(numbers[0], numbers[1])]
  }

  private mutating func addCardSize(_ reason: String) {
    add(.size, "\(Self.cardSize.width)x\(Self.cardSize.height)", reason)
  }

  private mutating func chooseSection() {
    if columns.contains(where: { $0.name == "section" }) {
      return add(.section, "section", "its name")
    }
    let dateWords: Set = [
      "date", "time", "timestamp", "datetime", "created", "published", "updated", "taken", "day",
      "at", "added", "acquired", "released", "year",
    ]
    for column in columns where !dateWords.isDisjoint(with: words[column.name] ?? []) {
      // A camera without a clock writes zeros.
      let present = column.present.map(\.text).filter { !$0.hasPrefix("0000:00:00") }
      // A section for a few rows without a date is acceptable.
      guard present.count * 10 >= column.values.count * 9, !present.isEmpty else { continue }
      if present.allSatisfy({ DatePart.day.key(of: $0[...]) != nil }) {
        let months = Set(present.compactMap { DatePart.month.key(of: $0[...]) })
        let part = months.count > 2 ? DatePart.month : .day
        add(.section, "\(column.name):\(part.rawValue)", "it has dates")
        return chooseOrder(present.compactMap { part.key(of: $0[...]) })
      }
      if present.allSatisfy({ $0.utf8.count == 4 && DatePart.year.key(of: $0[...]) != nil }) {
        add(.section, column.name, "it has years")
        return chooseOrder(present)
      }
    }
  }

  /// Sorts sections, unless the file has the newest first.
  private mutating func chooseOrder(_ keys: [String]) {
    var seen: Set<String> = []
    let appearance = keys.filter { seen.insert($0).inserted }
    if appearance.count > 1, appearance != appearance.sorted(by: >) {
      add(.sectionOrder, "value", "dates and years have an order")
    }
  }

  private mutating func chooseData() {
    if columns.contains(where: { $0.name == "data" }) { return }
    // The flag separates members by commas.
    let columns = columns.filter { !$0.name.contains(",") && !$0.present.isEmpty }
    let titleNames = ["title", "name", "headline", "label", "caption", "subject"]
    let titles = titleNames.compactMap { name in
      columns.first { column in
        words[column.name]?.contains(name) ?? false
          && column.present.contains { !$0.isNumber && !Self.isAddress($0.text) }
      }
    }
    if let title = titles.first {
      add(.data, title.name == "title" ? "title" : "title=\(title.name)", "a title")
    }
    let addresses = columns.filter { $0.present.allSatisfy { Self.isAddress($0.text) } }
    let pictures = addresses.compactMap { column in
      pictureRank(column).map { (rank: $0.rank, column: column, reason: $0.reason) }
    }
    if let best = pictures.min(by: { $0.rank < $1.rank }) {
      let name = best.column.name
      add(.data, name == "image_url" ? name : "image_url=\(name)", best.reason)
    }
    // Numbers stay numbers, so that they can be compared.
    let used = Set(choices.map { $0.value.split(separator: ":").first.map(String.init) ?? "" })
    let numbers = columns.filter { column in
      !used.contains(column.name) && !column.name.contains { ":=.".contains($0) }
        && column.present.allSatisfy { $0.isNumber && !Self.hasLeadingZero($0.text) }
        && sample.shape.hasHeader
    }
    for column in numbers.prefix(16) { add(.data, "\(column.name):number", "all are numbers") }
  }

  /// Returns how much a column of addresses seems to name pictures: by its name, else by the
  /// endings of the addresses, else as the only kind of address; `nil` for pages.
  private func pictureRank(_ column: TextSample.Column) -> (rank: Int, reason: String)? {
    let names = [
      "image", "img", "picture", "photo", "poster", "cover", "artwork", "thumbnail", "thumb", "src",
    ]
    let words = words[column.name] ?? []
    // `imageurl` is one word.
    let rank = names.firstIndex { name in
      words.contains { $0 == name || $0 == name + "s" || $0 == name + "url" || $0 == name + "uri" }
    }
    let endings = [".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".svg", ".tif", ".tiff"]
    let pictureCount = column.present.count { value in
      let path = value.text.lowercased().prefix { $0 != "?" && $0 != "#" }
      return endings.contains { path.hasSuffix($0) }
    }
    let isPicture = pictureCount * 2 > column.present.count
    if let rank { return (isPicture ? rank : rank + 20, "a picture, by its name") }
    if isPicture { return (40, "addresses of pictures") }
    let isPage = !Set(["web", "page", "site", "link", "href", "product", "html", "home", "profile"])
      .isDisjoint(with: words)
    return !isPage && words.last?.hasSuffix("url") ?? false ? (60, "addresses") : nil
  }

  private mutating func add(_ option: ImportOption, _ value: String, _ reason: String) {
    choices.append(Choice(option: option, value: value, reason: reason))
  }

  // MARK: - Columns

  private static func isAddress(_ text: String) -> Bool {
    text.hasPrefix("http://") || text.hasPrefix("https://")
  }

  private static func hasLeadingZero(_ text: String) -> Bool {
    let digits = text.drop { " +-".contains($0) }
    return digits.hasPrefix("0") && digits.dropFirst().first?.isNumber ?? false
  }

  /// Returns the words of a name in lower case: `image`, `width` of `imageWidth`.
  private static func words(of name: String) -> [String] {
    var words: [String] = []
    var word = ""
    var wasLower = false
    for character in name {
      let isWordPart = character.isLetter || character.isNumber
      if !isWordPart || character.isUppercase && wasLower {
        if !word.isEmpty { words.append(word.lowercased()) }
        word = ""
      }
      if isWordPart { word.append(character) }
      wasLower = character.isLowercase
    }
    if !word.isEmpty { words.append(word.lowercased()) }
    return words
  }

  /// Returns the part of the rows that have a valid key which no other row has before.
  private static func uniquePart(_ column: TextSample.Column) -> Double {
    var keys: Set<String> = []
    for value in column.values {
      guard let value, value.isKey, (try? Limits.check(name: value.text, as: "key")) != nil else {
        continue
      }
      keys.insert(value.text)
    }
    return keys.isEmpty ? 0 : Double(keys.count) / Double(column.values.count)
  }
}
