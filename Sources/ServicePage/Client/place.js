// The reader's place: which items are in sight and where, so that it can be found again
// after a commit, a reload, or in another layout.

import { Service } from './service.js';
import { toUnits } from './units.js';

/** How many items are remembered: those deleted meanwhile are passed over. */
const ANCHOR_COUNT = 12;

/**
 * The items that hold the reader's place, the first in sight first: those that begin there,
 * then those that only reach into it.
 *
 * @returns {{id: string, key: string, offset: number}[]} with what lies between the visible
 *   start and theirs, in units
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
 * How far the reader's content has moved from one store to the next, in units: by the first
 * anchor that is in both; else by the nearest element to the position that is.
 *
 * @returns {{distance: number, isSure: boolean} | undefined} undefined where nothing is in both
 */
export function movement(from, to, position, visible) {
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

/** What a history entry keeps of a place. */
export function remembered(feed) {
  const { position, visible } = feed.view;
  const section = feed.sections.at(position);
  return {
    dataset: feed.dataset, layout: feed.layout, revision: feed.store.revision, position,
    anchors: anchors(feed.store, position, visible).map(({ key, offset }) => ({ key, offset })),
    section: section
      && { index: section.index, key: section.key, offset: position - section.start },
  };
}

/**
 * Where a remembered place is now, in units: by the first of its items that is still there,
 * else from its section's start, else where it was.
 */
export async function found(place, feed) {
  for (const { key, offset } of place.anchors ?? []) {
    const item = await feed.item(key);
    if (item) return feed.axis.place(item.frame, feed.store.length).start - offset;
  }
  const page = place.section && await feed.service.json(
    `${Service.path(feed.dataset, 'sections')}?layout=${encodeURIComponent(feed.layout)}`
    + `&from=${place.section.index}&count=1`);
  const row = page?.sections[0];
  if (row?.sectionKey === place.section?.key && row) {
    return toUnits(row.start) + Math.min(place.section.offset, toUnits(row.length));
  }
  return place.position ?? 0;
}
