import TestSupport
import Testing

// Styles by the command line: imports, exports, listings and warnings.

@Suite struct StyleCommandTests {
  private static let rows = """
    key,width,height,section,span,style
    a,4,3,one,1,hero
    b,1,1,two,1,
    c,1,1,one,1,hero
    d,3,4,three,1,"ti,les"

    """

  private func place() throws -> Workplace {
    let place = try Workplace()
    try place.write(Self.rows, to: "feed.csv")
    try place.expect(0, "import", "feed.csv", "--dataset", "feed")
    return place
  }

  @Test func importedStylesAreListedAndExported() throws {
    let place = try place()
    let sections = try place.expect(0, "sections", "--json")
    #expect(
      sections.output
        == #"{"dataset":"feed","sections":["#
        + #"{"section":0,"sectionKey":"one","style":"hero","firstItem":0,"items":2},"#
        + #"{"section":1,"sectionKey":"two","firstItem":2,"items":1},"#
        + #"{"section":2,"sectionKey":"three","style":"ti,les","firstItem":3,"items":1}]}"# + "\n")
    let csv = try place.expect(0, "export")
    #expect(
      csv.output == """
        key,width,height,section,span,style
        a,4,3,one,1,hero
        c,1,1,one,1,hero
        b,1,1,two,1,
        d,3,4,three,1,"ti,les"

        """)
    for format in ["csv", "ndjson"] {
      let first = try place.expect(0, "export", "--dataset", "feed", "--format", format)
      try place.write(first.output, to: "again.\(format)")
      try place.expect(0, "import", "again.\(format)", "--dataset", format)
      #expect(
        try place.expect(0, "export", "--dataset", format, "--format", format).output
          == first.output)
    }
  }

  @Test func rowsOfASectionMustAgreeUnlessTheColumnIsIgnored() throws {
    let place = try place()
    try place.write("key,width,height,section,style\ne,1,1,one,x\nf,1,1,one,y\n", to: "bad.csv")
    try place.expect(
      65, "import", "bad.csv", "--dataset", "feed", "--append",
      saying: ["line 3", "style is 'y'", "line 2", "section 'one'", "'x'"])
    try place.expect(
      0, "import", "bad.csv", "--dataset", "feed", "--append", "--on-invalid", "skip")
    #expect(try place.expect(0, "sections", "--json").output.contains(#""style":"x""#))
    try place.expect(
      0, "import", "bad.csv", "--dataset", "other", "--style", "")
    #expect(try !place.expect(0, "export", "--dataset", "other").output.contains("style"))
    try place.expect(
      65, "import", "bad.csv", "--dataset", "third", "--style", "looks", saying: ["looks"])
  }

  @Test func anAppendedStyleReplacesTheOldOne() throws {
    let place = try place()
    for (mode, style) in [("skip", "x"), ("update", "y")] {
      try place.write("key,width,height,section,style\na,4,3,two,\(style)\n", to: "more.csv")
      try place.expect(
        0, "import", "more.csv", "--dataset", "feed", "--append", "--on-duplicate", mode)
      let listed = try place.expect(0, "sections", "--json").output
      #expect(listed.contains(#""sectionKey":"two","style":"\#(style)""#))
    }
  }

  @Test func aMatchSetsStylesAndRemovesThoseThatItOmits() throws {
    let place = try place()
    try place.write("key,width,height,section,style\na,4,3,one,\nb,1,1,two,x\n", to: "list.csv")
    try place.expect(0, "import", "list.csv", "--dataset", "feed", "--match")
    #expect(
      try place.expect(0, "export", "--format", "ndjson").output == """
        {"key":"a","width":4,"height":3,"section":"one","span":1}
        {"key":"b","width":1,"height":1,"section":"two","span":1,"style":"x"}

        """)
    let batch = #"{"op":"match","sections":[{"key":"one","style":"new","items":[]}]}"#
    #expect(try place.run(["update", "-"], input: batch).exitCode == 0)
    #expect(try place.expect(0, "sections", "--json").output.contains(#""style":"new""#))
  }

  @Test func updatesReportARestyledSection() throws {
    let place = try place()
    let batch = #"{"op":"style","section":"two","style":"hero"}"#
    let run = try place.run(["update", "-", "--json"], input: batch)
    #expect(
      run.output.contains(
        #""updates":{"sections":[{"op":"reload","key":"two","after":1}],"items":[]}"#))
    let undo = try place.expect(0, "undo", "--json")
    #expect(undo.output.contains(#"{"op":"reload","key":"two","after":1}"#))
  }

  /// The context of a changed style, with the same members as in `update`.
  @Test func prepareNamesTheSectionsOfAChangedStyle() throws {
    let place = try place()
    func prepare(columns: Int, _ arguments: String...) throws -> String {
      try place.write(
        #"{"container":{"width":390},"styles":{"hero":{"columns":\#(columns)}}}"#,
        to: "layout.json")
      _ = try place.run(["layout", "set", "phone", "--config", "layout.json"])
      return try place.run(["prepare"] + arguments).output
    }
    let first = try prepare(columns: 1, "--json")
    #expect(first.contains(#""laidOut":true,"caughtUp":false"#))
    #expect(first.contains(#""everything":true,"recomputedItems":4,"#))
    let changed = try prepare(columns: 2, "--json")
    #expect(changed.contains(#""laidOut":false,"caughtUp":true"#))
    #expect(changed.contains(#""everything":false,"recomputedItems":2,"#))
    #expect(changed.contains(#""sections":[{"section":0,"items":[[0,1]],"columns":[0,1],"#))
    let same = try prepare(columns: 2, "--json")
    #expect(same.contains(#""everything":false,"recomputedItems":0,"#))
    #expect(same.contains(#""sections":[]"#))
    let lines = try prepare(columns: 3).split(separator: "\n").map { $0.split(separator: " ") }
    #expect(lines[0].starts(with: ["layout", "revision", "work", "recomputed", "items"]))
    #expect(lines[1].starts(with: ["phone", "1", "caught", "up", "2"]))
  }

  @Test func settingALayoutWarnsAboutWhatTheDatasetLacks() throws {
    let place = try place()
    try place.write(
      #"""
      {"container":{"width":390},"styles":{"hero":{}},"sections":{"none":{},"one":{}}}
      """#, to: "layout.json")
    let run = try place.run(["layout", "set", "phone", "--config", "layout.json", "--json"])
    #expect(run.exitCode == 0)
    #expect(
      run.errorOutput == """
        layoutcache: warning: the dataset has no section 'none' of 'sections'
        layoutcache: warning: sections have the style 'ti,les', which 'styles' lacks

        """)
    #expect(run.output.contains(#""warnings":["the dataset has no section"#))
    try place.write(
      #"{"container":{"width":390},"styles":{"hero":{},"ti,les":{},"unused":{}}}"#,
      to: "layout.json")
    let silent = try place.run(["layout", "set", "phone", "--config", "layout.json", "--json"])
    #expect(silent.errorOutput.isEmpty)
    #expect(silent.output == #"{"dataset":"feed","layout":"phone"}"# + "\n")
  }
}
