// A layout of any width follows its scroller: the feed requests the variant that fits, and when
// the window changes it shows the next one with the item in the middle in its place.

import { ElementStore } from './elements.js';
import { Follower } from './follower.js';
import { Loader } from './loader.js';
import { RAIL, replaceScrollBar } from './scrubber.js';
import { SectionTable } from './sections.js';
import { UNITS, toPoints, toUnits } from './units.js';

const RETRY_MS = 1500;
const ATTEMPTS = 5;

/** The layout with a name, or of which it names a variant. */
export function definition(layouts, name) {
  const named = (other) => layouts.find(({ layout }) => layout === other);
  return named(name) ?? named(name.split('@')[0]);
}

/** The sizes of a layout across the scrolling axis; undefined if it has one. */
function sizes({ container, scrollDirection }) {
  return scrollDirection === 'horizontal' ? container.heights : container.widths;
}

export class Fitting {
  /**
   * @param {Feed} feed
   * @param {string} name the layout's name
   * @param {{step: number}} options its sizes
   */
  constructor(feed, name, { step }) {
    Object.assign(this, { feed, name, step: toUnits(step) });
    this.isBusy = false;
  }

  /** The fitting of a feed, unless its layout has one size or the feed names the variant. */
  static of(feed, { layout, configuration }) {
    const found = feed.layout === layout && sizes(configuration);
    return found ? new Fitting(feed, layout, found) : undefined;
  }

  /** The scroller's length across, less the part that something covers, in units. */
  get room() {
    const { scroller, axis, options: { covered = 0 }, rail } = this.feed;
    return toUnits((axis.isHorizontal ? scroller.clientHeight : scroller.clientWidth)
      - (typeof covered === 'function' ? covered() : covered) - (rail ? RAIL : 0));
  }

  /** The name of the variant that fits. */
  get variant() {
    const steps = Math.max(Math.ceil(UNITS / this.step), Math.floor(this.room / this.step));
    return `${this.name}@${toPoints(steps * this.step)}`;
  }

  /** Whether the present variant is not the one that fits. */
  get isOther() { return this.variant !== this.feed.layout; }

  /** Before the window's size is read again: the item in the middle is the one in the old size. */
  resizing() {
    if (this.isOther) this.hold();
  }

  resized() {
    const { feed: { view, store } } = this;
    const cell = this.isOther && this.anchor?.key !== undefined && store.cell(this.anchor.key);
    if (cell) {
      view.moveTo(this.position(this.anchor, cell));
      this.shifted();
    }
    this.shrink();
    this.update();
  }

  /**
   * Until the variant that fits has been laid out, a wider one is scaled down to the room, about
   * the middle.
   */
  shrink() {
    const { room, feed: { axis, store, view, stage } } = this;
    const share = this.isOther ? Math.min(1, room / store.breadth) : 1;
    if (share === 1 && !this.isShrunk) return;
    this.isShrunk = share < 1;
    view.spacer.style[axis.breadth] = `${toPoints(store.breadth * share)}px`;
    const middle = toPoints(view.position + view.visible / 2 - view.base) - stage.origin;
    const origin = axis.isMirrored ? -middle : middle;
    view.plane.style.transformOrigin = axis.isHorizontal ? `${origin}px 0` : `0 ${origin}px`;
    view.plane.style.scale = this.isShrunk ? String(share) : '';
  }

  /** Keeps the middle in its place while the user scrolls. */
  drawn() {
    if (this.isShrunk) this.shrink();
  }

  /** Shows the variant that fits now; of several changes in a row the last one. */
  async update() {
    const { feed } = this;
    if (this.isBusy || !feed.view || !this.isOther) return;
    this.isBusy = true;
    clearTimeout(this.timer);
    try {
      while (!feed.isClosed && this.isOther) await this.show(this.variant);
    } catch (error) {
      feed.fail(error);
      if (error.isPassing) this.timer = setTimeout(() => this.update(), RETRY_MS);
    }
    this.isBusy = false;
    if (!feed.isClosed) feed.follow();
  }

  /** Follows a shift of the content by a commit, which is not the user's scrolling. */
  shifted() {
    if (this.anchor) this.anchor.position = this.feed.view.position;
  }

  close() {
    clearTimeout(this.timer);
  }

  /**
   * The item that stays in place: the one in the middle when the window began to change, until
   * the user scrolls. A new one at each step would drift.
   */
  hold() {
    const { view } = this.feed;
    const { position } = view;
    if (this.anchor && Math.abs(this.anchor.position - position) <= UNITS) return this.anchor;
    this.anchor = { position, ...this.middle() };
    return this.anchor;
  }

  /** The cell nearest to the middle of the visible part, and the part of it at the middle. */
  middle() {
    const { store, view: { position, visible } } = this.feed;
    const at = position + visible / 2;
    const distance = ({ start, length, cross, breadth }) =>
      Math.max(0, start - at, at - start - length) * 4
      + Math.abs(cross + breadth / 2 - store.breadth / 2);
    const cells = store.within(position, position + visible)
      .filter(({ category, hidden }) => category === 'cell' && !hidden);
    const cell = cells.sort((a, b) => distance(a) - distance(b))[0];
    return cell && { key: cell.key, part: (at - cell.start) / Math.max(1, cell.length) };
  }

  /** The position at which a held item is where it was. */
  position({ part }, { start, length }) {
    return Math.round(start + part * length - this.feed.view.visible / 2);
  }

  async show(layout) {
    const { feed } = this;
    const loader = Loader.of(feed, layout);
    for (let attempt = 0; attempt < ATTEMPTS && !feed.isClosed; attempt++) {
      const store = new ElementStore(feed.axis);
      const [first] = await loader.read(store, [[0, UNITS]]);
      store.merge(first, 0, 0);
      store.forget();
      // The first answer may take long: the user may have scrolled.
      const held = this.hold();
      let at = feed.view.end > 0
        ? (feed.view.position / feed.view.end) * Math.max(0, store.length - feed.view.visible) : 0;
      const item = held.key === undefined ? undefined : await feed.item(held.key, layout);
      if (item) at = this.position(held, feed.axis.place(item.frame, store.length));
      if (!await this.load(loader, store, at)) continue;
      const cell = held.key === undefined ? undefined : store.cell(held.key);
      if (cell) at = this.position(held, cell);
      // The window may have changed again: another variant follows.
      if (feed.isClosed) break;
      this.swap(layout, loader, store, at);
      held.position = feed.view.position;
      return;
    }
    loader.close();
  }

  /** Shows another variant at a position. The stream of commits begins later. */
  swap(layout, loader, store, position) {
    const { feed, feed: { view } } = this;
    feed.stream?.close();
    feed.stream = undefined;
    feed.loader.close();
    feed.follower.close();
    Object.assign(feed, { layout, loader, follower: new Follower(feed, store) });
    feed.emit('replacing');
    Object.assign(feed, { store, sections: SectionTable.of(feed), liveTile: undefined });
    feed.stage.forget();
    view.resize(store.length, store.breadth);
    replaceScrollBar(feed);
    this.shrink();
    view.moveTo(position);
    feed.load();
    feed.emit('replaced');
  }

  /** Loads what is visible at a position; returns whether all of it is of one state. */
  async load(loader, store, at) {
    const { feed } = this;
    const { visible } = feed.view;
    const low = Math.min(Math.max(0, at), Math.max(0, store.length - visible));
    for (;;) {
      const tiles = loader.tiles(
        store, [low, Math.min(low + visible, store.length)], low + visible / 2, visible);
      if (tiles.length === 0) return true;
      const pages = await loader.read(store, tiles);
      if (!pages.every((page) => store.agrees(page))) return false;
      pages.forEach((page, index) => store.merge(page, ...tiles[index]));
    }
  }
}
