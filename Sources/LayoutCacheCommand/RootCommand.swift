import ArgumentParser
import BuildStamp

/// The program's version.
enum Version {
  static let number = "1.0.0"
  static let text = "layoutcache \(number) (\(String(cString: build_stamp_commit())))"
}

/// The root of the command line.
struct RootCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "layoutcache", abstract: "Lay out feeds and store the results in one SQLite file",
    discussion: """
      Import items into a dataset, attach layouts to it, and query the elements in a rectangle. \
      Lengths are in points, rounded down to 1/64.

      --dataset and --layout can be omitted if there is only one. --database, --dataset, --layout \
      and --json may also precede the subcommand.

      Examples:
        layoutcache demo
        layoutcache open feed.csv
        layoutcache import feed.csv --dataset art
        layoutcache layout set phone --dataset art --width 390 --columns 2
        layoutcache query --dataset art --layout phone --rect 0,0,390,844

      Environment:
        LAYOUTCACHE_DATABASE  the database, if --database is omitted
        LAYOUTCACHE_DATASET   the dataset, if --dataset is omitted
        LAYOUTCACHE_TOKENS    the token file, if --tokens is omitted
        LAYOUTCACHE_...       the other settings of serve, such as LAYOUTCACHE_LIMITS_ROWS_MAX
        COLUMNS               the width of tables, if the output is not a terminal
        NO_COLOR              plain text, if it is set

      A failure is one line on standard error; with --json it is an object, {"error": \
      {"code", "exitCode", "message", "hint", "line"}}.

      Exit codes:
        0   done
        1   a check found differences
        64  usage: invalid options, or an import into an existing dataset
        65  invalid input data, or a rejected layout or change; nothing was stored
        66  no such file, dataset, layout, section or key
        70  internal error
        74  input/output error
        75  the database is busy; try again
        76  the database is corrupt, of another application, or of another version
        130 interrupted by Ctrl-C; nothing was stored
      """,
    version: Version.text,
    subcommands: [
      ImportCommand.self, ExportCommand.self, DatasetsCommand.self, DatasetCommand.self,
      LayoutCommand.self, TemplateCommand.self, ViewCommand.self, QueryCommand.self,
      UpdateCommand.self,
      UndoCommand.self,
      LogCommand.self, PrepareCommand.self, InspectCommand.self, VerifyCommand.self,
      CompactCommand.self, BackupCommand.self, RestoreCommand.self, RenderCommand.self,
      DemoCommand.self,
    ] + cluster + service)

  #if Cluster
    private static let cluster: [any ParsableCommand.Type] = [ClusterCommand.self]
  #else
    private static let cluster: [any ParsableCommand.Type] = []
  #endif

  #if Service
    private static let service: [any ParsableCommand.Type] = [
      OpenCommand.self, ServeCommand.self, TokenCommand.self,
    ]
  #else
    private static let service: [any ParsableCommand.Type] = []
  #endif
}
