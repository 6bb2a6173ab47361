// The options of sections, resolved as the service does: the defaults, overridden by the
// breakpoint that applies, then by the section's style, then by its key.

/** Members of which options have one at most: an override with either replaces the other. */
const ALTERNATIVES = new Map(
  [['columns', 'minimumColumnWidth'], ['itemSize', 'lineLength']]
    .flatMap(([one, other]) => [[one, other], [other, one]]));

/** The member that a member of an override replaces; undefined for most. */
export const alternative = (member) => ALTERNATIVES.get(member);

/** An entry of a dictionary, whose names may be those of JavaScript's own members. */
const entry = (entries, name) =>
  (name !== undefined && Object.hasOwn(entries ?? {}, name) ? entries[name] : undefined);

/** Whether options state a member, or the one that excludes it. */
export function states(options, member) {
  return [member, alternative(member)].some((name) => (entry(options, name) ?? null) !== null);
}

/** The breakpoint that applies at a length across the scrolling axis; undefined for none. */
export function breakpoint({ breakpoints = [] }, breadth) {
  return breakpoints.findLast(({ from }) => from <= breadth);
}

/** Defaults with a member for each that the options state. */
function overridden(defaults, options = {}) {
  const merged = { ...defaults };
  for (const [member, value] of Object.entries(options)) {
    if (value === null || member === 'from') continue;
    delete merged[alternative(member)];
    merged[member] = value;
  }
  return merged;
}

/**
 * The options of a section in a container.
 *
 * @param {object} configuration
 * @param {number} breadth the container's length across the scrolling axis, in points
 * @param {{key?: string, style?: string}} [section] by default, one without overrides
 */
export function optionsOf(configuration, breadth, { key, style } = {}) {
  return [
    configuration.section, breakpoint(configuration, breadth),
    entry(configuration.styles, style), entry(configuration.sections, key),
  ].reduce(overridden, {});
}
