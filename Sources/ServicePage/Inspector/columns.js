// The positions of a section's columns, derived from the layout's configuration.

import { toUnits } from './units.js';

/**
 * The columns of a section across the layout, in units: `[start, end)` each; empty for kinds
 * without columns.
 */
export function columnEdges(configuration, sectionKey, breadth) {
  const own = configuration.sections?.[sectionKey] ?? {};
  const section = { ...configuration.section, ...own };
  if (!['waterfall', 'grid'].includes(section.kind ?? 'waterfall')) return [];
  const isHorizontal = configuration.scrollDirection === 'horizontal';
  const inset = section.inset ?? {};
  const leading = toUnits((isHorizontal ? inset.top : inset.left) ?? 0);
  const trailing = toUnits((isHorizontal ? inset.bottom : inset.right) ?? 0);
  const spacing = toUnits(section.columnSpacing ?? 0);
  const room = breadth - leading - trailing;
  const least = toUnits(section.minimumColumnWidth ?? 0);
  const count = section.columns
    ?? Math.max(1, least > 0 ? Math.floor((room + spacing) / (least + spacing)) : 1);
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
