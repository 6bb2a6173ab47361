import LayoutCache

let revision = try cache.read(phone) { snapshot in snapshot.revision }
let commit = try cache.update(
  "news", with: [.resize(key: "a", size: Size(width: 4, height: 6))], visible: screen)
