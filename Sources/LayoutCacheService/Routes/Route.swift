import HTTPTypes
import Hummingbird
import TextFormats

/// The time that a request of a route may take, which begins with its handler.
enum RequestBudget: Sendable {
  /// The body and each piece of the answer take at most ``ServiceTimeouts/answer``.
  case answer
  /// As long as the client keeps a minimum rate: see ``TransferPace``.
  case transfer
  /// As long as the client takes each event within ``ServiceTimeouts/answer``.
  case stream
}

/// A path and a method that the service answers, with the handler.
struct Route: Sendable {
  typealias Handler = @Sendable (ServiceRequest) async throws -> Response

  let method: HTTPRequest.Method
  /// The path, with the names of its variable parts in braces.
  let path: String
  let access: Access
  let budget: RequestBudget
  /// The allowed query parameters.
  var query: Set<QueryParameter> = []
  /// Parameters that may repeat.
  var repeated: Set<QueryParameter> = []
  /// Whether a cluster node must have a replica of the dataset named in the path.
  let wantsDatasetHere: Bool
  /// Whether the request must name one of the service's hosts.
  let checksHost: Bool
  let handler: Handler
  /// Whether an answer may have positions in a layout, and so takes a `direction`.
  let answersGeometry: Bool
  /// Whether the answer may be of a view of the dataset.
  var takesView: Bool { query.contains(.where) }
  /// Whether it has side effects.
  var isChange: Bool { access == .write || access == .measure }
  /// Whether a read only describes the layout in its path.
  let describesLayout: Bool
  /// Whether a token for a part of a dataset permits it: the answer is of that part alone.
  let isScoped: Bool

  init(
    _ method: HTTPRequest.Method, _ path: String, _ access: Access,
    budget: RequestBudget = .answer, query: Set<QueryParameter> = [],
    repeated: Set<QueryParameter> = [],
    scoped: Bool = false, wantsDatasetHere: Bool = true,
    checksHost: Bool = true, _ handler: @escaping Handler
  ) {
    (self.method, self.path) = (method, path)
    (self.access, self.budget) = (access, budget)
    describesLayout = path.hasSuffix("/{layout}") || path.hasSuffix("/history")
    answersGeometry =
      query.contains(.layout)
      || access == .read && path.contains("{layout}/") && !describesLayout
    self.query = query.union(repeated).union(answersGeometry ? [.direction] : [])
    self.repeated = repeated
    isScoped = scoped
    (self.wantsDatasetHere, self.checksHost, self.handler) = (wantsDatasetHere, checksHost, handler)
  }

  /// Returns the names of the layouts that a request states.
  func layouts(in path: [String: String], _ query: QueryItems) -> [String] {
    // The `to` of a change is a revision or a dataset.
    let parameters: [QueryParameter] = isChange ? [.layout] : [.layout, .to]
    return ([path["layout"]] + parameters.filter(self.query.contains).map { query[$0] })
      .compactMap(\.self)
  }
}

/// The routes of the service. A test compares them with `openapi.json`.
enum Routes {
  static let all: [Route] =
    pages + health + datasets + items + layouts + views + templates + queries + interaction

  static let health: [Route] = [
    Route(.get, "/healthz", .open, checksHost: false, Health.live),
    Route(.get, "/readyz", .open, checksHost: false, Health.ready),
    Route(.get, "/metrics", .open, Health.metrics),
  ]

  private static let pages: [Route] = [
    Route(.get, "/", .open, Pages.inspector),
    Route(.get, "/client.js", .open, Pages.client),
    Route(.get, "/client.d.ts", .open, Pages.clientTypes),
    Route(.get, "/page/{name}", .open, Pages.part),
    Route(.get, "/openapi.json", .open, Pages.openAPI),
    Route(.get, "/problems", .open, Pages.problems),
  ]

  private static let datasets: [Route] = [
    Route(.get, "/v1/datasets", .read, query: [.limit, .after], Datasets.list),
    Route(.get, "/v1/datasets/{dataset}", .read, Datasets.show),
    Route(.put, "/v1/datasets/{dataset}", .write, query: [.expect], Datasets.create),
    Route(
      .delete, "/v1/datasets/{dataset}", .write, query: [.expect], wantsDatasetHere: false,
      Datasets.remove),
    Route(.get, "/v1/datasets/{dataset}/log", .read, query: [.limit, .after], Log.list),
    Route(
      .post, "/v1/datasets/{dataset}/rename", .write, query: [.to, .expect],
      wantsDatasetHere: false,
      Datasets.rename),
  ]

  private static let items: [Route] = [
    Route(
      .post, "/v1/datasets/{dataset}/import", .write, budget: .transfer,
      query: Set(ImportOption.allCases.map { QueryParameter($0) })
        .union([.mode, .format, .onInvalid, .onDuplicate, .id, .allowEmpty, .missing]),
      Imports.start),
    Route(
      .get, "/v1/datasets/{dataset}/imports/{id}", .read, budget: .stream, wantsDatasetHere: false,
      Imports.show),
    Route(
      .get, "/v1/datasets/{dataset}/export", .read, budget: .transfer,
      query: [.format, .data, .preferredLengths],
      Exports.export),
    Route(
      .get, "/v1/datasets/{dataset}/sections", .read,
      query: [.layout, .limit, .after, .from, .count, .at, .where, .order, .view],
      repeated: [.offset], scoped: true,
      Sections.list),
    Route(
      .get, "/v1/datasets/{dataset}/items", .read,
      query: [.key, .layout, .anchor, .at, .where, .order, .view],
      repeated: [.offset], scoped: true, Items.show),
    Route(
      .get, "/v1/datasets/{dataset}/items/{key}", .read,
      query: [.layout, .anchor, .at, .where, .order, .view],
      repeated: [.offset], scoped: true, Items.show),
    Route(
      .post, "/v1/datasets/{dataset}/batches", .write,
      query: [.visible, .anchor, .layout, .expect, .where, .order, .view], Batches.commit),
    Route(
      .post, "/v1/datasets/{dataset}/undo", .write,
      query: [.visible, .anchor, .layout, .expect, .to, .where, .order, .view], Batches.undo),
  ]

  private static let layouts: [Route] = [
    Route(
      .get, "/v1/datasets/{dataset}/layouts", .read, query: [.limit, .after], Layouts.list),
    Route(.get, "/v1/datasets/{dataset}/layouts/{layout}", .read, Layouts.show),
    Route(.put, "/v1/datasets/{dataset}/layouts/{layout}", .write, Layouts.set),
    Route(.delete, "/v1/datasets/{dataset}/layouts/{layout}", .write, Layouts.remove),
    Route(.get, "/v1/datasets/{dataset}/layouts/{layout}/history", .read, Layouts.history),
    Route(
      .post, "/v1/datasets/{dataset}/layouts/{layout}/previous", .write,
      Layouts.restorePrevious),
    Route(.post, "/v1/datasets/{dataset}/layouts/{layout}/prepare", .write, Layouts.prepare),
    Route(
      .post, "/v1/datasets/{dataset}/layouts/{layout}/rebalance", .write,
      query: [.section, .from], Layouts.rebalance),
    Route(
      .post, "/v1/datasets/{dataset}/layouts/{layout}/lengths", .measure, scoped: true,
      Lengths.take),
  ]

  private static let views: [Route] = [
    Route(.get, "/v1/datasets/{dataset}/views", .read, query: [.limit, .after], Views.list),
    Route(.get, "/v1/datasets/{dataset}/views/{view}", .read, Views.show),
    Route(.put, "/v1/datasets/{dataset}/views/{view}", .write, Views.set),
    Route(.delete, "/v1/datasets/{dataset}/views/{view}", .write, Views.remove),
  ]

  private static let templates: [Route] = [
    Route(.get, "/v1/templates", .read, query: [.limit, .after], Templates.list),
    Route(.get, "/v1/templates/{template}", .read, Templates.show),
    Route(.put, "/v1/templates/{template}", .write, Templates.set),
    Route(.delete, "/v1/templates/{template}", .write, Templates.remove),
  ]

  private static let queries: [Route] = [
    Route(
      .get, "/v1/datasets/{dataset}/layouts/{layout}/elements", .read,
      query: [
        .visible, .asLaidOut, .limit, .from, .count, .backward, .after, .at, .data,
        .since,
        .where, .order, .view,
      ], repeated: [.rect, .offset], scoped: true,
      Elements.query),
    Route(
      .post, "/v1/datasets/{dataset}/layouts/{layout}/elements", .read,
      query: [
        .visible, .anchor, .asLaidOut, .limit, .from, .count, .backward, .after, .data,
      ], repeated: [.rect, .offset],
      Elements.preview),
    Route(
      .get, "/v1/datasets/{dataset}/layouts/{layout}/hit-test", .read,
      query: [.point, .visible, .at, .where, .order, .view], repeated: [.offset], scoped: true,
      Elements.topmost),
    Route(
      .get, "/v1/datasets/{dataset}/events", .read, budget: .stream,
      query: [.layout, .since, .wait, .incarnation, .where, .order, .view], scoped: true,
      Events.follow),
  ]

  private static let interaction: [Route] = [
    Route(
      .get, "/v1/datasets/{dataset}/layouts/{layout}/transition", .read,
      query: [.rect, .finalRect, .since, .to, .where, .order, .view],
      repeated: [.offset, .finalOffset],
      Interaction.transition),
    Route(
      .get, "/v1/datasets/{dataset}/layouts/{layout}/anchor", .read,
      query: [.visible, .anchor, .size, .since, .to, .where, .order, .view], repeated: [.offset],
      Interaction.anchor),
    Route(
      .get, "/v1/datasets/{dataset}/layouts/{layout}/target-offset", .read,
      query: [.offset, .from, .velocity, .size, .section, .at, .where, .order, .view],
      Interaction.targetOffset
    ),
    Route(
      .get, "/v1/datasets/{dataset}/layouts/{layout}/movement", .read,
      query: [.point, .current, .rect, .visible, .at], repeated: [.key, .offset],
      Interaction.movement),
  ]
}
