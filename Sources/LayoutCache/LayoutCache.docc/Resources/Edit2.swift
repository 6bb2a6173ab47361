import LayoutCache

let revision = try cache.read(phone) { snapshot in snapshot.revision }
let commit = try cache.update(
  "news", with: [.resize(key: "a", size: Size(width: 4, height: 6))], visible: screen)
for change in commit.layouts {
  for section in change.context.sections {
    // On the phone, column 0 from this position on.
    redraw(change.layout, columns: section.columns, below: section.contentInterval?.lowerBound)
  }
}
