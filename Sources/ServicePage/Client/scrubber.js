// A scroll bar for feeds beyond the limits of browsers: the sections along the whole feed.

/** The distance between labels, in pixels, and the distance at which a touch becomes a drag. */
const LABEL_GAP = { vertical: 24, horizontal: 56 };
const DRAG_DISTANCE = 8;
const THUMB_LEAST = 28;

/** Feeds of more sections than these are sampled. */
const SECTIONS_MOST = 5000;
const SAMPLES = 32;

/** The thickness of a scrubber that a feed adds itself, in pixels. */
export const RAIL = 14;

const SEPARATORS = '[-/._: ]';
const HEAD = new RegExp(`^.*?(?=${SEPARATORS})`);
const TAIL = new RegExp(`^.*?${SEPARATORS}+(.+)$`);

/** The defaults; rules of the page have precedence over those of a layer. */
const STYLE = `@layer lc-scrubber {
  .lc-scroller { scrollbar-width: none; }
  .lc-scroller::-webkit-scrollbar { display: none; }
  .lc-scrubber { position: relative; touch-action: none; user-select: none; cursor: default; }
  .lc-scrubber :is(.labels span, .thumb, .bubble) { position: absolute; white-space: nowrap; }
  .lc-scrubber .thumb { right: 3px; width: 8px; border-radius: 4px; background: #8888; }
  .lc-scrubber:hover .thumb, .lc-scrubber.is-dragged .thumb { background: #666c; }
  .lc-scrubber .labels span {
    right: 18px; translate: 0 -50%; font-size: 11.5px; opacity: .65; pointer-events: none;
    max-width: calc(100% - 20px); overflow: hidden; text-overflow: ellipsis;
  }
  .lc-scrubber .bubble {
    right: calc(100% + 4px); translate: 0 -50%; padding: 5px 11px; border-radius: 9px;
    background: #222; color: #fff; font-weight: 600; pointer-events: none; z-index: 1;
  }
  .lc-scrubber .bubble:is(:empty, [hidden]) { display: none; }
  .lc-scrubber[data-direction="horizontal"] .thumb {
    right: auto; bottom: 3px; width: auto; height: 8px;
  }
  .lc-scrubber[data-direction="horizontal"] .labels span {
    right: auto; bottom: 16px; translate: -50% 0; max-width: none;
  }
  .lc-scrubber[data-direction="horizontal"] .bubble {
    right: auto; bottom: calc(100% + 4px); translate: -50% 0;
  }
  .lc-rail { position: sticky; top: 0; left: 0; right: 0; width: 0; height: 0; }
  .lc-rail { z-index: 2147483647; }
  .lc-rail > .lc-scrubber { position: absolute; }
}`;

let style;

/** Adds the default style to the page, once. */
function addStyle() {
  if (style) return;
  style = new CSSStyleSheet();
  style.replaceSync(STYLE);
  document.adoptedStyleSheets.push(style);
}

/** The beginning that all keys share, up to a separator. */
function commonBeginning(keys) {
  const [first, ...others] = keys;
  let length = first.length;
  for (const key of others) {
    while (!key.startsWith(first.slice(0, length))) length--;
  }
  const [beginning] = new RegExp(`^.*${SEPARATORS}`).exec(first.slice(0, length)) ?? [''];
  return beginning;
}

/**
 * Shortens the keys of sections to labels: a beginning that neighbours share is named once,
 * and dropped from those that follow. So "2024-01-14" is "01-14" after "2024".
 *
 * @param {string[]} keys the keys of all sections
 * @returns {(key: string) => {group: string, text: string}} a function of a key
 */
export function labels(keys) {
  const common = keys.length > 1 ? commonBeginning(keys) : '';
  if (common) {
    const group = common.slice(0, -1);
    return (key) => ({ group, text: key.slice(common.length) });
  }
  const groups = new Set(keys.map((key) => HEAD.exec(key)?.[0] ?? key));
  if (groups.size * 2 > keys.length) return (key) => ({ group: '', text: key });
  return (key) => ({ group: HEAD.exec(key)?.[0] ?? '', text: TAIL.exec(key)?.[1] ?? key });
}

export class Scrubber {
  /** @param {HTMLElement} bar an element with a definite size; it is filled and styled */
  constructor(bar) {
    addStyle();
    this.bar = bar;
    const part = (name) => {
      const node = document.createElement('div');
      node.className = name;
      node.ariaHidden = 'true';
      return node;
    };
    this.labels = part('labels');
    this.thumb = part('thumb');
    this.bubble = part('bubble');
    this.bubble.hidden = true;
    bar.replaceChildren(this.labels, this.thumb, this.bubble);
    bar.classList.add('lc-scrubber');
    bar.role = 'scrollbar';
    bar.tabIndex = 0;
    bar.ariaLabel ??= 'Scroll position';
    bar.ariaValueMin = '0';
    bar.ariaValueMax = '100';
    this.sections = [];
    bar.addEventListener('pointerdown', (event) => this.press(event));
    bar.addEventListener('pointermove', (event) => this.hover(event));
    bar.addEventListener('pointerleave', () => { if (!this.isDragged) this.bubble.hidden = true; });
    bar.addEventListener('keydown', (event) => this.key(event));
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(bar);
  }

  /** Attaches to an opened feed, and follows it. */
  attach(feed) {
    this.feed = feed;
    for (const name of ['moved', 'replaced', 'drawn']) {
      feed.addEventListener(name, () => this.show());
    }
    feed.addEventListener('replaced', () => this.readSoon());
    this.measure();
    this.read();
  }

  readSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.read(), 600);
  }

  async read() {
    const { feed } = this;
    const rows = feed.sectionCount > SECTIONS_MOST
      ? await this.sample() : await feed.sections.all(SECTIONS_MOST).catch(() => []);
    if (feed !== this.feed) return;
    this.sections = rows;
    this.arrange();
    this.show();
  }

  async sample() {
    const { sections, sectionCount } = this.feed;
    const rows = [];
    for (let sample = 0; sample < SAMPLES; sample++) {
      rows.push(await sections.row(Math.floor((sample * sectionCount) / SAMPLES)));
    }
    return rows.filter((row) => row);
  }

  /** The key of a section if it contains a position; of sampled ones most are unknown. */
  static name(row, position) {
    return row && position <= row.start + row.length ? row.key : '';
  }

  /** The bar's direction is that of its longer side, whatever the feed's. */
  measure() {
    const { bar, feed } = this;
    this.isAcross = bar.clientWidth > bar.clientHeight;
    this.isMirrored = this.isAcross && Boolean(feed?.axis?.isMirrored);
    this.length = this.isAcross ? bar.clientWidth : bar.clientHeight;
    bar.dataset.direction = this.isAcross ? 'horizontal' : 'vertical';
    bar.ariaOrientation = bar.dataset.direction;
    for (const node of [this.thumb, this.bubble]) node.removeAttribute('style');
    this.arrange();
    this.show();
  }

  /** Creates labels for as many sections as fit. */
  arrange() {
    if (!this.feed?.store) return;
    const { length, feed: { store }, sections } = this;
    const gap = LABEL_GAP[this.bar.dataset.direction];
    const label = sections.length > 0 && labels(sections.map(({ key }) => key));
    const marks = [];
    let next = gap / 2;
    let lastGroup = '';
    for (const { key, start } of sections) {
      const at = Math.max(gap / 2, (start / store.length) * length);
      if (at < next || at > length - gap / 2) continue;
      const { group, text } = label(key);
      const mark = document.createElement('span');
      mark.textContent = group === lastGroup ? text : group;
      mark.classList.toggle('group', group !== lastGroup);
      mark.style[this.startSide] = `${at}px`;
      marks.push(mark);
      next = at + gap;
      lastGroup = group;
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
    const name = Scrubber.name(feed.sections.at(position), position);
    bar.ariaValueNow = String(Math.round(share * 100));
    bar.ariaValueText = `${name}${name && ', '}${Math.round(share * 100)} percent`;
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
    this.say(share, Scrubber.name(row, at));
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

  /** Arrows move by sections, page keys by the visible length. */
  key(event) {
    const { view } = this.feed ?? {};
    const onward = this.isMirrored ? 'ArrowLeft' : 'ArrowRight';
    const back = this.isMirrored ? 'ArrowRight' : 'ArrowLeft';
    const acts = {
      ArrowDown: () => this.moveBySection(1), [onward]: () => this.moveBySection(1),
      ArrowUp: () => this.moveBySection(-1), [back]: () => this.moveBySection(-1),
      PageDown: () => view.moveBy(view.visible), PageUp: () => view.moveBy(-view.visible),
      Home: () => view.moveTo(0), End: () => view.moveTo(view.end),
    };
    if (!view || !acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    acts[event.key]();
  }

  /** Moves to the next section's start, or back to this one's, then to the previous one's. */
  async moveBySection(step) {
    const { feed } = this;
    const { position } = feed.view;
    const shown = feed.visibleElements().find(({ start, length }) => start + length > position);
    const index = shown?.section ?? feed.sections.at(position)?.index;
    if (index === undefined) return;
    const here = await feed.sections.row(index);
    const isInside = step < 0 && here && position > here.start;
    const there = isInside ? here : await feed.sections.row(index + step);
    if (there && feed === this.feed && !feed.isClosed) feed.view.moveTo(there.start);
  }
}

/**
 * Hides the browser's own scroll bar if the feed has a scrubber, or is longer than the spacer,
 * whose end is then not the content's; in that case adds a scrubber at the scroller's edge.
 *
 * @returns {boolean} whether it has added one
 */
export function replaceScrollBar(feed) {
  const { scroller, view, options: { scrubber } } = feed;
  const isReplaced = Boolean(scrubber || view.isCut);
  scroller.classList.toggle('lc-scroller', isReplaced);
  if (!isReplaced || scrubber !== undefined || feed.rail) return false;
  feed.rail = new Rail(feed);
  return true;
}

/** A scrubber at the edge of a feed's scroller. */
class Rail {
  constructor(feed) {
    this.feed = feed;
    this.node = document.createElement('div');
    this.node.className = 'lc-rail';
    this.bar = document.createElement('div');
    this.node.append(this.bar);
    feed.scroller.prepend(this.node);
    this.observer = new ResizeObserver(() => this.place());
    this.observer.observe(feed.scroller);
    this.place();
    new Scrubber(this.bar).attach(feed);
  }

  place() {
    const { scroller, axis } = this.feed;
    const { clientWidth: width, clientHeight: height } = scroller;
    const left = axis.isHorizontal ? 0 : width - RAIL;
    Object.assign(this.bar.style, {
      left: `${axis.isMirrored ? left - width : left}px`,
      top: `${axis.isHorizontal ? height - RAIL : 0}px`,
      width: `${axis.isHorizontal ? width : RAIL}px`,
      height: `${axis.isHorizontal ? RAIL : height}px`,
    });
  }

  remove() {
    this.observer.disconnect();
    this.node.remove();
  }
}
