import ArgumentParser
import LayoutCache
import TextFormats

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Import a sample, lay it out, and show what comes of it",
    discussion: """
      The sample is 3,000 works of the Tate collection (CC0), by year of acquisition. Without \
      --database it goes to a new \(Demo.databaseDefault) in the current folder; with it, to the \
      dataset "\(Demo.dataset)" of that database, in place of what that holds. The pictures \
      demo-phone.svg and demo-desktop.svg go to the current folder.

      Example:
        layoutcache demo
      """)

  @Option(
    help: ArgumentHelp(
      "The database file (default: a new \(Demo.databaseDefault))", valueName: "path"))
  var database: String?

  @OptionGroup var output: FormatOption

  func validate() throws {
    if database == "" { throw ValidationError("--database is empty; name a file") }
  }

  func run() throws {
    if database == nil { try Demo.removeEarlierDatabase() }
    let path = database ?? Demo.databaseDefault
    let demo = try DatabaseOptions.withCache(at: path, createsFile: true) { try Demo(in: $0) }
    for scene in demo.scenes { try writeFile(scene.picture.svg, to: scene.pictureFile) }
    if output.json {
      try StandardOutput.printJSON { demo.write(to: &$0) }
    } else {
      var standardOutput = StandardOutput()
      try standardOutput.write(demo.description(.of()))
      try standardOutput.flush()
    }
  }
}
