import LayoutGeometry

/// The fields of a text that probably hold the values of items.
package struct FieldGuess {
  /// A role, its field, and the reason for the choice.
  package struct Choice: Hashable, Sendable {
    package var role: String
    /// The value of the flag, such as `created:month`.
    package var field: String
    package var reason: String
  }

  package private(set) var fields = FieldNames()
  /// Whether the key's field has the name of a key, and is not only unique in the sample.
  package private(set) var keyIsNamed = false
  /// In the order of the flags: key, width, height, section, span, data.
  package private(set) var choices: [Choice] = []

  /// Whether a field of the text was chosen for anything.
  package var usesFields: Bool {
    if fields.key != FieldNames.rowNumber || fields.section.isRequired { return true }
    return FieldNames.constant(fields.width) == nil || fields.data != FieldNames().data
  }

  /// The size of items without one, in points: that of a card.
  private static let cardSize = (width: "320", height: "400")

  /// Guesses the fields of a text.
  ///
  /// - Parameters:
  ///   - sample: The first records of the text.
  ///   - unusableKeys: Fields that are not unique in the whole text.
  package init(_ sample: TextSample, unusableKeys: Set<String> = []) {
    let columns = sample.columns.filter { !$0.name.isEmpty }
    let words = Dictionary(
      columns.map { ($0.name, Self.words(of: $0.name)) }, uniquingKeysWith: { first, _ in first })
    chooseKey(columns, words, unusableKeys)
    chooseSize(columns)
    chooseSection(columns, words)
    if let span = columns.first(where: { $0.name == "span" && $0.present.allSatisfy(\.isNumber) }) {
      add("span", span.name, "its name")
    }
    chooseData(columns, words)
  }

  // MARK: - Roles

  private mutating func chooseKey(
    _ columns: [TextSample.Column], _ words: [String: [String]], _ unusable: Set<String>
  ) {
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
      fields.key = best.column
      keyIsNamed = best.rank < 4
      add("key", best.column, best.rank < 4 ? "its name" : "it is unique")
    } else {
      fields.key = FieldNames.rowNumber
      add("key", FieldNames.rowNumber, "no column is unique; the row's number is the key")
    }
  }

  private mutating func chooseSize(_ columns: [TextSample.Column]) {
    let numbers = columns.filter(Self.isSize)
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
    var pairs: [(width: String, height: String, rank: Int)] = []
    for width in numbers {
      guard let (widthStem, isShort) = stem(width.name, "width", "w") else { continue }
      for height in numbers {
        guard let other = stem(height.name, "height", "h"), other == (widthStem, isShort) else {
          continue
        }
        let isPicture = ["image", "img", "picture", "photo", "pixel"].contains(widthStem)
        pairs.append((width.name, height.name, widthStem.isEmpty ? 0 : isPicture ? 1 : 2))
      }
    }
    if let pair = pairs.min(by: { $0.rank < $1.rank }) {
      (fields.width, fields.height) = (pair.width, pair.height)
      add("width", pair.width, "its name")
      add("height", pair.height, "its name")
    } else {
      (fields.width, fields.height) = Self.cardSize
      add("width", fields.width, "no column has a width; all items have this one")
      add("height", fields.height, "no column has a height; all items have this one")
    }
  }

  private mutating func chooseSection(
    _ columns: [TextSample.Column], _ words: [String: [String]]
  ) {
    if columns.contains(where: { $0.name == "section" }) {
      fields.section = .required("section")
      return add("section", "section", "its name")
    }
    let dateWords: Set = [
      "date", "time", "timestamp", "created", "published", "updated", "taken", "day", "at",
      "added", "acquired", "released", "year",
    ]
    for column in columns where !dateWords.isDisjoint(with: words[column.name] ?? []) {
      let present = column.present.map(\.text)
      // A section for a few rows without a date is acceptable.
      guard present.count * 10 >= column.values.count * 9, !present.isEmpty else { continue }
      if present.allSatisfy({ DatePart.day.key(of: $0[...]) != nil }) {
        let months = Set(present.compactMap { DatePart.month.key(of: $0[...]) })
        let part = months.count > 2 ? DatePart.month : .day
        fields.section = .required("\(column.name):\(part.rawValue)")
        return add("section", "\(column.name):\(part.rawValue)", "it has dates")
      }
      if present.allSatisfy({ $0.utf8.count == 4 && DatePart.year.key(of: $0[...]) != nil }) {
        fields.section = .required(column.name)
        return add("section", column.name, "it has years")
      }
    }
    fields.section = .ifPresent("section")
  }

  private mutating func chooseData(
    _ columns: [TextSample.Column], _ words: [String: [String]]
  ) {
    if columns.contains(where: { $0.name == "data" }) { return }
    // The flag separates members by commas.
    let columns = columns.filter { !$0.name.contains(",") && !$0.present.isEmpty }
    func isPicture(_ column: TextSample.Column) -> Bool {
      column.present.allSatisfy { $0.text.hasPrefix("http://") || $0.text.hasPrefix("https://") }
    }
    func first(
      of names: [String], where isSuitable: (TextSample.Column) -> Bool
    ) -> TextSample.Column? {
      for name in names {
        let match = columns.first { words[$0.name]?.contains(name) ?? false && isSuitable($0) }
        if let match { return match }
      }
      return nil
    }
    var members: [DataMember] = []
    let titleNames = ["title", "name", "headline", "label", "caption", "subject"]
    let title = first(of: titleNames) { column in
      !isPicture(column) && column.present.contains { !$0.isNumber }
    }
    if let title {
      members.append(DataMember(title.name == "title" ? "title" : "title=\(title.name)"))
      add("data", members[0].text, "a title")
    }
    let pictureNames = ["image", "img", "picture", "photo", "thumbnail", "src", "url"]
    if let picture = first(of: pictureNames, where: isPicture) {
      members.append(
        DataMember(picture.name == "image_url" ? "image_url" : "image_url=\(picture.name)"))
      add("data", members[members.count - 1].text, "a picture")
    }
    if !members.isEmpty { fields.data = .members(members) }
  }

  private mutating func add(_ role: String, _ field: String, _ reason: String) {
    if role == "span" { fields.span = .required(field) }
    choices.append(Choice(role: role, field: field, reason: reason))
  }

  // MARK: - Columns

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

  /// Returns whether most values are positive numbers.
  private static func isSize(_ column: TextSample.Column) -> Bool {
    let present = column.present
    let valid = present.count { $0.number ?? 0 > 0 }
    return !present.isEmpty && valid * 2 > column.values.count
  }
}

extension FieldGuess {
  /// Replaces guesses by fields that the user has named.
  package mutating func replace(_ role: String, with field: String) {
    choices.removeAll { $0.role == role }
    choices.append(Choice(role: role, field: field, reason: "as given"))
  }
}
