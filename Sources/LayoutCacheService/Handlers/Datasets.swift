import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutCluster
import TextFormats

/// Handlers for whole datasets.
enum Datasets {
  @Sendable static func list(_ request: ServiceRequest) async throws -> Response {
    if let node = request.service.node { return try await list(request, of: node) }
    let page = try Page(request)
    let (cache, caller) = (request.cache, request.caller)
    let tokens = request.service.tokens
    let prefix = caller.visiblePrefix(tokens)
    let (rows, hasMore) = try await request.blocking {
      () throws -> (rows: [DatasetDescription], hasMore: Bool) in
      guard let prefix else { return ([], false) }
      return try page.collect { after, countMax in
        try cache.datasets(prefix: prefix, after: after, limit: countMax).map(caller.visible)
      } by: {
        $0.name
      }
    }
    return request.json { json in
      json.beginObject()
      json.list("datasets", rows, hasMore: hasMore, next: { $0.name }) {
        $0.value($1, DatasetDescription.fields)
      }
      json.endObject()
    }
  }

  /// Lists the datasets of the shared log. For datasets not on this node only the name is known.
  private static func list(_ request: ServiceRequest, of node: ClusterNode) async throws
    -> Response
  {
    let page = try Page(request)
    let (cache, caller) = (request.cache, request.caller)
    let tokens = request.service.tokens
    let prefix = caller.visiblePrefix(tokens)
    let (rows, hasMore) = try await node.asking {
      () throws -> (rows: [(name: String, isResident: Bool)], hasMore: Bool) in
      guard let prefix else { return ([], false) }
      return try page.collect { after, countMax in
        try node.datasets(prefix: prefix, after: after, countMax: countMax)
      } by: {
        $0.name
      }
    }
    let listing = try await request.blocking {
      // Datasets evicted from the file in the meantime are listed as not resident.
      rows.map { row in (row, row.isResident ? try? caller.visible(cache.dataset(row.name)) : nil) }
    }
    return request.json { json in
      json.beginObject()
      json.list("datasets", listing, hasMore: hasMore, next: { $0.0.name }) { json, listed in
        let (row, description) = listed
        if let description { return json.value(description, DatasetDescription.fields) }
        json.beginObject()
        json.member("dataset", row.name)
        json.endObject()
      }
      json.endObject()
    }
  }

  @Sendable static func show(_ request: ServiceRequest) async throws -> Response {
    let (cache, name) = (request.cache, request.dataset)
    let dataset = try await request.blocking { try request.caller.visible(cache.dataset(name)) }
    var response = request.respond(dataset)
    let mayWrite =
      !cache.isReadOnly && request.caller.may(.write, dataset: name, request.service.tokens)
    response.headers[.access] = mayWrite ? "write" : "read"
    return response
  }

  /// Creates an empty dataset: 201, or 200 if it exists, which then gets the order of the body.
  @Sendable static func create(_ request: ServiceRequest) async throws -> Response {
    let body = try await request.body.collect(bytesMax: DatasetOrder.bytesMax)
    let (cache, name) = (request.cache, request.dataset)
    let expected = try request.expectedRevision()
    let (dataset, isNew) = try await request.deciding {
      let text = try body.text
      let order = try DatasetOrder.stated(json: text)
      var isNew = false
      if let expected {
        // Only an existing dataset has a revision.
        let present = try cache.dataset(name).revision
        if present != expected {
          throw LayoutCacheError(
            .revisionMismatch(expected: expected, present: present, dataset: name))
        }
      } else {
        do {
          try cache.createDataset(name, order: order ?? nil)
          isNew = true
        } catch let error as LayoutCacheError {
          guard case .datasetExists = error.code else { throw error }
        }
      }
      if !isNew, let order { try cache.sortDataset(name, by: order, expecting: expected) }
      let dataset = isNew ? try cache.changedDataset(name) : try cache.dataset(name)
      return (request.caller.visible(dataset), isNew)
    }
    return request.respond(dataset, status: isNew ? .created : .ok)
  }

  @Sendable static func remove(_ request: ServiceRequest) async throws -> Response {
    let (cache, name) = (request.cache, request.dataset)
    let expected = try request.expectedRevision()
    try await request.deciding { try cache.removeDataset(name, expecting: expected) }
    return Response(status: .noContent)
  }

  @Sendable static func rename(_ request: ServiceRequest) async throws -> Response {
    let (cache, name) = (request.cache, request.dataset)
    guard let to = request.query[.to] else {
      throw Problem(.badRequest, "'to' is required: the dataset's new name")
    }
    try request.caller.require(.write, dataset: to, request.service.tokens)
    let expected = try request.expectedRevision()
    let dataset = try await request.deciding {
      try cache.renameDataset(name, to: to, expecting: expected)
      return request.caller.visible(try cache.changedDataset(to))
    }
    return request.respond(dataset)
  }
}

extension LayoutCache {
  /// Returns a dataset that was created or renamed.
  ///
  /// - Throws: ``LayoutCacheError`` with `outcomeUnknown` if it cannot be read, for example because
  ///   another client has already renamed it: the error must not look like that of the change.
  fileprivate func changedDataset(_ name: String) throws -> DatasetDescription {
    do {
      return try dataset(name)
    } catch let error as LayoutCacheError {
      throw LayoutCacheError(
        .outcomeUnknown("the change was made, but the dataset can't be shown: \(error)"))
    }
  }
}

extension ServiceRequest {
  fileprivate func respond(
    _ dataset: DatasetDescription, status: HTTPResponse.Status = .ok
  ) -> Response {
    var response = json(status: status) { $0.value(dataset, DatasetDescription.fields) }
    response.headers[.revision] = String(dataset.revision)
    return response
  }
}
