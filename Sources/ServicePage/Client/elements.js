// The cache of a layout at one revision: elements by key, and the ranges of the main axis that
// are completely cached. A commit shifts and drops elements according to its invalidation
// context.

import { Intervals } from './intervals.js';
import { toUnits } from './units.js';

/** The least z-index of pinning headers and footers: those of sections under the layout's. */
const PINNED = 2_147_483_646;
const RANKS = { decoration: 0, header: 1, layoutHeader: 1, cell: 2, footer: 3 };
const AFTER_CELLS = 2.5;
const OPPOSITE = {
  header: 'footer', footer: 'header', layoutHeader: 'layoutFooter', layoutFooter: 'layoutHeader',
};

/**
 * The order of elements in an answer: section, background, header, cells, footer; the layout's
 * background and header before the sections, and its footer after them.
 */
export function inOrder(a, b) {
  return a.order - b.order || a.rank - b.rank || (a.item ?? 0) - (b.item ?? 0);
}

function kindsOf(change) {
  return [...change?.supplementaryElements ?? [], ...change?.decorationElements ?? []];
}

export class ElementStore {
  constructor(axis) {
    this.axis = axis;
    this.revision = null;
    this.incarnation = null;
    this.length = 0;
    this.breadth = 0;
    this.elements = new Map();
    this.pins = new Map();
    this.held = new Intervals();
  }

  clone() {
    const copy = Object.assign(new ElementStore(this.axis), this);
    copy.elements = new Map(this.elements);
    copy.pins = new Map(this.pins);
    copy.held = new Intervals(this.held.ranges);
    return copy;
  }

  static cellID(key) {
    return `cell ${key}`;
  }

  cell(key) {
    return this.elements.get(ElementStore.cellID(key));
  }

  /** Whether a page belongs to the cached state, or the cache is empty. */
  agrees(page) {
    if (this.revision === null) return true;
    return page.revision === this.revision
      && (this.incarnation === null || page.incarnation === this.incarnation);
  }

  forget() {
    this.elements.clear();
    this.pins.clear();
    this.held = new Intervals();
  }

  /** Stores an answer, which contains all elements in a range of the main axis. */
  merge(page, start, end) {
    this.revision = page.revision;
    this.incarnation = page.incarnation;
    this.length = toUnits(this.axis.main(page.contentSize));
    this.breadth = toUnits(this.axis.cross(page.contentSize));
    for (const [id, element] of this.elements) {
      if (element.start < end && element.start + element.length > start) this.elements.delete(id);
    }
    // Elements of cells, and those of a section's end, follow its cells in an answer.
    let section = null;
    for (const each of page.elements) {
      if (each.category === 'cell') section = each.section;
      const element = this.element(each, section === each.section);
      (element.isPinned ? this.pins : this.elements).set(element.id, element);
    }
    this.held.add(start, end);
  }

  element(each, isAfterCells) {
    const isPinned = each.category === 'supplementary' && Object.hasOwn(OPPOSITE, each.kind)
      && each.zIndex >= PINNED;
    const id = each.category === 'cell'
      ? ElementStore.cellID(each.key)
      : [each.category, each.kind, each.section, each.item]
        .filter((part) => part !== undefined).join(' ');
    return {
      ...each, id, isPinned, order: each.section ?? (each.kind === 'layoutFooter' ? Infinity : -1),
      ...this.axis.place(each.frame, this.length),
      rank: isAfterCells && each.category !== 'cell' && each.kind !== 'footer'
        ? AFTER_CELLS : RANKS[each.category] ?? RANKS[each.kind] ?? RANKS.header,
    };
  }

  /** The elements that intersect a range, except pinning ones, in order. */
  within(start, end) {
    const found = [];
    for (const element of this.elements.values()) {
      if (element.start < end && element.start + element.length > start) found.push(element);
    }
    return found.sort(inOrder);
  }

  /** The length that a pinning element of the layout takes from the visible range. */
  pinnedLength(kind) {
    return this.pins.get(`supplementary ${kind}`)?.length ?? 0;
  }

  /**
   * The pinning headers and footers of a range, with the range in which each may be, and its
   * distance from the visible end that it pins to.
   */
  pinRanges(sections, start, end) {
    const found = [];
    const whole = { start: 0, length: this.length };
    for (const element of this.pins.values()) {
      const isOfLayout = element.section === undefined;
      const row = isOfLayout ? whole : sections.get(element.section);
      if (!row || row.start >= end || row.start + row.length <= start) continue;
      const isHeader = /header$/i.test(element.kind);
      const other = this.pins.get(element.id.replace(element.kind, OPPOSITE[element.kind]));
      const room = other?.length ?? 0;
      found.push({
        element,
        inset: isOfLayout ? 0 : this.pinnedLength(isHeader ? 'layoutHeader' : 'layoutFooter'),
        start: row.start + (isHeader ? 0 : room),
        end: row.start + row.length - (isHeader ? room : 0),
      });
    }
    return found;
  }

  /**
   * Applies a commit: unaffected elements are kept, and shifted if they follow the change.
   *
   * @param {object} commit the commit from the service
   * @param {string} layout
   * @param {SectionTable} sections the sections before the commit
   * @returns {{touched: (number[] | undefined), growth: number}} the affected sections
   *   (undefined: any), and the growth of the content, in units
   */
  apply(commit, layout, sections) {
    const change = commit.layouts.find((each) => each.layout === layout);
    const { updates } = commit;
    this.revision = commit.revision;
    const ofLayout = kindsOf(change);
    // The layout's header moves all sections. Its other elements alone change by a measurement, and
    // without moving they change by request.
    if (!change || change.everything || !updates || updates.everything || updates.sections?.length
      || ofLayout.includes('layoutHeader') || (ofLayout.length
        && (!change.sections.length || !this.axis.main(change.contentSizeAdjustment)))) {
      this.forget();
      this.incarnation = null;
      return { touched: undefined, growth: 0 };
    }
    if (!this.incarnation?.includes(change.incarnation)) this.incarnation = null;
    const growth = toUnits(this.axis.main(change.contentSizeAdjustment));
    this.length += growth;
    if (change.sections.length > 0) this.shift(change.sections, growth, sections);
    for (const { op, key } of updates.items ?? []) {
      const cell = op === 'reload' && this.cell(key);
      // Sizes and texts must be requested again; until then the range counts as missing.
      if (cell) this.held.remove(cell.start, cell.start + cell.length);
    }
    return { touched: change.sections.map(({ section }) => section), growth };
  }

  shift(touched, growth, sections) {
    const from = this.firstTouched(touched);
    const last = Math.max(...touched.map(({ section }) => section));
    const row = sections.get(last);
    const behind = row ? row.start + row.length : Infinity;
    for (const [id, element] of this.elements) {
      if (element.section > last && row) {
        this.elements.set(id, { ...element, start: element.start + growth });
      } else if (element.start >= from) {
        this.elements.delete(id);
        // The layout's footer may have another length, too.
        if (element.section === undefined) this.held.remove(element.start, Infinity);
      }
    }
    this.held.remove(from, behind);
    if (row) this.held.shift(behind, growth);
  }

  /** The lowest affected position: nothing before it moved or was renumbered. */
  firstTouched(touched) {
    let from = Infinity;
    for (const change of touched) {
      const { section, items, interval } = change;
      if (interval) from = Math.min(from, toUnits(interval[0]));
      const first = Math.min(...items.map(([index]) => index));
      // Without items and an interval, only elements that were invalidated by their kinds.
      const kinds = interval || items.length ? [] : kindsOf(change);
      for (const element of this.elements.values()) {
        if (element.section === section
          && (element.item >= first || kinds.includes(element.kind))) {
          from = Math.min(from, element.start);
        }
      }
    }
    return from;
  }

  /** Drops elements outside the cached ranges, or far from `start` and `end`. */
  prune(start, end) {
    this.held.remove(-Infinity, start);
    this.held.remove(end, Infinity);
    const { ranges } = this.held;
    for (const [id, element] of this.elements) {
      const isHeld = ranges.some(([low, high]) =>
        element.start < high && element.start + Math.max(1, element.length) > low);
      if (!isHeld) this.elements.delete(id);
    }
  }
}
