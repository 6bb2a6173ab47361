import TestSupport
import Testing

@testable import TextFormats

@Suite struct FieldGuessTests {
  private static func guess(_ text: String, unusableKeys: Set<String> = []) throws -> FieldGuess {
    FieldGuess(try TextSample(Array(text.utf8), isWhole: true), unusableKeys: unusableKeys)
  }

  private static func flags(_ guess: FieldGuess) -> [String] {
    guess.choices.map { "\($0.option)=\($0.value)" }
  }

  @Test func columnsOfAShopAreRecognized() throws {
    let rows = (0..<40).map {
      """
      P\($0);Lamp \($0);\($0).50;\(300 + $0);\(200 + $0);https://a.example/\($0).jpg;2024-0\($0 / 9 + 1)-02
      """
    }
    let header = "product_id;product_name;price;imageWidth;imageHeight;picture;created_at"
    let guess = try Self.guess(([header] + rows).joined(separator: "\n"))
    #expect(
      Self.flags(guess) == [
        "key=product_id", "width=imageWidth", "height=imageHeight", "section=created_at:month",
        "sectionOrder=value", "data=title=product_name", "data=image_url=picture",
        "data=price:number",
      ])
    #expect(guess.options.fields.section == .required("created_at:month"))
  }

  @Test func namesOfLayoutCacheComeFirst() throws {
    let text = "id,key,width,height,w,h,section,title,data\n1,a,1,2,3,4,s,t,\n2,b,1,2,3,4,s,u,\n"
    #expect(
      Self.flags(try Self.guess(text)) == [
        "key=key", "width=width", "height=height", "section=section",
      ])
  }

  @Test func membersOfObjectsAreRecognized() throws {
    let lines = (0..<5).map {
      #"{"sku":\#($0),"w":3,"h":4.5,"taken":\#(1_700_000_000 + $0 * 86_400),"tags":["a"],"headline":"x"}"#
    }
    #expect(
      Self.flags(try Self.guess(lines.joined(separator: "\n"))) == [
        "key=sku", "width=w", "height=h", "section=taken:day",
        "sectionOrder=value", "data=title=headline",
      ])
  }

  @Test func fileWithoutKeyAndSizesIsUsable() throws {
    let text = "name,colour\nball,red\nball,red\n"
    let guess = try Self.guess(text)
    #expect(Self.flags(guess) == ["key=#row", "width=320", "height=400", "data=title=name"])
    let reading = try Reading(text, .csv, fields: guess.options.fields)
    #expect(reading.records.map(\.key) == ["1", "2"])
    #expect(reading.records.map(\.width) == [320, 320])
    #expect(reading.records.map(\.data) == [#"{"title":"ball"}"#, #"{"title":"ball"}"#])
  }

  @Test func columnWithoutUniqueValuesIsNoKey() throws {
    let text = "id,code,width,height\n1,a,1,1\n1,b,1,1\n"
    #expect(try Self.guess(text).options.fields.key == "code")
    #expect(try Self.guess(text, unusableKeys: ["code"]).options.fields.key == "#row")
    // Widths and prices are often unique, and never keys.
    #expect(try Self.guess("width,height,price\n1,2,3\n2,3,4\n").options.fields.key == "#row")
  }

  @Test func aFirstRowOfValuesIsDoubted() throws {
    let text = "a,100,200,http://x/a.jpg\nb,100,300,http://x/b.jpg\n"
    #expect(try Self.guess(text).doubts.map(\.settledBy) == [[.header]])
    var shape = TextShape()
    shape.hasHeader = false
    let guess = FieldGuess(try TextSample(Array(text.utf8), isWhole: true, shape: shape))
    #expect(guess.doubts.isEmpty)
    #expect(Self.flags(guess) == ["key=1", "width=2", "height=3", "data=image_url=4"])
  }

  @Test func aSizeInFewRowsIsDoubtedAndEmptyOnesGetOne() throws {
    let few = try Self.guess("id,Width (in),Height (in)\na,.5,1\nb,n/a,1\nc,,1\n")
    #expect(few.doubts.map(\.settledBy) == [[.width, .height, .size]])
    #expect(few.doubts[0].reason.contains("33 % of the rows"))
    let most = try Self.guess("id,Width (in),Height (in)\na,.5,1\nb,5.,1\nc,,1\n")
    #expect(most.doubts.isEmpty)
    #expect(
      Self.flags(most) == ["key=id", "width=Width (in)", "height=Height (in)", "size=320x400"])
  }

  @Test(arguments: [
    ("web_url", "thumb_url", "https://a/p", "https://a/t.jpg"),
    ("url", "imageurl", "https://a/p", "https://a/i"),
    ("link", "poster", "https://a/p", "https://a/i"),
    ("page_url", "src_url", "https://a/p", "https://a/i"),
    ("href", "where", "https://a/p", "https://a/i.webp?w=3"),
    ("web", "large", "https://a/p", "https://a/L.PNG"),
  ])
  func thePictureIsChosenBeforeThePage(
    page: String, picture: String, pageAddress: String, address: String
  ) throws {
    let rows = (0..<3).map { "\($0),\(pageAddress)\($0),\(address)" }.joined(separator: "\n")
    let guess = try Self.guess("id,\(page),\(picture)\n\(rows)\n")
    #expect(Self.flags(guess).contains("data=image_url=\(picture)"))
  }

  @Test func decimalCommasAndNumbersAreRecognized() throws {
    let text = "id;width;height;price;zip\na;1,5;2;0,5;01234\nb;3;4,5;7;12345\n"
    #expect(
      Self.flags(try Self.guess(text)) == [
        "key=id", "width=width", "height=height", "data=price:number", "decimal=comma",
      ])
    let mixed = try Self.guess("id;width;height\na;1,5;2\nb;3;4.5\n")
    #expect(!Self.flags(mixed).contains("decimal=comma"))
  }

  @Test func sectionsWithTheNewestFirstKeepTheirOrder() throws {
    for (years, order) in [([2020, 2021, 2019], true), ([2021, 2020, 2019], false)] {
      let rows = years.enumerated().map { "\($0),\($1)" }.joined(separator: "\n")
      let flags = Self.flags(try Self.guess("id,year\n\(rows)\n"))
      #expect(flags.contains("section=year"))
      #expect(flags.contains("sectionOrder=value") == order)
    }
  }

  @Test func truncatedSampleIsRead() throws {
    let rows = (0..<100).map { "\($0),2,3" }
    let text = "id,width,height\n" + rows.joined(separator: "\n") + "\n100,3,\"4"
    let sample = try TextSample(Array(text.utf8), isWhole: false)
    #expect(sample.recordCount == 100)
    #expect(FieldGuess(sample).options.fields.key == "id")
    #expect(throws: ImportError.self) { try TextSample([], isWhole: true) }
  }

  /// A guess of any text is one that the reader accepts, or finds problems with: it never traps.
  @Test func guessOfRandomTextIsUsable() throws {
    var random = SeededGenerator(seed: 11)
    let names = [
      "id", "key", "ID", "width", "w", "image_width", "height", "h", "created at", "year", "Date",
      "title", "picture", "url", "", "a,b", "x=y", "n:number", "section", "data", "span", "é",
    ]
    let values = [
      "", "1", "2", "-3", "1e400", "2024-02-30", "2024", "1700000000", "https://a.example/x.png",
      "\"a,b\"", "true", "{}", " ", "é", "99999999999999999999",
    ]
    for _ in 0..<300 {
      let columns = names.shuffled(using: &random).prefix(Int.random(in: 1...6, using: &random))
      var lines = [columns.map { $0.contains(",") ? "\"\($0)\"" : $0 }.joined(separator: ",")]
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        lines.append(
          columns.map { _ in values.randomElement(using: &random) ?? "" }.joined(separator: ","))
      }
      let text = lines.joined(separator: "\n") + "\n"
      guard let guess = try? Self.guess(text) else { continue }
      let reading = try Reading(text, .csv, fields: guess.options.fields)
      #expect(reading.error == nil, "\(text)\n\(guess.choices)")
      #expect(reading.events.count <= lines.count - 1)
    }
  }
}

@Suite struct DerivedFieldTests {
  @Test func partsOfDates() {
    for (text, day, month, year) in [
      ("2024-03-05", "2024-03-05", "2024-03", "2024"),
      ("2024-03-05T23:59:59.9+02:00", "2024-03-05", "2024-03", "2024"),
      ("2024/3/05", nil, nil, nil), ("2024:05:19 10:00:00", "2024-05-19", "2024-05", "2024"),
      ("1700000000.25", "2023-11-14", "2023-11", "2023"), ("1700000000.", nil, nil, nil),
      ("2024/03/05 10:00", "2024-03-05", "2024-03", "2024"),
      ("20240305", "2024-03-05", "2024-03", "2024"), ("2024-03", nil, "2024-03", "2024"),
      ("2024", nil, nil, "2024"), ("1700000000", "2023-11-14", "2023-11", "2023"),
      ("1700000000000", "2023-11-14", "2023-11", "2023"), ("2024-13-01", nil, nil, nil),
      ("2024-00-01", nil, nil, nil), ("2024-01-32", nil, nil, nil), ("5/3/2024", nil, nil, nil),
      ("", nil, nil, nil), ("0000", nil, nil, nil), ("2024-03-05x", nil, nil, nil),
    ] as [(String, String?, String?, String?)] {
      #expect(DatePart.day.key(of: text) == day, "\(text)")
      #expect(DatePart.month.key(of: text) == month, "\(text)")
      #expect(DatePart.year.key(of: text) == year, "\(text)")
    }
  }

  @Test(arguments: [TextFormat.csv, .ndjson]) func sectionIsThePartOfADate(format: TextFormat)
    throws
  {
    let text =
      format == .csv
      ? "key,width,height,made\na,1,1,2024-03-05\nb,1,1,\nc,1,1,soon\n"
      : """
      {"key":"a","width":1,"height":1,"made":"2024-03-05"}
      {"key":"b","width":1,"height":1,"made":null}
      {"key":"c","width":1,"height":1,"made":"soon"}
      """
    let reading = try Reading(text, format, fields: FieldNames(section: .required("made:month")))
    #expect(reading.records.map(\.section) == ["2024-03", nil])
    #expect(reading.problems.map(\.message) == [#"made is not a date: "soon""#])
  }

  @Test func existingColumnsComeFirst() throws {
    let text = "#row,320,a:number,s:day,key,width,height\nr,5,x,t,k,1,1\n"
    let fields = FieldNames(
      key: "#row", width: "320", height: "400", section: .required("s:day"),
      data: .members(["a:number"]))
    let record = try #require(try Reading(text, .csv, fields: fields).records.first)
    #expect(record.key == "r" && record.width == 5 && record.height == 400)
    #expect(record.section == "t" && record.data == #"{"a:number":"x"}"#)
  }

  @Test func membersHaveNamesAndTypes() throws {
    let data = FieldNames.DataFields.members([
      "title=name", "price:number", "sold=out:boolean", "more:json", "name",
    ])
    let text = """
      key,width,height,name,price,out,more
      a,1,1,Ball, 1.50 ,TRUE,"{""x"":[1]}"
      b,1,1,,,,
      c,1,1,x,1.x,0,
      d,1,1,x,1,maybe,
      e,1,1,x,1,0,"1,""y"":2"
      """
    let reading = try Reading(text, .csv, fields: FieldNames(data: data))
    #expect(
      reading.records.map(\.data) == [
        #"{"title":"Ball","price":1.50,"sold":true,"more":{"x":[1]},"name":"Ball"}"#, nil,
      ])
    #expect(reading.problems.map(\.code) == [.notANumber, .notABoolean, .malformedJSON])
    let lines = """
      {"key":"a","width":1,"height":1,"name":"Ball","price":"1.5","out":false,"more":"[1]"}
      {"key":"b","width":1,"height":1,"name":7,"price":2,"out":"1","more":{"a":1}}
      {"key":"c","width":1,"height":1,"price":"x"}
      """
    let objects = try Reading(lines, .ndjson, fields: FieldNames(data: data))
    #expect(
      objects.records.map(\.data) == [
        #"{"title":"Ball","price":1.5,"sold":false,"more":[1],"name":"Ball"}"#,
        #"{"title":7,"price":2,"sold":true,"more":{"a":1},"name":7}"#,
      ])
    #expect(objects.problems.map(\.code) == [.notANumber])
  }
}
