import Testing

@testable import LayoutCache

/// Comparing a text with the data of items.
@Suite struct SearchTextTests {
  @Test(arguments: [
    (#"{"title":"Water Lilies"}"#, "lilies", true), (#"{"title":"Water Lilies"}"#, "LILIES", true),
    (#"{"title":"Water Lilies"}"#, "title", false), (#"{"title":"Lili"}"#, "lilies", false),
    (#"{"title":"a","by":"Monet"}"#, "monet", true), (#"{"year":1906}"#, "906", true),
    (#"{"size":-1.5e3}"#, "-1.5E3", true), (#"{"isNew":true,"note":null}"#, "u", false),
    (#"{"tags":["oil",{"on":"Canvas"}]}"#, "canvas", true), (#"{"tags":[["x"]]}"#, "oil", false),
    (#"{"title":"\u00c9t\u00e9 \"x\""}"#, "été", true), (#"{"title":"ÉTÉ"}"#, "été", true),
    (#"{"title":"été"}"#, "ete", false), (#"{"title":"\"quoted\": no"}"#, "\"quoted\":", true),
    (#"{"path":"C:\\"}"#, #"c:\"#, true), (#"{"title":"straße 5"}"#, "straße", true),
    (#"{"title":"abc"}"#, "é", false), (#"{"a":"aab"}"#, "ab", true), ("{}", "a", false),
    (#"{"unit":"5 \u212a"}"#, "5 k", true), (#"{"a":""}"#, "a", false),
  ])
  func aTextIsFoundInStringsAndNumbers(json: String, text: String, isFound: Bool) throws {
    #expect(SearchText(text).isIn(try ItemData(json: json)) == isFound)
  }
}
