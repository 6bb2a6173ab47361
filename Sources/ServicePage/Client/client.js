// LayoutCache in a page: a virtual list over a layout of any length.
//
//   import { Feed } from '/client.js';
//   const feed = new Feed(document.querySelector('main'), {
//     dataset: 'tate', layout: 'phone',
//     render(node, element) { node.textContent = element.data?.title ?? element.sectionKey; },
//   });
//   await feed.open();
//
// Only visible elements have nodes. Commits by other clients and reloads keep the scroll position
// to 1/64 pixel. No dependencies; the types are in client.d.ts, the guide in docs/CLIENT.md.

import { Carousels } from './page/carousels.js';
import { CommitStream } from './page/events.js';
import { ElementStore } from './page/elements.js';
import { Fitting, definition } from './page/fitting.js';
import { Follower } from './page/follower.js';
import { Loader } from './page/loader.js';
import { aligned, anchors, found, memories, remembered } from './page/place.js';
import { Preview } from './page/preview.js';
import { Scrubber, replaceScrollBar } from './page/scrubber.js';
import { SectionTable } from './page/sections.js';
import { Service, ServiceError } from './page/service.js';
import { Stage } from './page/stage.js';
import { Axis, UNITS, toPoints, toUnits } from './page/units.js';
import { ScrollWindow } from './page/window.js';

export { Scrubber, Service, ServiceError, toPoints, toUnits };

/** The margins around the visible range, drawn and requested, in visible lengths. */
const DRAWN = 0.5;
const AHEAD = 1.5;
const BEHIND = 0.5;

/** The number of visible lengths around the current position that are cached. */
const KEPT = 24;
const REMEMBER_MS = 250;

export class Feed extends EventTarget {
  /**
   * @param {HTMLElement} scroller an element with a definite size; it becomes the scroller
   * @param {object} options see `FeedOptions` in client.d.ts
   */
  constructor(scroller, options) {
    super();
    this.options = { data: true, live: true, remember: true, render() {}, ...options };
    const { dataset, layout } = options;
    Object.assign(this, { scroller, dataset, layout });
    this.service = options.service ?? new Service(options);
    this.shown = Service.view(options);
    this.isOfView = this.shown.length > 0 || Boolean(options.configuration);
    Object.assign(this, { itemCount: 0, direction: 1, stop: new AbortController() });
    this.dragged = new Preview(this);
    this.memory = this.options.remember ? memories.take() : undefined;
  }

  // MARK: - Opening and closing

  /** Opens at `place`, else at the history entry's position, else at the start. */
  async open(place = history.state?.[this.memory]) {
    const { service, dataset, layout, options: { configuration } } = this;
    const [described, { layouts }] = configuration
      ? [undefined, { layouts: [{ layout, configuration }] }]
      : await Promise.all([
        service.json(Service.path(dataset)), service.json(Service.path(dataset, 'layouts'))]);
    const found = definition(layouts, layout);
    if (!found) throw new ServiceError(404, `No such layout: ${this.layout}.`);
    if (this.isClosed) return this;
    this.configuration = found.configuration;
    this.isLive = Boolean(this.configuration.effect);
    this.axis = new Axis(this.configuration);
    this.store = new ElementStore(this.axis);
    // Another filter or order is another list.
    const isSame = place?.dataset === dataset && place.shown === this.shown.join('&');
    const known = isSame ? place : undefined;
    this.carousels = new Carousels(this, known?.carousels);
    this.fitting = Fitting.of(this, found);
    this.layout = this.fitting?.variant ?? this.layout;
    this.loader = Loader.of(this, this.layout);
    // A first read may take long, and is not of use to a feed that is closed.
    const reading = this.loader.read(this.store, [[0, UNITS]], this.stop.signal);
    const [first] = await reading.catch((error) => (this.isClosed ? [] : Promise.reject(error)));
    if (this.isClosed) return this;
    Object.assign(this, await SectionTable.counts(this, described));
    if (this.isClosed) return this;
    this.begin(first, described ?? first);
    if (known) await this.restore(known);
    this.load();
    this.listen();
    this.fitting?.update();
    return this;
  }

  begin(page, described) {
    const { axis, scroller } = this;
    this.store.merge(page, 0, 0);
    this.store.forget();
    this.follower = new Follower(this, page, described);
    this.sections = SectionTable.of(this);
    this.view = new ScrollWindow(scroller, axis, {
      moved: () => this.moved(), rested: () => this.rested(),
      resizing: () => this.fitting?.resizing(), resized: () => this.fitting?.resized(),
      turned: () => this.reconfigure(this.configuration),
    });
    this.stage = new Stage(this.view, {
      render: (node, element) => this.options.render(node, element),
      section: (index) => this.sections.get(index), itemCount: () => this.itemCount,
    });
    this.view.resize(this.store.length, this.store.breadth);
    this.follow();
    this.carousels.listen();
    this.emit('opened');
    this.options.scrubber?.attach(this);
    replaceScrollBar(this);
  }

  /** Follows the commits, with the contexts of the present variant. */
  follow() {
    if (!this.options.live || this.stream) return;
    this.stream = new CommitStream(
      this, () => this.follower, (kind, commit) => this.follower.told(kind, commit));
  }

  async restore(place) {
    try {
      this.view.moveTo(await found(place, this));
    } catch (error) {
      this.fail(error);
    }
  }

  close() {
    if (this.isClosed) return;
    this.isClosed = true;
    this.rememberNow();
    memories.release(this.memory);
    this.stop.abort();
    this.stream?.close();
    this.fitting?.close();
    for (const part of [this.loader, this.carousels, this.view]) part?.close();
    this.rail?.remove();
    clearTimeout(this.rememberTimer);
  }

  listen() {
    addEventListener('pagehide', () => this.rememberNow(), { signal: this.stop.signal });
    addEventListener('online', () => this.load(), { signal: this.stop.signal });
  }

  // MARK: - Places

  /** The visible start in the content, in points; a multiple of 1/64. */
  get position() { return toPoints(this.view.position); }

  /** Scrolls exactly to a position in points. */
  moveTo(position) { this.view.moveTo(toUnits(position)); }

  moveBy(distance) { this.view.moveBy(toUnits(distance)); }

  /** The visible main length, in points. */
  get visibleLength() { return toPoints(this.view.visible); }

  get contentLength() { return toPoints(this.store.length); }

  /**
   * Scrolls an item into view, within its carousel too.
   *
   * @param {'start' | 'center' | 'nearest'} align the alignment, if the item is not in view
   * @returns {Promise<object | undefined>} the element; undefined for an unknown key
   */
  async reveal(key, align = 'center') {
    const item = this.store.cell(key) ?? await this.item(key);
    if (!item) return undefined;
    const place = item.start === undefined
      ? { ...item, ...this.axis.place(item.frame, this.store.length) } : item;
    await this.carousels.revealCell(place);
    const position = aligned(place, align, this);
    if (position !== undefined) this.view.moveTo(position);
    await this.settled();
    await this.carousels.refreshed();
    return this.store.cell(key);
  }

  /** An item with its frame, in a carousel where it is scrolled; undefined for an unknown key. */
  async item(key, layout = this.layout) {
    const path = [Service.item(this.dataset, key), ...this.axis.query, ...this.shown].join('&');
    try {
      const item = await this.service.json(`${path}&layout=${encodeURIComponent(layout)}`);
      this.carousels.adapt([{ elements: [item] }], new Map());
      return item;
    } catch (error) {
      if (error.status === 404) return undefined;
      throw error;
    }
  }

  /** The visible elements, in order. */
  visibleElements() {
    const { position, visible } = this.view;
    return this.store.within(position, position + visible);
  }

  /** Resolves once all visible elements are on the page. */
  settled() {
    if (this.isSettled) return Promise.resolve();
    return new Promise((resolve) => {
      this.addEventListener('settled', () => resolve(), { once: true });
    });
  }

  get isSettled() {
    const { position, visible } = this.view;
    const end = Math.min(position + visible, this.store.length);
    return !this.follower.isSyncing && this.store.held.missing(position, end).length === 0;
  }

  rememberNow() {
    if (!this.memory || !this.view || this.store.length === 0) return;
    history.replaceState({ ...history.state, [this.memory]: remembered(this) }, '');
  }

  // MARK: - Showing

  moved() {
    if (this.isClosed) return;
    const { position } = this.view;
    if (Math.abs(position - this.anchoredAt) > 2 * UNITS) this.anchor = undefined;
    if (position !== this.lastPosition) this.direction = position < this.lastPosition ? -1 : 1;
    this.lastPosition = position;
    this.draw();
    this.load();
    this.emit('moved');
  }

  rested() {
    if (this.isClosed) return;
    const { position, visible } = this.view;
    this.store.prune(position - KEPT * visible, position + KEPT * visible);
    this.load();
    clearTimeout(this.rememberTimer);
    this.rememberTimer = setTimeout(() => this.rememberNow(), REMEMBER_MS);
    this.emit('rested');
  }

  draw() {
    if (this.isClosed || !this.stage) return;
    const { position, visible } = this.view;
    const [start, end] = [position - DRAWN * visible, position + (1 + DRAWN) * visible];
    const last = Math.min(end, this.store.length);
    this.stage.show(
      this.dragged.elements(this.store.within(start, end)),
      this.store.pinRanges(this.sections, start, end),
      this.store.held.missing(Math.max(0, start), last));
    this.fitting?.drawn();
    if (this.isSettled) this.emit('settled');
    this.emit('drawn');
  }

  // MARK: - Loading

  load() {
    if (this.isClosed || this.isHeld || this.follower.isSyncing) return;
    this.loader.want(
      () => this.wish(), (pages, tiles) => this.loaded(pages, tiles), (error) => this.fail(error));
  }

  wish() {
    const { store, view, loader } = this;
    const { position, visible } = view;
    if (this.isLive) {
      const tile = [position, position + Math.max(visible, UNITS)];
      const isSame = this.liveTile?.[0] === tile[0] && this.liveTile[1] === tile[1];
      return { store, tiles: isSame ? [] : [tile], urgent: isSame ? [] : [tile] };
    }
    const ahead = (this.direction > 0 ? AHEAD : BEHIND) * visible;
    const behind = (this.direction > 0 ? BEHIND : AHEAD) * visible;
    const middle = position + visible / 2;
    const tiles = (low, high) => loader.tiles(
      store, [Math.max(0, low), Math.min(high, store.length)], middle, visible);
    return {
      store, urgent: tiles(position, position + visible),
      tiles: tiles(position - behind, position + visible + ahead),
    };
  }

  loaded(pages, tiles) {
    if (this.isClosed || this.follower.isSyncing) return;
    this.online(true);
    if (!pages.every((page) => this.store.agrees(page))) {
      this.follower.notice(this.follower.newsOf(pages[0]));
      return;
    }
    if (this.isLive) {
      this.store.forget();
      [this.liveTile] = tiles;
    }
    pages.forEach((page, index) => this.store.merge(page, ...tiles[index]));
    this.view.resize(this.store.length, this.store.breadth);
    if (replaceScrollBar(this)) this.fitting?.resized();
    this.draw();
    this.load();
  }

  // MARK: - Following commits

  /**
   * Sends operations (objects of the batch format) as one batch.
   *
   * @returns {Promise<object>} the commit, with `milliseconds` (the round trip) and, if the
   *   server reports it, `serverMilliseconds`
   * @throws ServiceError
   */
  batch(operations) { return this.follower.send(operations); }

  /**
   * Reverts a commit, if it is the newest one; others are rejected (412). A second undo is a
   * redo. Returns and throws as `batch`.
   */
  undo(revision) { return this.follower.undo(revision); }

  /** Shows the order that results from a drag of an item to a point; see `Preview`. */
  preview(key, point, last, signal) { return this.dragged.show(key, point, last, signal); }

  endPreview() { this.dragged.end(); }

  /** The visible rect in the format of the service. */
  visibleRect() {
    const { axis, store, view } = this;
    const { position, visible } = view;
    return axis.rect(position, position + visible, store.length, store.breadth);
  }

  /** The tiles that a store lacks around a position, for the drawn range. */
  tilesAround(store, position) {
    const { visible } = this.view;
    if (this.isLive) return store.held.ranges.length > 0 ? [] : [[position, position + visible]];
    const end = Math.max(store.length, visible);
    const range = [position - DRAWN * visible, position + (1 + DRAWN) * visible]
      .map((edge) => Math.min(Math.max(0, edge), end));
    return this.loader.tiles(store, range, position + visible / 2, visible);
  }

  /** Shows another state, shifted so that the current item keeps its position on the screen. */
  replace(store, sections, distance) {
    const { view } = this;
    this.emit('replacing');
    this.store = store;
    this.sections = sections;
    this.liveTile = undefined;
    this.dragged.forget();
    this.stage.forget();
    sections.changed = () => this.draw();
    this.anchoredAt = view.position + distance;
    view.shift(distance);
    view.resize(store.length, store.breadth);
    if (replaceScrollBar(this)) this.fitting?.resized();
    if (view.position < 0 || view.position > view.end) view.moveTo(view.position);
    const { position, visible } = view;
    store.prune(position - KEPT * visible, position + KEPT * visible);
    view.restSoon();
    this.fitting?.shifted();
    this.draw();
    this.online(true);
    this.emit('replaced');
  }

  /** Shows the layout after its configuration changed; the first visible item stays in place. */
  async reconfigure(configuration) {
    this.isHeld = false;
    this.configuration = configuration;
    Object.assign(this.axis, new Axis(configuration));
    // The same item until the reader scrolls: another one at each change would drift.
    const { position, visible } = this.view;
    [this.anchor] = this.anchor ? [this.anchor] : anchors(this.store, position, visible);
    this.anchoredAt = position;
    this.follower.notice();
    await this.settled();
  }

  countItems() { SectionTable.counts(this).then((all) => Object.assign(this, all), () => {}); }

  // MARK: - Telling

  emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  online(isOnline) {
    if (this.isOnline === isOnline) return;
    this.isOnline = isOnline;
    this.emit('online', { isOnline });
  }

  fail(error) {
    if (error.name === 'AbortError' || this.isClosed) return;
    if (error.isPassing) this.online(false);
    this.emit('failed', { error });
  }
}
