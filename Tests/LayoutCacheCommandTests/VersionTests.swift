import Testing

@Suite struct VersionTests {
  /// `make deb` takes the number from there, people who report a problem the commit.
  @Test func versionNamesTheCommit() throws {
    let run = try Workplace().run(["--version"])
    #expect(run.exitCode == 0)
    #expect(
      run.output.wholeMatch(
        of: /layoutcache \d+\.\d+\.\d+(-[a-z]+\.\d+)? \((unknown commit|[0-9a-f]{7,}(-dirty)?)\)\n/) != nil,
      "\(run.output)")
  }
}
