import Testing

struct EffectCommandTests {
  @Test(arguments: [
    (["--effect", "scale"], #""effect":{"kind":"scale","maximumScale":1.3}"#),
    (
      ["--effect", "scale", "--maximum-scale", "1.5"],
      #""effect":{"kind":"scale","maximumScale":1.5}"#
    ),
    (["--effect", "coverStack"], #""effect":{"kind":"coverStack"}"#),
    (
      ["--effect", "rotary", "--maximum-angle", "45"],
      #""effect":{"kind":"rotary","maximumAngle":45}"#
    ),
  ])
  func flagsStateAnEffect(flags: [String], member: String) throws {
    let place = try Workplace.withFeed()
    let run = try place.run(["layout", "set", "l", "--dataset", "feed", "--width", "200"] + flags)
    #expect(run.exitCode == 0, "\(run.errorOutput)")
    let shown = try place.expect(0, "layout", "show", "l", "--dataset", "feed")
    let text = shown.output.filter { !$0.isWhitespace }
    #expect(text.contains(member), "\(shown.output)")
  }

  @Test func invalidEffectsAreRejected() throws {
    let place = try Workplace.withFeed()
    func set(_ exitCode: Int32, _ flags: String..., saying phrase: String) throws {
      let run = try place.run(
        ["layout", "set", "l", "--dataset", "feed", "--width", "200"] + flags)
      #expect(run.exitCode == exitCode, "\(flags)")
      #expect(run.errorOutput.contains(phrase), "\(run.errorOutput)")
    }
    try set(65, "--effect", "fold", saying: "'fold' is not one of 'scale', 'coverStack'")
    try set(
      65, "--effect", "scale", "--maximum-scale", "0",
      saying: "maximumScale is 0; it must be above 0")
    try set(
      65, "--effect", "rotary", "--maximum-scale", "2", saying: "unknown member 'maximumScale'")
    try set(64, "--maximum-angle", "9", saying: "need --effect")
  }
}
