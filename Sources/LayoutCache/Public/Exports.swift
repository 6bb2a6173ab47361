// Configurations, attributes and lengths are words of the library's own calls: whoever
// imports it has them.

@_exported public import CollectionLayout
@_exported public import LayoutGeometry
