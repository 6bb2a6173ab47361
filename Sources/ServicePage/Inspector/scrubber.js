// A scroll bar for feeds beyond the limits of browsers: the sections along the whole feed.

import { make } from './dom.js';

/** The distance between labels, in pixels, and the distance at which a touch becomes a drag. */
const LABEL_GAP = { vertical: 24, horizontal: 56 };
const DRAG_DISTANCE = 8;
const THUMB_LEAST = 28;
const SECTIONS_MOST = 5000;

export class Scrubber {
  /**
   * @param {HTMLElement} bar
   * @param {(id: string) => void} moved called at each change by the user
   */
  constructor(bar) {
    this.bar = bar;
    this.thumb = make('div', { class: 'thumb' });
    this.labels = make('div', { class: 'labels', 'aria-hidden': 'true' });
    this.bubble = make('div', { class: 'bubble', 'aria-hidden': 'true' });
    bar.replaceChildren(this.labels, this.thumb, this.bubble);
    this.sections = [];
    bar.addEventListener('pointerdown', (event) => this.press(event));
    bar.addEventListener('pointermove', (event) => this.hover(event));
    bar.addEventListener('pointerleave', () => { if (!this.isDragged) this.bubble.hidden = true; });
    bar.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.arrange()).observe(bar);
  }

  /** Attaches to an opened feed, and follows it. */
  attach(feed) {
    this.feed = feed;
    this.isAcross = feed.axis.isHorizontal;
    this.isMirrored = feed.axis.isMirrored;
    this.bar.dataset.direction = this.isAcross ? 'horizontal' : 'vertical';
    this.bar.ariaOrientation = this.bar.dataset.direction;
    for (const name of ['moved', 'replaced', 'drawn']) {
      feed.addEventListener(name, () => this.show());
    }
    feed.addEventListener('replaced', () => this.readSoon());
    this.read();
  }

  readSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.read(), 600);
  }

  async read() {
    const { feed } = this;
    const rows = await feed.sections.all(SECTIONS_MOST).catch(() => []);
    if (feed !== this.feed) return;
    this.sections = rows;
    this.arrange();
    this.show();
  }

  get length() {
    return this.isAcross ? this.bar.clientWidth : this.bar.clientHeight;
  }

  /** Creates labels for as many sections as fit. */
  arrange() {
    if (!this.feed?.store) return;
    const { length, store } = { length: this.length, store: this.feed.store };
    const gap = LABEL_GAP[this.bar.dataset.direction];
    const marks = [];
    let next = 4;
    for (const { key, start } of this.sections) {
      const at = (start / store.length) * length;
      if (at < next || at > length - gap / 2) continue;
      const mark = make('span', {}, key);
      mark.style[this.startSide] = `${at}px`;
      marks.push(mark);
      next = at + gap;
    }
    this.labels.replaceChildren(...marks);
  }

  get startSide() {
    if (!this.isAcross) return 'top';
    return this.isMirrored ? 'right' : 'left';
  }

  show() {
    const { feed, bar } = this;
    if (!feed?.view || feed.isClosed) return;
    const { position, end, visible } = feed.view;
    bar.hidden = end <= 0;
    const share = end > 0 ? Math.min(1, Math.max(0, position / end)) : 0;
    const size = Math.max(THUMB_LEAST, this.length * Math.min(1, visible / (end + visible)));
    this.thumb.style[this.startSide] = `${share * (this.length - size)}px`;
    this.thumb.style[this.isAcross ? 'width' : 'height'] = `${size}px`;
    const name = feed.sections.at(position)?.key ?? '';
    bar.ariaValueNow = String(Math.round(share * 100));
    bar.ariaValueText = `${name}, ${Math.round(share * 100)} percent`;
    if (this.isDragged) this.say(share, name);
  }

  say(share, name) {
    this.bubble.hidden = false;
    this.bubble.textContent = name;
    this.bubble.style[this.startSide] = `${share * this.length}px`;
  }

  /** The position of a pointer along the bar, from 0 to 1. */
  share(event) {
    const box = this.bar.getBoundingClientRect();
    if (!this.isAcross) return Math.min(1, Math.max(0, (event.clientY - box.top) / box.height));
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    return this.isMirrored ? 1 - share : share;
  }

  hover(event) {
    if (this.isDragged || event.pointerType === 'touch' || !this.feed?.store) return;
    const share = this.share(event);
    const at = share * this.feed.store.length;
    const row = this.sections.findLast(({ start }) => start <= at);
    this.say(share, row?.key ?? '');
  }

  press(event) {
    if (event.button !== 0 || !this.feed) return;
    const { bar } = this;
    const begin = { x: event.clientX, y: event.clientY };
    const isTouch = event.pointerType === 'touch';
    const stop = new AbortController();
    const { signal } = stop;
    const go = (at) => {
      this.isDragged = true;
      bar.classList.add('is-dragged');
      this.feed.view.moveTo(this.share(at) * this.feed.view.end);
    };
    bar.setPointerCapture(event.pointerId);
    // A tap may be accidental: it must not change the scroll position.
    if (!isTouch) go(event);
    bar.addEventListener('pointermove', (move) => {
      const way = Math.hypot(move.clientX - begin.x, move.clientY - begin.y);
      if (this.isDragged || way > DRAG_DISTANCE) go(move);
    }, { signal });
    for (const name of ['pointerup', 'pointercancel']) {
      bar.addEventListener(name, () => {
        stop.abort();
        this.isDragged = false;
        this.bubble.hidden = true;
        bar.classList.remove('is-dragged');
      }, { signal });
    }
  }

  key(event) {
    const { view } = this.feed ?? {};
    if (!view) return;
    const steps = {
      ArrowDown: 100, ArrowUp: -100, ArrowRight: this.isMirrored ? -100 : 100,
      ArrowLeft: this.isMirrored ? 100 : -100,
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    event.stopPropagation();
    this.feed.moveBy(steps[event.key]);
  }
}
