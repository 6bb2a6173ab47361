// The positions of a section's columns, derived from the layout's configuration.

import { optionsOf } from './options.js';
import { toPoints, toUnits } from './units.js';

const COLUMNS_DEFAULT = 2;
const COLUMNS_MOST = 256;

/**
 * The columns of a section across the layout, in units: `[start, end)` each; empty for kinds
 * without columns.
 *
 * @param {{key?: string, style?: string}} section
 */
export function columnEdges(configuration, section, breadth) {
  const options = optionsOf(configuration, toPoints(breadth), section);
  if (!['waterfall', 'grid'].includes(options.kind ?? 'waterfall')) return [];
  const isHorizontal = configuration.scrollDirection === 'horizontal';
  const inset = options.inset ?? {};
  const leading = toUnits((isHorizontal ? inset.top : inset.left) ?? 0);
  const trailing = toUnits((isHorizontal ? inset.bottom : inset.right) ?? 0);
  const spacing = toUnits(options.columnSpacing ?? 0);
  const room = breadth - leading - trailing;
  const least = toUnits(options.minimumColumnWidth ?? 0);
  const fitting = least > 0 ? Math.floor((room + spacing) / (least + spacing)) : COLUMNS_DEFAULT;
  const count = options.columns ?? Math.min(Math.max(1, fitting), COLUMNS_MOST);
  const total = room - (count - 1) * spacing;
  const edges = [];
  for (let column = 0; column < count; column++) {
    const start = leading + Math.floor((column * total) / count) + column * spacing;
    const end = leading + Math.floor(((column + 1) * total) / count) + column * spacing;
    const isMirrored = !isHorizontal && configuration.layoutDirection === 'rightToLeft';
    edges.push(isMirrored ? [breadth - end, breadth - start] : [start, end]);
  }
  return edges;
}
