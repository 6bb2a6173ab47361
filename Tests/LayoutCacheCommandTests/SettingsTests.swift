import Testing

/// Where the settings of `serve` come from, as `--print-configuration` shows it.
@Suite struct SettingsTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  /// Returns the value and the source of each setting.
  private func settings(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> [String: String] {
    let run = try place.run(
      ["serve", "--print-configuration"] + arguments, environment: environment)
    #expect(run.exitCode == 0, "\(run.errorOutput)")
    var settings: [String: String] = [:]
    for line in run.output.split(separator: "\n").dropFirst() {
      let words = line.split(separator: " ", maxSplits: 1)
      settings[String(words[0])] = words[1].split(separator: " ").joined(separator: " ")
    }
    return settings
  }

  @Test func flagsPrecedeTheEnvironmentWhichPrecedesTheFile() throws {
    try place.write(
      "LAYOUTCACHE_PORT=1\nLAYOUTCACHE_THREADS=2\nLAYOUTCACHE_LOG_LEVEL=error\n", to: "settings")
    let settings = try settings(
      ["--config", "settings", "--port", "9"],
      environment: ["LAYOUTCACHE_PORT": "5", "LAYOUTCACHE_THREADS": "6"])
    #expect(settings["port"] == "9 the flags")
    #expect(settings["threads"] == "6 the environment")
    #expect(settings["log.level"] == "error settings")
    #expect(settings["log.format"] == "text the default")
  }

  @Test func aSettingByNamePrecedesItsFlag() throws {
    let settings = try settings(["--port", "1", "--set", "port=2", "--set", "port=3"])
    #expect(settings["port"] == "3 the flags")
  }

  /// Comments, empty lines, white space, line ends of Windows, `=` in a value, and a name twice.
  @Test func aFileHasTheSyntaxOfTheEnvironment() throws {
    try place.write(
      "# comment\r\n\r\n\t LAYOUTCACHE_LIMITS_ROWS_MAX = 7 \r\n  #LAYOUTCACHE_PORT=1\r\n"
        + "LAYOUTCACHE_TOKENS=a=b # c\r\nLAYOUTCACHE_LIMITS_ROWS_MAX=8",
      to: "settings")
    let settings = try settings(["--config", "settings"])
    #expect(settings["limits.rowsMax"] == "8 settings")
    #expect(settings["tokens"] == "a=b # c settings")
    #expect(settings["port"] == "8080 the default")
  }

  @Test func listsAreSeparatedByCommas() throws {
    try place.write("LAYOUTCACHE_ALLOWED_HOSTS=a.example, b.example", to: "settings")
    #expect(
      try settings(["--config", "settings"])["allowedHosts"] == "a.example,b.example settings")
    #expect(
      try settings(["--set", "allowedHosts=a,b"])["allowedHosts"] == "a,b the flags")
    #expect(
      try settings(["--allow-host", "a", "--allow-host", "b"])["allowedHosts"] == "a,b the flags")
    #expect(try settings(["--set", "allowedHosts="])["allowedHosts"] == "the flags")
  }

  @Test func durationsAreSecondsWithOrWithoutDecimals() throws {
    let settings = try settings(
      ["--set", "timeouts.idle=2.5"], environment: ["LAYOUTCACHE_TIMEOUTS_STALL": "3"])
    #expect(settings["timeouts.idle"] == "2.5 the flags")
    #expect(settings["timeouts.stall"] == "3 the environment")
  }

  @Test(arguments: [
    ("LAYOUTCACHE_PORT", "x", "setting 'port' of the environment is 'x', which is not a"),
    ("LAYOUTCACHE_PORT", "", "from 0 to 65535"),
    ("LAYOUTCACHE_PORT", "65536", "from 0 to 65535"),
    ("LAYOUTCACHE_TIMEOUTS_IDLE", "nan", "which is not a number of seconds from 1 to 86400"),
    ("LAYOUTCACHE_TIMEOUTS_IDLE", "0.5", "which is not a number of seconds from 1 to 86400"),
  ])
  func anInvalidValueNamesTheSettingAndItsSource(name: String, value: String, said: String) throws {
    let run = try place.run(["serve", "--print-configuration"], environment: [name: value])
    #expect(run.exitCode == 64 && run.errorOutput.contains(said), "\(run.errorOutput)")
  }

  @Test(arguments: [
    ("\nLAYOUTCACHE_PROT=1\n", "settings, line 2: unknown setting 'LAYOUTCACHE_PROT'"),
    ("LAYOUTCACHE_PORT\n", "settings, line 1: LAYOUTCACHE_PORT has no value; write NAME=value"),
    ("a\r\n=1\r\n", "settings, line 1: unknown setting 'a'"),
    ("=1\n", "settings, line 1: unknown setting ''"),
  ])
  func aLineOfTheFileThatSetsNothingIsNamed(text: String, said: String) throws {
    try place.write(text, to: "settings")
    let run = try place.run(["serve", "--print-configuration", "--config", "settings"])
    #expect(run.exitCode == 65 && run.errorOutput.contains(said), "\(run.errorOutput)")
  }
}
