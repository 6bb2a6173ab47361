// The scroll position in terms of visible items, so that it can be restored after a commit, a
// reload, or in another layout.

import { SectionTable } from './sections.js';
import { UNITS, toUnits } from './units.js';

/** The number of items to remember: those deleted in the meantime are skipped. */
const ANCHOR_COUNT = 12;

/**
 * The items that determine the scroll position: first the visible items that begin in the
 * visible range, then those that only extend into it.
 *
 * @returns {{id: string, key: string, offset: number}[]} the items, with their offsets from
 *   the visible start, in units
 */
export function anchors(store, position, visible) {
  const cells = store.within(position, position + visible)
    .filter(({ category, hidden }) => category === 'cell' && !hidden);
  const rank = ({ start }) => (start >= position ? 0 : 1);
  return cells.sort((a, b) => rank(a) - rank(b) || a.start - b.start || a.cross - b.cross)
    .slice(0, ANCHOR_COUNT)
    .map(({ id, key, start }) => ({ id, key, offset: start - position }));
}

/**
 * The distance by which the visible content of a feed moves with the next store, in units: that
 * of the end, if the feed keeps it and it is in sight; of the feed's `anchor`, if it has one; of
 * the first anchor in both; else that of the nearest element in both.
 *
 * @returns {{distance: number, isSure: boolean} | undefined} undefined if no element is in
 *   both, or the anchor is not in `to`
 */
export function movement({ store: from, view, anchor, options }, to) {
  const { position, visible, end } = view;
  if (options.anchor === 'end' && position > end - UNITS) {
    return { distance: Math.max(0, to.length - visible) - position, isSure: true };
  }
  if (anchor) {
    const after = to.elements.get(anchor.id);
    return after && { distance: after.start - anchor.offset - position, isSure: true };
  }
  for (const { id } of anchors(from, position, visible)) {
    const after = to.elements.get(id);
    if (after) return { distance: after.start - from.elements.get(id).start, isSure: true };
  }
  let nearest;
  for (const [id, before] of from.elements) {
    const after = before.category === 'cell' && to.elements.get(id);
    const gap = Math.abs(before.start - position);
    if (after && !(nearest?.gap <= gap)) nearest = { gap, distance: after.start - before.start };
  }
  return nearest && { distance: nearest.distance, isSure: false };
}

/** The members of `history.state`: each open feed of a page has its own. */
export const memories = {
  used: new Set(),
  take(number = 1) {
    const name = number === 1 ? 'layoutcache' : `layoutcache ${number}`;
    return this.used.has(name) ? this.take(number + 1) : this.used.add(name) && name;
  },
  release(name) { this.used.delete(name); },
};

/** The scroll position as saved in a history entry. */
export function remembered(feed) {
  const { position, visible } = feed.view;
  const section = feed.sections.at(position);
  return {
    dataset: feed.dataset, layout: feed.layout, shown: feed.shown.join('&'),
    revision: feed.store.revision, position,
    anchors: anchors(feed.store, position, visible).map(({ key, offset }) => ({ key, offset })),
    section: section
      && { index: section.index, key: section.key, offset: position - section.start },
    carousels: [...feed.carousels.offsets],
  };
}

/**
 * The current position of a saved one, in units: relative to the first of its items that
 * still exists, else to its section's start, else unchanged; the beginning of another layout.
 */
export async function found(place, feed) {
  for (const { key, offset } of place.anchors ?? []) {
    const item = await feed.item(key);
    if (item) return feed.axis.place(item.frame, feed.store.length).start - offset;
  }
  const page = place.section && await feed.service.json(
    `${SectionTable.path(feed, 1)}&from=${place.section.index}`);
  const row = page?.sections[0];
  if (row?.sectionKey === place.section?.key && row) {
    return toUnits(row.start) + Math.min(place.section.offset, toUnits(row.length));
  }
  return place.layout === feed.layout ? place.position : 0;
}

/**
 * The position at which a range is in view, in units; undefined if it is already.
 *
 * @param {{start: number, length: number}} range
 * @param {'start' | 'center' | 'nearest'} align
 */
export function aligned({ start, length }, align, { store, view: { position, visible } }) {
  if (align === 'center') return start - Math.max(0, Math.floor((visible - length) / 2));
  // Pinned headers cover the beginning.
  const pinned = [...store.pins.values()].filter(({ kind }) => kind === 'header')
    .map((header) => header.length);
  const margin = Math.min(
    store.pinnedLength('layoutHeader') + Math.max(0, ...pinned), visible / 4);
  if (align === 'start' || start < position + margin) return start - margin;
  return start + length <= position + visible
    ? undefined : Math.min(start - margin, start + length - visible);
}
