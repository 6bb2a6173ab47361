// The positions of a section's columns, derived from the layout's configuration.

import { optionsOf } from './options.js';
import { toPoints, toUnits } from './units.js';

const COLUMNS_DEFAULT = 2;
const COLUMNS_MOST = 256;

/** The units of a number of points, or of a fraction of the layout's breadth less `minus`. */
function lengthIn(breadth, value = 0) {
  if (typeof value === 'number') return toUnits(value);
  const share = BigInt(Math.round(value.fraction * 1e9)) * BigInt(breadth) / 1_000_000_000n;
  return Number(share) - toUnits(value.minus ?? 0);
}

/**
 * The columns of a section across the layout, in units: `[start, end)` each; empty for kinds
 * without columns.
 *
 * @param {{key?: string, style?: string}} section
 */
export function columnEdges(configuration, section, breadth, isRightToLeft) {
  const options = optionsOf(configuration, toPoints(breadth), section);
  if (!['waterfall', 'grid'].includes(options.kind ?? 'waterfall')) return [];
  const isHorizontal = configuration.scrollDirection === 'horizontal';
  const inset = options.inset ?? {};
  const leading = lengthIn(breadth, isHorizontal ? inset.top : inset.left);
  const trailing = lengthIn(breadth, isHorizontal ? inset.bottom : inset.right);
  const spacing = lengthIn(breadth, options.columnSpacing);
  const room = breadth - leading - trailing;
  const least = toUnits(options.minimumColumnWidth ?? 0);
  const fitting = least > 0 ? Math.floor((room + spacing) / (least + spacing)) : COLUMNS_DEFAULT;
  const weights = Array.isArray(options.columns) ? options.columns
    : Array(options.columns ?? Math.min(Math.max(1, fitting), COLUMNS_MOST)).fill(1);
  const total = room - (weights.length - 1) * spacing;
  const whole = weights.reduce((sum, weight) => sum + weight);
  const edges = [];
  let before = 0;
  for (const [column, weight] of weights.entries()) {
    const start = leading + Math.floor((before * total) / whole) + column * spacing;
    before += weight;
    const end = leading + Math.floor((before * total) / whole) + column * spacing;
    const isMirrored = !isHorizontal && isRightToLeft;
    edges.push(isMirrored ? [breadth - end, breadth - start] : [start, end]);
  }
  return edges;
}
