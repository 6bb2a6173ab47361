// Carousels: sections that scroll across the layout's axis, by touch, wheel and arrow keys. Their
// scroll positions are part of each request; the cells on the page move at once.

import { Service } from './service.js';
import { toPoints, toUnits } from './units.js';

/** The maximum number of scroll positions in a request. */
const OFFSETS_MOST = 256;

const PACE_MS = 100;
const LINE_PIXELS = 16;

/** The distance, in pixels, after which a touch is a drag along or across. */
const SLOP = 8;

/** How far a released drag continues, in milliseconds of its velocity. */
const GLIDE_MS = 250;

export class Carousels {
  /**
   * @param {Feed} feed
   * @param {[key: string, offset: Units][]} [offsets] the scroll positions at the beginning
   */
  constructor(feed, offsets) {
    this.feed = feed;
    this.offsets = new Map(offsets);
    this.stop = new AbortController();
  }

  close() {
    this.stop.abort();
    clearTimeout(this.timer);
  }

  /** The direction in which cells move along the page's x or y axis when the offset grows. */
  get direction() {
    const { axis } = this.feed;
    return !axis.isHorizontal && axis.isRightToLeft ? 1 : -1;
  }

  /** The section's offset in units, from its leading edge. */
  offset(key) {
    return this.offsets.get(key) ?? 0;
  }

  /** The scroll positions as parameters of a request. */
  get query() {
    return [...this.offsets].map(([key, offset]) =>
      `offset=${encodeURIComponent(`${key}=${toPoints(offset)}`)}`);
  }

  /** Moves the cells of an answer whose carousels have been scrolled since its request. */
  adapt(pages, asked) {
    const { axis } = this.feed;
    for (const { elements } of pages) {
      for (const { category, sectionKey, frame } of elements) {
        const distance = this.offset(sectionKey) - (asked.get(sectionKey) ?? 0);
        if (category !== 'cell' || distance === 0) continue;
        frame[axis.isHorizontal ? 'y' : 'x'] += this.direction * toPoints(distance);
      }
    }
  }

  /** The carousel under a node or at a point, with its position; undefined for none. */
  at(event) {
    const { feed } = this;
    const element = feed.stage.elementOf(event.target);
    const box = feed.scroller.getBoundingClientRect();
    const point = feed.axis.isHorizontal
      ? (feed.axis.isMirrored ? box.right - event.clientX : event.clientX - box.left)
      : event.clientY - box.top;
    const row = element
      ? feed.sections.get(element.section)
      : feed.sections.at(feed.view.position + toUnits(point));
    return row?.carousel && row.carousel.maximumOffset > 0 ? row : undefined;
  }

  /**
   * Scrolls a carousel to an offset in units, clamped to its range.
   *
   * @returns {boolean} whether it has moved
   */
  scroll(row, offset) {
    const { store } = this.feed;
    const last = toUnits(row.carousel?.maximumOffset ?? 0);
    const next = Math.min(Math.max(0, Math.round(offset)), last);
    // The service clamps an offset from a time when the range was greater.
    const distance = next - Math.min(this.offset(row.key), last);
    if (distance === 0) return false;
    // The carousel scrolled last comes last: the others are forgotten first.
    this.offsets.delete(row.key);
    if (next > 0) this.offsets.set(row.key, next);
    if (this.offsets.size > OFFSETS_MOST) this.offsets.delete(this.offsets.keys().next().value);
    for (const [id, element] of store.elements) {
      if (element.section !== row.index || element.category !== 'cell') continue;
      store.elements.set(id, { ...element, cross: element.cross + this.direction * distance });
    }
    this.feed.draw();
    this.refreshSoon(row.index);
    return true;
  }

  refreshSoon(index) {
    this.wanted = index;
    this.timer ??= setTimeout(() => this.refresh(), PACE_MS);
  }

  /** Requests the cells of the carousel that was scrolled, at its present position. */
  refresh() {
    this.reading ??= this.read().finally(() => { this.reading = undefined; });
    return this.reading;
  }

  /** Resolves once the cells of the carousel that was scrolled have been requested. */
  async refreshed() {
    while (this.timer !== undefined) await this.refresh();
  }

  async read() {
    const { feed } = this;
    const { store, loader } = feed;
    const row = this.wanted === undefined ? undefined : feed.sections.get(this.wanted);
    this.wanted = undefined;
    clearTimeout(this.timer);
    const asked = row && this.offset(row.key);
    try {
      if (!row || feed.isLive || feed.follower.isSyncing) return;
      const end = row.start + row.length;
      const [page] = await loader.read(store, [[row.start, end]], this.stop.signal);
      if (feed.isClosed || feed.store !== store || !store.agrees(page)) return;
      store.merge(page, row.start, end);
      feed.draw();
    } catch (error) {
      feed.fail(error);
    } finally {
      this.timer = undefined;
      if (row && this.offset(row.key) !== asked) this.refreshSoon(row.index);
    }
  }

  /** Scrolls to where the section's option `scrolling` rests, for a proposed offset. */
  async rest(row, proposed, from, velocity) {
    const { feed } = this;
    const path = Service.path(feed.dataset, 'layouts', feed.layout, 'target-offset');
    const query = [`section=${encodeURIComponent(row.key)}`, `velocity=${velocity}`, ...feed.shown,
      `offset=${toPoints(Math.round(proposed))}`, `from=${toPoints(from)}`].join('&');
    try {
      const answer = await feed.service.json(`${path}?${query}`, { signal: this.stop.signal });
      if (!this.isTouched) this.glide(row, toUnits(answer.carouselOffset));
    } catch (error) {
      feed.fail(error);
    }
  }

  glide(row, target) {
    const from = this.offset(row.key);
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const begun = performance.now();
    const step = (now) => {
      if (this.isTouched || this.feed.isClosed) return;
      const part = isCalm ? 1 : Math.min(1, Math.max(0, now - begun) / GLIDE_MS);
      this.scroll(row, from + (target - from) * (1 - (1 - part) ** 3));
      if (part < 1) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  // MARK: - Input

  listen() {
    const { scroller } = this.feed;
    const { signal } = this.stop;
    scroller.addEventListener('wheel', (event) => this.turned(event), { passive: false, signal });
    scroller.addEventListener('keydown', (event) => this.pressed(event), { signal });
    scroller.addEventListener('focusin', ({ target }) => this.focused(target), { signal });
    scroller.addEventListener('touchstart', (event) => this.touched(event), { passive: true, signal });
    scroller.addEventListener('touchmove', (event) => this.dragged(event), { passive: false, signal });
    for (const name of ['touchend', 'touchcancel']) {
      scroller.addEventListener(name, () => this.released(), { passive: true, signal });
    }
  }

  /** The component of a vector across the layout's axis, positive toward greater offsets. */
  across(x, y) {
    return (this.feed.axis.isHorizontal ? y : x) * -this.direction;
  }

  turned(event) {
    if (event.ctrlKey) return;
    const { axis } = this.feed;
    const [along, across] = axis.isHorizontal
      ? [event.deltaX, event.deltaY] : [event.deltaY, event.deltaX];
    if (Math.abs(across) <= Math.abs(along)) return;
    const row = this.at(event);
    if (!row) return;
    const pixels = this.across(event.deltaX, event.deltaY) * (event.deltaMode === 1 ? LINE_PIXELS : 1);
    if (this.scroll(row, this.offset(row.key) + toUnits(pixels))) event.preventDefault();
  }

  touched(event) {
    const [touch] = event.touches;
    const row = event.touches.length === 1
      && this.at({ target: event.target, clientX: touch.clientX, clientY: touch.clientY });
    this.isTouched = Boolean(row);
    this.drag = row && { row, touch, from: this.offset(row.key), at: performance.now(), velocity: 0 };
  }

  dragged(event) {
    const { drag } = this;
    if (!drag) return;
    const [touch] = event.touches;
    const [x, y] = [drag.touch.clientX - touch.clientX, drag.touch.clientY - touch.clientY];
    if (drag.isAcross === undefined && Math.max(Math.abs(x), Math.abs(y)) >= SLOP) {
      drag.isAcross = Math.abs(this.across(x, y)) > Math.abs(this.feed.axis.isHorizontal ? x : y);
    }
    if (drag.isAcross === false) this.drag = undefined;
    if (!drag.isAcross) return;
    event.preventDefault();
    const before = this.offset(drag.row.key);
    const now = performance.now();
    this.scroll(drag.row, drag.from + toUnits(this.across(x, y)));
    drag.velocity = (this.offset(drag.row.key) - before) / Math.max(1, now - drag.at);
    drag.at = now;
  }

  released() {
    const { drag } = this;
    this.isTouched = false;
    this.drag = undefined;
    if (!drag?.isAcross) return;
    const velocity = performance.now() - drag.at < PACE_MS ? drag.velocity : 0;
    const proposed = this.offset(drag.row.key) + velocity * GLIDE_MS;
    this.rest(drag.row, Math.max(0, proposed), drag.from, Math.sign(velocity));
  }

  /** Scrolls by a card if the one to which an arrow key moves next is not within the container. */
  pressed({ key }) {
    const { feed } = this;
    const sides = feed.axis.isHorizontal
      ? { ArrowUp: [0, -1], ArrowDown: [0, 1] } : { ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    const element = feed.stage.elementOf(document.activeElement);
    if (!sides[key] || element?.category !== 'cell') return;
    const row = feed.sections.get(element.section);
    const step = Math.sign(this.across(...sides[key]));
    const next = element.item + step;
    if (!row?.carousel || next < 0 || next >= row.itemCount) return;
    this.reveal(row, this.start(element) + step * element.breadth, element.breadth);
  }

  /** Scrolls until a card focused by a key is within the container. */
  focused(node) {
    const element = node.matches(':focus-visible') ? this.feed.stage.elementOf(node) : undefined;
    const row = element?.category === 'cell' && this.feed.sections.get(element.section);
    if (row?.carousel) this.reveal(row, this.start(element), element.breadth);
  }

  /** The distance of a cell from the container's leading edge. */
  start({ cross, breadth }) {
    return this.direction < 0 ? cross : this.feed.store.breadth - cross - breadth;
  }

  /** Scrolls until a cell, wherever in the feed, is within the container. */
  async revealCell(cell) {
    const row = await this.feed.sections.row(cell.section);
    if (row?.carousel) this.reveal(row, this.start(cell), cell.breadth);
  }

  /** Scrolls until a range is within the container. */
  reveal(row, start, length) {
    const beyond = Math.max(0, start + length - this.feed.store.breadth);
    const distance = start < 0 ? start : Math.min(beyond, start);
    if (distance !== 0) this.scroll(row, this.offset(row.key) + distance);
  }
}
