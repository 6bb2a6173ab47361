import ArgumentParser
import LayoutCache

struct UpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Change a dataset by a batch of operations",
    discussion: """
      The batch is NDJSON, an operation a line; each sees the result of those before it, and \
      all are committed or none.

        {"op":"insert","items":[{"key":"a","width":4,"height":3}],"section":"s"}
        {"op":"delete","keys":["a","b"]}
        {"op":"move","key":"a","before":"b"}
        {"op":"resize","key":"a","width":4,"height":5,"span":2}
        {"op":"prefer","layout":"phone","key":"a","length":211.5}
        {"op":"prefer","layout":"phone","lengths":[["a",211.5],["b",80]]}
        {"op":"prefer","layout":"phone","everything":null}
        {"op":"insertSection","key":"s","index":3}
        {"op":"deleteSection","key":"s"}
        {"op":"moveSection","key":"s","index":0}
        {"op":"invalidate","layout":"phone","items":["a"],"sections":["s"]}
        {"op":"match","sections":[{"key":"s","items":[{"key":"a","width":4,"height":3}]}]}
        {"op":"mark","source":"orders","position":"0/16B3748"}

      Items go to the end of a "section", to an "index" in it, or "before" or "after" an item. \
      An inserted item may have a "span" too. A "length" of null takes a measured one back. A \
      section without "index" goes to the end. Instead of items and sections, "everything" may \
      be true. A batch whose "mark" is its source's present one was carried out before: it \
      changes nothing. With "after" the mark is set only if that is the source's present one \
      (null: if it has none). "match" makes the dataset equal to a list; with "missing":"keep" \
      what the list does not have stays.

      Layouts that were up to date stay so, and what each had to recompute is printed.

      Examples:
        layoutcache update batch.ndjson
        layoutcache update - --dataset tate --lazy
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var change: ChangeOptions
  @OptionGroup var output: FormatOption

  @Argument(help: "The file, or - for standard input")
  var file: String

  func run() throws {
    // Before the database, which is then open for no longer than the change takes.
    let input = try InputFile(file)
    let batch = try Batch(from: input.name) { body in
      let hasRead = try input.readPiece(body)
      if hasRead { ProgressLine.show(bytesRead: input.bytesRead, of: input.byteCount) }
      return hasRead
    }
    ProgressLine.show(stage: "changing the dataset")
    let commit = try database.withCache { cache in
      try batch.commit(
        to: datasetOption.name(in: cache), of: cache, visible: change.visible,
        preparing: change.prepared, expecting: change.expect)
    }
    try commit.print(asJSON: output.json)
  }
}
