import ArgumentParser
import TextFormats

/// A layout's configuration as flags: one for each member of the JSON object that a
/// configuration file holds.
///
/// The flags are turned into that JSON, so both ways meet the same refusals.
struct ConfigurationFlags: ParsableArguments {
  // Titles of groups in groups are not printed: all groups stand side by side here.
  @OptionGroup(title: "Configuration without a file") var container: ContainerFlags
  @OptionGroup(title: "Its sections") var section: SectionFlags
  @OptionGroup(title: "Of the kinds waterfall and grid") var columns: ColumnFlags
  @OptionGroup(title: "Of the kind waterfall") var waterfall: WaterfallFlags
  @OptionGroup(title: "Of the kind flow (circle: --item-size)") var flow: FlowFlags
  @OptionGroup(title: "Of the kind justified") var justified: JustifiedFlags

  /// Whether any flag is given.
  var areGiven: Bool { text != Self.textWithoutFlags }

  private static let textWithoutFlags = #"{"container":{},"section":{}}"#

  /// The configuration's JSON text.
  var text: String {
    var json = JSONWriter()
    json.beginObject()
    container.write(to: &json)
    json.member("section")
    json.beginObject()
    section.write(to: &json)
    columns.write(to: &json)
    waterfall.write(to: &json)
    flow.write(to: &json)
    justified.write(to: &json)
    json.endObject()
    json.endObject()
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
