// A native scroller that shows a window of content of any length, one to one.
//
// Browsers limit elements to 17 to 33 million device pixels. So the scroller holds a spacer of
// at most LONGEST pixels, and `position = base + scroll offset`, in whole units: the offset only
// yields differences. No ratio is involved, so a wheel step of 100 pixels scrolls 100 pixels
// everywhere. The base also includes the fraction of a position below a device pixel.
//
// The base is changed while no scroll is in progress, so that both ends of the spacer stay out
// of reach, and is fixed near the content's ends.

import { UNITS, toPoints } from './units.js';

/** The longest spacer, in CSS pixels: a third of the strictest browser's at a ratio of 5. */
const LONGEST = 1_000_000;

/** How near to the spacer's end, in CSS pixels, a long scroll moves the base on its way. */
const NEAR = LONGEST / 8;

/** Offsets change by multiples of this: whole device pixels at all common ratios. */
const STEP = 1600;

const IDLE_MS = 140;

export class ScrollWindow {
  /**
   * @param {HTMLElement} scroller the scroller; the window replaces its children
   * @param {Axis} axis
   * @param {{moved: () => void, rested: () => void, resizing: () => void, resized: () => void,
   *   turned: () => void}} events `moved` after each change of the position, also by a call;
   *   `rested` when scrolling has ended; `resizing` and `resized` before and after a new size of
   *   the scroller is read; `turned` to update the axis when the document's direction has changed
   */
  constructor(scroller, axis, events) {
    this.scroller = scroller;
    this.axis = axis;
    this.events = events;
    this.base = 0;
    this.length = 0;
    this.breadth = 0;
    this.spacerLength = 0;
    this.isTouched = false;
    this.spacer = document.createElement('div');
    this.plane = document.createElement('div');
    this.spacer.append(this.plane);
    scroller.replaceChildren(this.spacer);
    scroller.style.overflowAnchor = 'none';
    scroller.style.overflow = 'auto';
    scroller.style.direction = axis.isMirrored ? 'rtl' : 'ltr';
    Object.assign(this.spacer.style, { position: 'relative', overflow: 'clip' });
    // Without a size: its children are positioned absolutely, and overlap.
    Object.assign(this.plane.style, { position: 'absolute', [axis.crossStart]: '0' });
    this.origin = 0;
    this.stop = new AbortController();
    this.listen(this.stop.signal);
    this.measure();
  }

  listen(signal) {
    const { scroller } = this;
    const passive = { passive: true, signal };
    scroller.addEventListener('scroll', () => this.scrolled(), passive);
    scroller.addEventListener('scrollend', () => this.restSoon(30), passive);
    scroller.addEventListener('touchstart', () => { this.isTouched = true; }, passive);
    for (const name of ['touchend', 'touchcancel']) {
      scroller.addEventListener(name, (event) => {
        this.isTouched = event.touches.length > 0;
        this.restSoon();
      }, passive);
    }
    this.observer = new ResizeObserver(() => {
      this.events.resizing();
      const { visible } = this;
      this.measure();
      if (visible !== this.visible) this.moveTo(this.position);
      this.events.resized();
    });
    this.observer.observe(scroller);
    this.turns = new MutationObserver(() => this.turn());
    this.turns.observe(document.documentElement, { attributeFilter: ['dir'] });
    // The direction may have changed since the axis was made.
    queueMicrotask(() => this.turn());
  }

  turn() {
    const { axis, position } = this;
    if (this.stop.signal.aborted || !axis.isOutdated) return;
    this.events.turned();
    this.scroller.style.direction = axis.isMirrored ? 'rtl' : 'ltr';
    this.moveTo(position);
  }

  close() {
    this.stop.abort();
    this.observer.disconnect();
    this.turns.disconnect();
    clearTimeout(this.timer);
    this.scroller.replaceChildren();
  }

  /** The visible start in the content, in units. */
  get position() {
    return this.base + Math.round(this.axis.offset(this.scroller) * UNITS);
  }

  /** The last position, in units: the content's end is at the visible end. */
  get end() {
    return Math.max(0, this.length - this.visible);
  }

  get isScrolling() {
    return this.isTouched || this.timer !== undefined;
  }

  measure() {
    const { scroller, axis } = this;
    const box = scroller.getBoundingClientRect();
    const whole = axis.visible(scroller);
    // The client length is rounded; the bounding box has the fraction, but includes scroll
    // bars.
    const exact = axis.main(box);
    this.visible = Math.floor((Math.abs(exact - whole) < 1 ? exact : whole) * UNITS);
  }

  /**
   * Sets the content's size, in units; the position is kept if it is still within the
   * content.
   */
  resize(length, breadth) {
    if (length === this.length && breadth === this.breadth) return;
    this.length = length;
    this.breadth = breadth;
    this.spacer.style[this.axis.breadth] = `${toPoints(breadth)}px`;
    this.spacerLength = Math.min(LONGEST, Math.ceil(toPoints(length)));
    this.spacer.style[this.axis.length] = `${this.spacerLength}px`;
  }

  /** Whether the spacer is shorter than the content. */
  get isCut() {
    return toPoints(this.length) > LONGEST;
  }

  /**
   * Shifts the base with the content, so that the visible elements keep their positions on
   * the screen.
   */
  shift(units) {
    this.base += units;
  }

  /** Scrolls to a position in units, clamped to the content. Exact to the unit. */
  moveTo(position) {
    const wanted = Math.min(Math.max(0, Math.round(position)), this.end);
    const offset = toPoints(wanted - this.base);
    if (this.isWell(offset, wanted)) this.setOffset(Math.floor(offset), wanted);
    else this.setOffset(this.homeOffset(wanted), wanted);
    this.events.moved();
    this.restSoon();
  }

  moveBy(units) {
    this.moveTo(this.position + units);
  }

  setOffset(offset, position) {
    this.axis.setOffset(this.scroller, offset);
    // The browser rounds to device pixels, and stops at the spacer's end.
    this.base = position - Math.round(this.axis.offset(this.scroller) * UNITS);
  }

  /** The scroller's last offset, in pixels. */
  get lastOffset() {
    return Math.max(0, this.spacerLength - toPoints(this.visible));
  }

  /** The offset, in pixels, of a position with an ideal base. */
  homeOffset(position) {
    const last = this.lastOffset;
    const [before, behind] = [toPoints(position), toPoints(this.end - position)];
    if (before <= last / 2) return Math.floor(before);
    if (behind <= last / 2) return Math.floor(last - behind);
    return Math.floor(last / 2);
  }

  /**
   * Whether a position at an offset has room on both sides, or is limited by the content's
   * ends.
   */
  isWell(offset, position) {
    const last = this.lastOffset;
    if (offset < 0 || offset > last) return false;
    const base = position - offset * UNITS;
    const reachesStart = Math.abs(base) < UNITS;
    const reachesEnd = Math.abs(this.end - base - last * UNITS) < 2 * UNITS;
    return (reachesStart || (offset > NEAR && base > 0))
      && (reachesEnd || (offset < last - NEAR && this.end - base > last * UNITS));
  }

  scrolled() {
    const { position } = this;
    const offset = this.axis.offset(this.scroller);
    if (position < 0 || position > this.end + 2 * UNITS) {
      // Beyond the content: a commit has moved its ends since the base was chosen.
      this.moveTo(position);
    } else if (!this.isTouched && this.isRunningOut(offset, position)) {
      this.rebase(position, offset);
    }
    this.events.moved();
    this.restSoon();
  }

  /** Whether a long scroll is about to reach an end of the spacer that is not the content's. */
  isRunningOut(offset, position) {
    const least = 2 * toPoints(this.visible);
    const runsOut = (room, beyond) =>
      beyond >= 2 && room < Math.min(NEAR, Math.max(least, beyond));
    const behind = this.lastOffset - offset;
    return runsOut(offset, toPoints(this.base))
      || runsOut(behind, toPoints(this.end - position) - behind);
  }

  /** Moves the spacer below the visible content, by whole device pixels. */
  rebase(position, offset) {
    const steps = Math.round((this.homeOffset(position) - offset) / STEP);
    const atEnds = position <= this.visible * 4 || this.end - position <= this.visible * 4;
    const wanted = atEnds ? this.homeOffset(position) : offset + steps * STEP;
    this.setOffset(Math.min(Math.max(0, wanted), this.lastOffset), position);
  }

  restSoon(delay = IDLE_MS) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.rest(), delay);
  }

  rest() {
    this.timer = undefined;
    if (this.isTouched) return this.restSoon();
    const { position } = this;
    const offset = this.axis.offset(this.scroller);
    // At an end of the scroller the content ends too, exact to the unit.
    const last = this.scroller[this.axis.isHorizontal ? 'scrollWidth' : 'scrollHeight']
      - this.axis.visible(this.scroller);
    let wanted = Math.min(Math.max(0, position), this.end);
    if (offset <= 0 && position < 2 * UNITS) wanted = 0;
    if (offset >= last - 1 && this.end - position < 2 * UNITS) wanted = this.end;
    if (!this.isWell(offset, position)) this.rebase(wanted, offset);
    else if (wanted !== position) this.base += wanted - position;
    this.events.moved();
    this.events.rested();
  }
}
