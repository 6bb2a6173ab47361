import LayoutCache

let cache = try LayoutCache(path: "feeds.sqlite")
