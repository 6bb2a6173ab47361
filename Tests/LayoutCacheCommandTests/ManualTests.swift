import Foundation
import Testing

@testable import LayoutCacheCommand

struct ManualTests {
  @Test func manualListsEverySubcommandWithItsOptions() throws {
    let page = try Workplace().expect(0, "manual").output
    #expect(page.hasPrefix(".TH LAYOUTCACHE 1"))
    // The order of man-pages(7).
    let titles = page.split(separator: "\n").filter { $0.hasPrefix(".SH ") }.map { $0.dropFirst(4) }
    #expect(
      titles == [
        "NAME", "SYNOPSIS", "DESCRIPTION", "SUBCOMMANDS", "EXIT STATUS", "ENVIRONMENT",
        "EXAMPLES", "FILES", "SEE ALSO",
      ])
    #expect(page.contains("76  the database is corrupt"))
    func check(_ command: CommandDescription, _ parents: String) {
      let name = "\(parents) \(command.commandName)"
      if let subcommands = command.subcommands, !subcommands.isEmpty {
        for subcommand in subcommands where subcommand.commandName != "help" {
          check(subcommand, name)
        }
        return
      }
      let part = page.components(separatedBy: ".SS \(name.replacing("-", with: "\\-"))\n")
        .dropFirst().first?
        .components(separatedBy: ".SS ").first
      #expect(part != nil, "\(name)")
      for spelling in command.optionSpellings
      where !["--help", "-h", "--version"].contains(spelling) {
        let name = spelling.replacing("-", with: "\\-")
        #expect(part?.contains("\\fB\(name)\\fR") == true, "\(name) of \(command.commandName)")
      }
    }
    for command in try CommandDescription.root().subcommands ?? [] {
      check(command, "layoutcache")
    }
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")))
  func manualHasNoRoffWarnings() throws {
    let run = try Workplace().shell("layoutcache manual | groff -man -Tutf8 -ww > page")
    #expect(run.exitCode == 0)
    #expect(run.errorOutput.isEmpty, "\(run.errorOutput)")
  }
}
