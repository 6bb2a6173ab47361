import LayoutCache
import LayoutGeometry
import TextFormats

extension JSONWriter {
  mutating func value(_ file: DatabaseInspection, datasets: [DatasetInspection]) {
    beginObject()
    member("database", file.path)
    member("fileBytes", file.fileBytes)
    member("nodes", file.nodeCount)
    member("datasets", of: datasets) { json, dataset in json.value(dataset) }
    endObject()
  }

  mutating func value(_ dataset: DatasetInspection) {
    beginObject()
    member("dataset", dataset.name)
    member("revision", dataset.revision)
    member("sections", dataset.sectionCount)
    member("items", dataset.itemCount)
    member("nodes", dataset.nodeCount)
    member("nodeBytes", dataset.nodeBytes)
    nullableMember("bytesPerItem", dataset.bytesPerItem)
    member("trees", of: dataset.trees) { json, tree in
      json.beginObject()
      json.member("tree", tree.name)
      json.member("elements", tree.elementCount)
      json.member("depth", tree.depth)
      json.endObject()
    }
    member("layouts", of: dataset.layouts) { json, layout in json.value(layout) }
    endObject()
  }

  private mutating func value(_ layout: LayoutInspection) {
    beginObject()
    member("layout", layout.name)
    nullableMember("preparedRevision", layout.preparedRevision)
    member("pendingContexts", layout.pendingContexts)
    if let size = layout.contentSize {
      member("contentSize", size)
    } else {
      member("contentSize")
      null()
    }
    member("depth", layout.tree.depth)
    member("nodes", layout.nodeCount)
    member("nodeBytes", layout.nodeBytes)
    nullableMember("bytesPerItem", layout.bytesPerItem)
    member("sections", of: layout.sections) { json, section in
      json.beginObject()
      json.member("sectionKey", section.key)
      json.member("items", section.itemCount)
      json.member("depth", section.treeDepth)
      json.member("columnEnds", of: section.columnEnds) { $0.value($1.points) }
      json.member("skew", section.skew.points)
      json.endObject()
    }
    endObject()
  }
}
