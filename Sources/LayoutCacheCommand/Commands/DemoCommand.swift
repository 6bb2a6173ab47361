import ArgumentParser
import LayoutCache
import TextFormats

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Import a sample, lay it out, and show the results",
    discussion: """
      The sample is 3,000 works of the Tate collection (CC0), by year of acquisition, below a \
      carousel of highlights and a grid of collections. One layout fits any width. Without \
      --database it is imported into a new \(Demo.databaseDefault) in the current directory; with \
      it, the datasets "\(Demo.dataset)" and "\(DemoTrial.dataset)" of that database are \
      replaced. The pictures demo.svg and demo-edit.svg are written to the current directory, also \
      as PNG if rsvg-convert is installed.

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
      "The number of items in an additional measurement; 0 for none", valueName: "count"))
  var items = 1_000_000

  @OptionGroup var output: FormatOption

  func validate() throws {
    if database == "" { throw ValidationError("--database is empty; name a file") }
    if !(0...10_000_000).contains(items) {
      throw ValidationError("--items must be 0 to 10,000,000")
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
      let program = RunContext.current.program
      var standardOutput = StandardOutput()
      try standardOutput.write(
        demo.description(.of(), pictureFiles: pictureFiles, program: program))
      try standardOutput.flush()
    }
  }
}
