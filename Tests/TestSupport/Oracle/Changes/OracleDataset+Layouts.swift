extension OracleDataset {
  /// Adds a layout, which is not laid out yet.
  public mutating func addLayout(_ name: String, text: String) throws(OracleRefusal) {
    var added = layouts[0]
    added.name = name
    added.text = text
    added.number = layoutCount
    layoutCount += 1
    try added.feed.set(configuration: text)
    added.feed.forgetEverything()
    layouts.append(added)
  }
}
