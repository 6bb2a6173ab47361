import Foundation
import Testing

@testable import LayoutCacheCommand

/// `backup`, with text and JSON output.
@Suite struct BackupCommandTests {
  @Test func backupPrintsItsSizeAndCanBeOpened() throws {
    let place = try Workplace.withFeed()
    let text = try place.expect(0, "backup", "copy.sqlite").output
    #expect(
      text.wholeMatch(of: /copied \d+ bytes into copy.sqlite in \d+\.\d ms\n/) != nil, "\(text)")
    let json = try place.expect(0, "backup", "other.sqlite", "--json").output
    #expect(
      json.wholeMatch(
        of: /\{"file":"other.sqlite","bytes":\d+,"microseconds":\d+\}\n/) != nil, "\(json)")
    let query = ["query", "--layout", "phone", "--rect", "0,0,220,1000", "--json"]
    let (there, here) = (
      try place.run(query + ["--database", "copy.sqlite"]), try place.run(query)
    )
    #expect(here.exitCode == 0 && there.output == here.output)
    #expect(there.outputAsIs != here.outputAsIs)
    try place.expect(0, "verify", "--database", "copy.sqlite")
  }

  @Test func failedBackupChangesNoFile() throws {
    let place = try Workplace.withFeed()
    try place.write("mine", to: "copy.sqlite")
    try place.expect(64, "backup", "copy.sqlite", saying: ["copy.sqlite already exists"])
    #expect(try place.read("copy.sqlite") == "mine")
    try place.expect(74, "backup", "none/copy.sqlite", saying: ["none/copy.sqlite"])
    try place.expect(
      66, "backup", "new.sqlite", "--database", "none.sqlite", saying: ["none.sqlite"])
    #expect(!place.exists("new.sqlite") && !place.exists("none.sqlite"))
    try place.expect(64, "backup", saying: ["file"])
  }
}
