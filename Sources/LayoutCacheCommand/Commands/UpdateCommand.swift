import ArgumentParser
import LayoutCache
import TextFormats

struct UpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Apply a batch of operations to a dataset",
    discussion: """
      The batch is NDJSON, one operation per line, or one JSON array of operations. Each operation \
      sees the results of earlier operations; all are committed, or none.

      \(OperationForm.examples.map { "  " + $0 }.joined(separator: "\n"))

      Items go to the end of a "section", to an "index" in it, or "before" or "after" an item; an \
      inserted item may also have a "span". "upsert" inserts items, or changes existing ones; \
      "data" of null removes an item's data. A "length" of null resets a measured length. A \
      section without "index" goes to the end. "invalidate" takes "everything":true instead of \
      items and sections. A batch whose "mark" equals the current mark of its source was applied \
      before and changes nothing. With "after" the mark is set only if the source's current mark \
      has that position (null: if it has no mark). "match" makes the dataset equal to a list; with \
      "missing":"keep", items and sections missing in the list stay.

      Layouts that were up to date are updated; the recomputed parts of each are printed. With \
      --preview, the same is printed, and nothing is changed.

      Examples:
        layoutcache update batch.ndjson
        layoutcache update batch.ndjson --preview
        layoutcache update - --dataset tate --lazy
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var change: ChangeOptions
  @OptionGroup var output: FormatOption

  @Flag(help: "Print what the batch would change, and change nothing")
  var preview = false

  @Argument(help: "The file, or - for standard input")
  var file: String

  func run() throws {
    // Before the database is opened, so that it is open only during the change.
    let input = try InputFile(file)
    let batch = try Batch(from: input.name) { body in
      let hasRead = try input.readPiece(body)
      if hasRead { ProgressLine.show(bytesRead: input.bytesRead, of: input.byteCount) }
      return hasRead
    }
    ProgressLine.show(stage: preview ? "computing the changes" : "changing the dataset")
    let commit = try database.withCache { cache in
      try batch.commit(to: datasetOption.name(in: cache), of: cache, change, isPreview: preview)
    }
    try commit.print(asJSON: output.json, isPreview: preview)
  }
}
