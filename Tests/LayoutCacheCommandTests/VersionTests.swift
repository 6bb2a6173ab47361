import Testing

@Suite struct VersionTests {
  /// `make deb` uses the version number; problem reports quote the commit.
  @Test func versionNamesTheCommit() throws {
    let run = try Workplace().run(["--version"])
    #expect(run.exitCode == 0)
    #expect(
      run.output.wholeMatch(
        of: /layoutcache \d+\.\d+\.\d+(-[a-z]+\.\d+)? \((unknown commit|[0-9a-f]{7,}(-dirty)?)\)\n/)
        != nil,
      "\(run.output)")
  }
}
