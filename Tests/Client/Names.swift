import Foundation
import LayoutCache

/// The public types that users name, with Foundation in scope and one import of the library. If a
/// type clashes, or is no longer public, this file does not compile.
let names: [Any.Type] = [
  // Geometry
  Axis.self, EdgeInsets.self, Length.self, LimitError.self, LimitError.Code.self,
  LimitError.Subject.self, Limits.self, Point.self, Rect.self, Size.self, Transform.self,
  Transform3D.self,
  // Configurations
  ConfigurationError.self, ConfigurationError.Code.self, ConfigurationText.self,
  ConfigurationValue.self, Effect.self, LayoutConfiguration.self,
  LayoutConfiguration.Container.self, LayoutConfiguration.LayoutDirection.self,
  SectionKind.self, SectionOptions.self, SectionOptions.Assignment.self,
  SectionOptions.Background.self, SectionOptions.Badge.self, SectionOptions.Badge.Anchor.self,
  SectionOptions.CrossAlignment.self, SectionOptions.Decoration.self,
  SectionOptions.Decoration.Place.self, SectionOptions.Decorator.self,
  SectionOptions.ItemLength.self, SectionOptions.ItemSize.self, SectionOptions.LastRow.self,
  SectionOptions.LineAlignment.self, SectionOptions.RowLength.self, SectionOptions.Ties.self,
  SectionOptions.Supplementary.self,
  // Custom kinds
  (any SectionLayout).self, (any SectionDecorator).self, DecoratedSection.self, ItemContext.self,
  ItemPlacement.self, ItemDependencies.self, LayoutItem.self, CustomElement.self,
  CustomElement.Kind.self, PlacedItem.self, SectionSpace.self, SectionPreview.self,
  // Elements and their changes
  InvalidationContext.self, LayoutAttributes.self, LayoutAttributes.Category.self,
  LayoutAttributes.IndexPath.self, LayoutAttributes.SupplementaryKind.self, LayoutWork.self,
  SectionChange.self, SectionInvalidation.self,
  // The database
  DatabaseInspection.self, DatasetDescription.self, DatasetInspection.self, Freshness.self,
  LayoutCache.self, LayoutCacheError.self, LayoutCacheError.Category.self,
  LayoutCacheError.Code.self, LayoutCacheOptions.self, LayoutCacheOptions.Durability.self,
  LayoutDefinition.self, LayoutDescription.self, LayoutID.self, LayoutInspection.self,
  LayoutRefusal.self,
  SectionDescription.self, SectionExtent.self,
  SectionInspection.self, TreeInspection.self, VerificationReport.self,
  VerificationReport.Problem.self,
  // Imports, changes and queries
  BatchOperation.self, Commit.self, Commit.LayoutChange.self, Continuation.self, DuplicateKey.self,
  ElementsPage.self, ElementsQuery.self, ImportMode.self, ImportSummary.self, Item.self,
  ItemDestination.self, ItemVisibility.self,
  ItemReference.self, LayoutSnapshot.self, Prefetch.self, PrefetchDirection.self, Preparation.self,
  QueryWork.self, BatchError.self, UpdatedLayouts.self,
]
