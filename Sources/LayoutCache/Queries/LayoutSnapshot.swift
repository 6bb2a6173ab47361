import CollectionLayout
public import LayoutGeometry
import LayoutStore
import SumTree
import Synchronization

/// A layout at one revision of its dataset: what every query answers from.
///
/// Lengths are in the layout's content, whose origin is its top left corner.
/// Nodes are read from the file as they are needed and stay in memory.
public final class LayoutSnapshot: Sendable {
  /// The dataset's name.
  public let dataset: String
  /// The layout's name.
  public let layout: String
  /// The dataset's revision.
  public let revision: Int
  /// The number of the dataset's sections.
  public var sectionCount: Int { trees.sections.count }
  /// The number of the dataset's items.
  public var itemCount: Int { trees.items.count }
  /// The size of the content: the container's length across, and the sections'
  /// lengths and gaps along the scrolling axis.
  public let contentSize: Size

  let datasetSpace: NodeSpace
  let resultSpace: NodeSpace
  let trees: DatasetTrees
  let plan: LayoutPlan
  let results: SumTree<SectionResultLeaf>
  /// The content's length along the main axis.
  let mainLength: Length
  private let source: PooledNodes
  private let bytesLoaded = Atomic(0)

  init(
    dataset: DatasetRow, layout: LayoutRow, resultSpace: NodeSpace, trees: DatasetTrees,
    plan: LayoutPlan, results: SumTree<SectionResultLeaf>, source: PooledNodes
  ) {
    self.dataset = dataset.name
    self.layout = layout.name
    self.source = source
    revision = dataset.revision
    datasetSpace = dataset.space
    self.resultSpace = resultSpace
    self.trees = trees
    self.plan = plan
    self.results = results
    mainLength = plan.mainLength(of: results)
    contentSize = plan.space.contentSize(mainLength: mainLength)
  }

  /// Runs one query with a reader of its own, and counts its work.
  func query<R>(_ body: (TreeReader) throws -> R) throws -> (result: R, work: QueryWork) {
    let reader = TreeReader(source)
    defer { bytesLoaded.add(reader.bytesLoaded, ordering: .relaxed) }
    let result = try body(reader)
    return (
      result, QueryWork(nodesVisited: reader.nodesVisited, nodesLoaded: reader.nodesLoaded)
    )
  }

  /// The memory that the snapshot's queries have filled since the last call.
  func takeBytesLoaded() -> Int { bytesLoaded.exchange(0, ordering: .relaxed) }
}

/// What a query cost, counted.
public struct QueryWork: Hashable, Sendable {
  /// The tree nodes looked at.
  public var nodesVisited: Int
  /// Those of them that were read from the file.
  public var nodesLoaded: Int
  /// Those of them that were in memory.
  public var cacheHits: Int { nodesVisited - nodesLoaded }
}
