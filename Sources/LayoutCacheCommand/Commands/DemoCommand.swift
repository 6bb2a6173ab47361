import ArgumentParser
import LayoutCache
import LayoutGeometry
import TextFormats

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Import a sample, lay it out, and show what comes of it",
    discussion: """
      The sample is 3,000 works of the Tate collection (CC0), by year of acquisition. Without \
      --database it goes to a new \(Demo.databaseDefault) in the current folder; with it, to the \
      datasets "\(Demo.dataset)" and "\(ManyItemsTrial.dataset)" of that database, in place of \
      what they hold. The pictures demo.svg and demo-edit.svg go to the current folder, and as \
      PNG too where rsvg-convert is there.

      Example:
        layoutcache demo
      """)

  @Option(
    help: ArgumentHelp(
      "The database file (default: a new \(Demo.databaseDefault))", valueName: "path"))
  var database: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How many items to measure with, beside the sample; 0 for no measuring", valueName: "count"))
  var items = 1_000_000

  @OptionGroup var output: FormatOption

  func validate() throws {
    if database == "" { throw ValidationError("--database is empty; name a file") }
    if !(0...10_000_000).contains(items) {
      throw ValidationError("--items is 0 to 10,000,000")
    }
  }

  func run() throws {
    if database == nil { try Demo.removeEarlierDatabase() }
    let path = database ?? Demo.databaseDefault
    let demo = try DatabaseOptions.withCache(at: path, createsFile: true) {
      try Demo(in: $0, measuringWith: items)
    }
    let pictureFiles = try demo.writePictures()
    if output.json {
      try StandardOutput.printJSON { demo.write(to: &$0, pictureFiles: pictureFiles) }
    } else {
      let program = CommandLine.arguments.first ?? "layoutcache"
      var standardOutput = StandardOutput()
      try standardOutput.write(
        demo.description(.of(), pictureFiles: pictureFiles, program: program))
      try standardOutput.flush()
    }
  }
}
