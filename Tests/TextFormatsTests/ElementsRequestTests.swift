import LayoutCache
import LayoutGeometry
import Testing

@testable import TextFormats

/// The rules by which parameters of a query combine, for the shell and for HTTP.
@Suite struct ElementsRequestTests {
  private static let rect = Rect(x: 0, y: 0, width: 10, height: 10)

  private static func request(
    _ set: (inout ElementsRequest) -> Void
  ) -> ElementsRequest {
    var request = ElementsRequest()
    set(&request)
    return request
  }

  @Test func parametersThatDoNotCombineAreNamed() {
    let cases: [(ElementsRequest, ElementsRequest.Conflict)] = [
      (Self.request { _ in }, .isEmpty), (Self.request { $0.limit = 1 }, .isEmpty),
      (Self.request { $0.count = 1 }, .needs(.count, .from)),
      (Self.request { $0.backward = false }, .needs(.backward, .from)),
      (
        Self.request {
          $0.from = "a"
          $0.rects = [Self.rect]
        }, .cannotCombine(.from, .rect)
      ),
      (
        Self.request {
          $0.from = "a"
          $0.limit = 1
        }, .cannotCombine(.from, .limit)
      ),
      (
        Self.request {
          $0.rects = [Self.rect]
          $0.visible = Self.rect
          $0.asLaidOut = true
        }, .cannotCombine(.asLaidOut, .visible)
      ),
      (
        Self.request {
          $0.since = 1
          $0.others = [.at]
        }, .cannotCombine(.since, .at)
      ),
      (
        Self.request {
          $0.since = 1
          $0.limit = 1
          $0.from = "a"
        }, .cannotCombine(.since, .from)
      ),
    ]
    for (request, conflict) in cases { #expect(throws: conflict) { try request.queries() } }
    #expect(
      ElementsRequest.Conflict.cannotCombine(.from, .rect).description { "--\($0.rawValue)" }
        == "--from cannot be combined with --rect")
  }
}
