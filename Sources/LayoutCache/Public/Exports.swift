// The public API uses configurations, attributes and lengths; importing LayoutCache imports them.

@_exported public import CollectionLayout
@_exported public import LayoutGeometry
