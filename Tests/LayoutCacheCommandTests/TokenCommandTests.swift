import Foundation
import TestSupport
import Testing

@Suite struct TokenCommandTests {
  @Test func tokensAreAppendedAndNotStored() throws {
    let place = try Workplace()
    let first = try place.expect(0, "token", "shop", "--write", "shop-").output
    let second = try place.expect(0, "token", "web", "--read", "*", "--json").output
    let object = try JSONSerialization.jsonObject(with: Data(second.utf8)) as? [String: Any]
    let token = try #require(object?["token"] as? String)
    #expect(object?["scope"] as? String == "read" && object?["datasets"] as? String == "*")
    let text = try String(contentsOfFile: place.folder.path(of: "tokens"), encoding: .utf8)
    #expect(text.split(separator: "\n").count == 2)
    let shop = first.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(shop.count >= 32 && shop != token)
    #expect(!text.contains(shop) && !text.contains(token))
    #expect(
      text.split(separator: "\n").map { $0.split(separator: " ")[..<3].joined(separator: " ") }
        == ["shop write shop-", "web read *"])
    // The service, which runs as another user, must read it.
    let mode = try FileManager.default.attributesOfItem(
      atPath: place.folder.path(of: "tokens"))[.posixPermissions]
    #expect((mode as? NSNumber)?.intValue == 0o644)
  }

  @Test func mistakesChangeNothing() throws {
    let place = try Workplace()
    try place.write("# none yet\nweb read * \(String(repeating: "0", count: 64))", to: "tokens")
    let before = try String(contentsOfFile: place.folder.path(of: "tokens"), encoding: .utf8)
    try place.expect(64, "token", "web", "--read", "*", saying: ["has a token 'web'"])
    try place.expect(64, "token", "shop", saying: ["one of --read and --write"])
    try place.expect(64, "token", "shop", "--read", "*", "--write", "*")
    try place.expect(64, "token", "a b", "--read", "*", saying: ["without spaces"])
    try place.expect(64, "token", "shop", "--read", "")
    #expect(
      try String(contentsOfFile: place.folder.path(of: "tokens"), encoding: .utf8) == before)
    try place.expect(0, "token", "shop", "--read", "a")
    try place.write("nonsense\n", to: "tokens")
    try place.expect(65, "token", "shop", "--read", "*", saying: ["line 1"])
  }
}
