import Foundation
import Testing

@testable import LayoutCacheCommand

@Suite struct LogAddressTests {
  /// libpq's forms, with the password `secret`, and what is shown.
  private static let addresses = [
    ("postgresql://u:secret@h:5432/db", "postgresql://u:***@h:5432/db"),
    ("postgres://u:secret@h,i/db?sslmode=require", "postgres://u:***@h,i/db?sslmode=require"),
    ("postgresql://u:sec@ret@h/db", "postgresql://u:***@h/db"),
    ("postgresql://u:secret/secret@h/db", "postgresql://u:***@h/db"),
    ("postgresql://h/db?password=secret", "postgresql://h/db?password=***"),
    (
      "postgresql://h/db?user=u&p%61ssword=secret&port=1",
      "postgresql://h/db?user=u&p%61ssword=***&port=1"
    ),
    ("postgresql:///db?host=/run&PASSWORD=secret", "postgresql:///db?host=/run&PASSWORD=***"),
    ("postgresql://u:secret@h/db?sslpassword=secret", "postgresql://u:***@h/db?sslpassword=***"),
    ("postgresql://u@h/db", "postgresql://u@h/db"),
    ("postgresql://h:1,[::1]:2/db?user=a@b", "postgresql://h:***@b"),
    ("postgresql://h/db?user=a@b&sslmode=require", "postgresql://h/db?user=a@b&sslmode=require"),
    ("host=h password=secret dbname=db", "host=h password=*** dbname=db"),
    ("host = h password = 'secret secret' dbname=db", "host = h password = *** dbname=db"),
    (#"password='sec\'ret secret' host=h"#, "password=*** host=h"),
    (#"password=sec\ secret host=h"#, "password=*** host=h"),
    ("Password=secret", "Password=***"),
    ("password=", "password=***"),
    ("", ""),
    // Addresses that libpq cannot read.
    (" postgresql://u:secret@h", "***"),
    ("Postgresql://u:secret@h", "***"),
    ("Postgresql://h/db?password=secret", "***"),
    ("password=my secret", "***"),
    ("password='secret", "***"),
    ("pasword=secret host=h", "pasword=*** host=h"),
    ("/run/postgresql", "***"),
    ("secret", "***"),
    ("postgresql://u:pa@se/secret@h", "postgresql://u:***@h"),
    ("postgresql://u:pa?secret@h/db?password=secret", "postgresql://u:***@h/db?password=***"),
    ("postgresql://u:pa?secret@h&password=secret", "postgresql://u:***@h&password=***"),
    ("postgresql://u:secret", "postgresql://***"),
    ("postgresql://h/db?secret", "postgresql://h/db?***"),
  ]

  @Test(arguments: addresses)
  func passwordsAreNotShown(address: String, shown: String) {
    #expect(LogAddress.withoutPassword(address) == shown)
  }

  @Test func thePrintedConfigurationShowsNoPassword() throws {
    let place = try Workplace()
    for (address, shown) in Self.addresses where !shown.isEmpty && address.contains("secret") {
      let run = try place.run(["serve", "--print-configuration", "--set", "cluster.log=\(address)"])
      #expect(run.exitCode == 0, "\(address): \(run.errorOutput)")
      #expect(run.output.contains(shown) && !run.output.contains("secret"), "\(run.output)")
    }
  }
}
