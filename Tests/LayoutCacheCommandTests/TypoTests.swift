import Testing

/// Typical mistakes of new users, and the expected suggestions, with one feed and one layout.
struct TypoTests {
  static let typos: [(line: String, exitCode: Int32, answer: String)] = [
    // Subcommands.
    ("qurey --rect 0,0,1,1", 64, "did you mean 'layoutcache query'?"),
    ("Query --rect 0,0,1,1", 64, "did you mean 'layoutcache query'?"),
    ("datset create x", 64, "did you mean 'layoutcache dataset'?"),
    ("dataset craete x", 64, "did you mean 'layoutcache dataset create'?"),
    ("layouts", 64, "did you mean 'layoutcache layout'?"),
    ("layout lst", 64, "did you mean 'layoutcache layout list'?"),
    ("layout query", 64, "did you mean 'layoutcache query'?"),
    ("veirfy", 64, "did you mean 'layoutcache verify'?"),
    ("xyzzy", 64, "the subcommands are import, export"),
    // Options.
    ("query --rec 0,0,1,1", 64, "did you mean '--rect'?"),
    ("query --rect=0,0,1,1 --limt 3", 64, "did you mean '--limit'?"),
    ("query --layuot phone --rect 0,0,1,1", 64, "did you mean '--layout'?"),
    ("layout set wide --widht 390", 64, "did you mean '--width'?"),
    ("layout set wide --width 390 --collumns 3", 64, "did you mean '--columns'?"),
    ("layout set wide --width 390 --columnSpacing 3", 64, "did you mean '--column-spacing'?"),
    ("layout set w --width 390 --direction x", 64, "'--scroll-direction' or '--layout-direction'"),
    ("export --layout phone", 64, "it is an option of 'layoutcache query'"),
    ("import feed.csv --dataset x --formt csv", 64, "did you mean '--format'?"),
    ("--rect 0,0,1,1", 64, "start with a subcommand"),
    ("help qery", 64, "did you mean 'layoutcache query'?"),
    ("help layout sett", 64, "did you mean 'layoutcache layout set'?"),
    ("import feed.csv --append --dataset fed", 66, "did you mean 'feed'?"),
    // Values.
    ("query --rect 0 0 390 844", 64, "without spaces: --rect 0,0,390,844"),
    ("query --rect 0, 0, 390, 844", 64, "without spaces: --rect 0,0,390,844"),
    ("query --rect 0,0,390", 64, "expected 4 numbers, X,Y,WIDTH,HEIGHT"),
    ("query 0,0,390,844", 64, "did you mean '--rect 0,0,390,844'?"),
    ("query --point 10 20", 64, "without spaces: --point 10,20"),
    ("query --dataset --rect 0,0,1,1", 64, "give --dataset a value"),
    ("query --rect --layout phone", 64, "give --rect a value"),
    ("query --rect", 64, "give --rect a value"),
    ("query --layout phone", 64, "--rect, --from, --key, --point, --since or --after is needed"),
    ("export --format csvv", 64, "did you mean 'csv'?"),
    ("import x.csv --dataset d --on-invalid skpi", 64, "did you mean 'skip'?"),
    ("layout set wide --width 390 --columns three", 64, "'three' is not a whole number"),
    ("layout set wide --kind watefall --width 390", 65, "did you mean 'waterfall'?"),
    ("layout set wide --width 390 --scroll-direction vertcal", 65, "did you mean 'vertical'?"),
    ("layout set wide --width 390 --effect sclae", 65, "did you mean 'scale'?"),
    ("layout set wide --kind grid --width 390 --row-length sqare", 65, "did you mean 'square'?"),
    ("query --rect 0,0,1,1 --limit many", 64, "it must be a whole number"),
    ("import x.csv --dataset d --format xml", 64, "use one of 'csv', 'tsv' or 'ndjson'"),
    ("import x.csv --dataset d --width -5", 64, "write --width=-5"),
    // Missing and excess arguments.
    ("import feed.csv more.csv --dataset d", 64, "'layoutcache import' takes only <file>"),
    ("inspect feed", 64, "did you mean '--dataset feed'"),
    ("prepare phone", 64, "'--layout phone'"),
    ("import feed.csv", 64, "give it with --dataset"),
    ("layout set --width 390", 64, "'<name>'"),
    ("render --rect 0,0,1,1", 64, "--output <file>"),
    ("dataset remove", 64, "'<name>'"),
    // Names.
    ("query --layout phnoe --rect 0,0,1,1", 66, "did you mean 'phone'?"),
    ("query --dataset fed --rect 0,0,1,1", 66, "did you mean 'feed'?"),
    ("dataset remove feeed", 66, "did you mean 'feed'?"),
    ("layout show desktop", 66, "its layouts are 'phone'"),
    ("export --dataset museum", 66, "the datasets are 'feed'"),
    ("query --key A", 66, "did you mean 'a'?"),
    ("prepare --invalidate --section oen", 66, "did you mean 'one'?"),
    ("prepare --rebalance --section elsewhere", 66, "inspect --sections --dataset feed' lists"),
    ("dataset create feed", 64, "choose another name; an import into it needs --append"),
    ("import fed.csv --dataset d", 66, "did you mean 'feed.csv'?"),
    ("datasets --database none.sqlite", 66, "'layoutcache import' creates one"),
  ]

  @Test func everyTypoIsAnsweredWithASuggestion() throws {
    let place = try Workplace.withFeed()
    for typo in Self.typos {
      let arguments = typo.line.split(separator: " ").map(String.init)
      let run = try place.run(arguments)
      #expect(run.exitCode == typo.exitCode, "\(typo.line): \(run.errorOutput)")
      #expect(run.errorLines.count == 1, "\(typo.line)")
      #expect(run.errorOutput.contains(typo.answer), "\(typo.line): \(run.errorOutput)")
      #expect(!run.errorOutput.contains("?;"), "\(typo.line): \(run.errorOutput)")
      #expect(run.output.isEmpty, "\(typo.line)")
    }
  }

  @Test func everyFailureIsOneJSONObject() throws {
    let place = try Workplace.withFeed()
    // Every seventh typo, which covers all kinds.
    for index in stride(from: 0, to: Self.typos.count, by: 7) {
      let typo = Self.typos[index]
      let run = try place.run(typo.line.split(separator: " ").map(String.init) + ["--json"])
      #expect(run.exitCode != 0, "\(typo.line)")
      #expect(run.errorLines.count == 1, "\(typo.line)")
      #expect(run.errorOutput.hasPrefix(#"{"error":{"code":""#), "\(typo.line): \(run.errorOutput)")
      #expect(run.errorOutput.contains(#""exitCode":\#(run.exitCode),"message":"#), "\(typo.line)")
    }
  }
}
