// The recomputed parts of changes: in a panel, and as an overlay on the affected columns.

import { columnEdges } from './columns.js';
import { counted, icon, make, shown } from './dom.js';
import { toPoints, toUnits } from './units.js';

const HIGHLIGHT_MS = 2600;
const PANEL_MS = 12_000;

/** Whether ranges of a section's items, each with its last one, include an index. */
const includes = (ranges, index) => ranges.some(([first, last]) => index >= first && index <= last);

/** Formats a duration for people. */
function duration(milliseconds) {
  if (milliseconds < 1) return `${shown(Math.round(milliseconds * 1000))} \u00b5s`;
  return `${shown(Number(milliseconds.toPrecision(milliseconds < 10 ? 2 : 3)))} ms`;
}

/** The operations of a commit in a word or two. */
function subject({ updates }) {
  const items = updates?.items ?? [];
  if (updates?.everything) return 'Everything changed';
  const names = { insert: 'added', delete: 'removed', move: 'moved', reload: 'changed' };
  const counts = new Map();
  for (const { op } of items) counts.set(op, (counts.get(op) ?? 0) + 1);
  const parts = [...counts].map(([op, count]) => `${counted(count, 'item')} ${names[op] ?? op}`);
  return parts.join(', ') || 'Layout refreshed';
}

export class Changes {
  /** @param {{undo: () => void}} actions */
  constructor(panel, actions) {
    this.panel = panel;
    this.actions = actions;
    // The effect of an edit is shown until the next click, which may be in another edit.
    document.addEventListener('click', ({ target }) => {
      // A slider that is released shows what it has changed.
      if (!panel.contains(target) && !target.closest('.tuning input')) this.finish();
    }, { capture: true });
    document.addEventListener('keydown', ({ key }) => { if (key === 'Escape') this.finish(); });
  }

  attach(feed) {
    this.panel.hidden = true;
    this.panel.replaceChildren();
    this.feed = feed;
    this.marks = new Set();
    this.show(undefined);
    feed.addEventListener('committed', ({ detail }) => {
      this.list(detail);
      this.next = detail;
    });
    feed.addEventListener('replacing', () => this.before());
    feed.addEventListener('replaced', () => this.after());
    feed.addEventListener('drawn', () => this.drawn());
  }

  // MARK: - The panel

  list({ commit, change, isOwn }) {
    const close = make('button', {
      class: 'icon-button small', type: 'button', 'aria-label': 'Close',
      onclick: () => {
        this.panel.hidden = true;
        this.finish();
      },
    }, icon('close'));
    const undo = isOwn && make('button', {
      class: 'quiet', type: 'button', onclick: () => this.actions.undo(),
    }, icon('undo'), this.isUndone ? 'Redo' : 'Undo');
    const what = (isOwn && this.what) || subject(commit);
    const entry = make(
      'article', { class: 'change' },
      make('header', {}, make('span', { class: 'revision' }, `Revision ${shown(commit.revision)}`),
        make('span', { class: 'source' }, isOwn ? 'by you' : 'by another client'),
        undo || '', close),
      make('p', { class: 'what' }, what), this.diagram(change), this.figures(commit, change));
    this.panel.replaceChildren(entry);
    this.panel.hidden = false;
    this.panel.classList.remove('is-brief');
    clearTimeout(this.timer);
    if (!isOwn) this.leaveLater();
  }

  leaveLater() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.leave(), PANEL_MS);
  }

  /** Ends the display of an effect; the panel with its button to undo stays for a while. */
  finish() {
    if (!this.effect) return;
    this.show(undefined);
    this.panel.classList.add('is-brief');
    this.leaveLater();
  }

  /** Hides the panel, unless it is hovered or focused. */
  leave() {
    const isUsed = this.panel.matches(':hover, :focus-within');
    if (isUsed) this.timer = setTimeout(() => this.leave(), PANEL_MS);
    else this.panel.hidden = true;
  }

  /** What was recomputed, and how long it took, in a sentence each. */
  figures(commit, change) {
    const texts = [];
    if (change?.everything) texts.push('Everything was laid out again');
    else if (change) texts.push(this.recomputed(change));
    // Timings are sent in whole microseconds.
    const { layoutMilliseconds: layout, serverMilliseconds: work, milliseconds } = commit;
    if (layout !== undefined) {
      texts.push(`${duration(layout)} laying out, ${duration(work - layout)} on disk`);
    } else if (milliseconds) texts.push(`${duration(milliseconds)} round trip`);
    return make('div', { class: 'figures' }, ...texts.map((text) => make('p', {}, text)));
  }

  recomputed({ recomputedItems, recomputedColumns, sections }) {
    if (recomputedItems === 0) return 'No item was recomputed';
    const edges = sections.length === 1 ? this.edges(sections[0].section) : [];
    const columns = edges.length > 0
      ? `${shown(recomputedColumns)} of ${counted(edges.length, 'column')}`
      : counted(recomputedColumns, 'column');
    return `Recomputed ${shown(recomputedItems)} of ${counted(this.feed.itemCount, 'item')}, `
      + columns;
  }

  /** A diagram of the layout's columns, with the affected ones filled from the first change. */
  diagram(change) {
    const [section] = change?.sections ?? [];
    if (!section || change.everything) return '';
    const edges = this.edges(section.section);
    if (edges.length === 0) return '';
    const bars = edges.map((_, column) =>
      make('i', { class: section.columns.includes(column) ? 'is-changed' : '' }));
    const diagram = make('div', { class: 'diagram', role: 'img' }, ...bars);
    diagram.ariaLabel = `Columns ${section.columns.map((column) => column + 1).join(', ')} of `
      + `${edges.length} in section ${this.key(section.section)}`;
    return diagram;
  }

  key(section) {
    return this.feed.sections.get(section)?.key ?? String(section);
  }

  edges(section) {
    const { axis, configuration, sections, store } = this.feed;
    return columnEdges(
      configuration, sections.get(section) ?? {}, store.breadth, axis.isRightToLeft);
  }

  // MARK: - Over the feed

  /**
   * Records the positions on the screen of all visible elements before the states are
   * swapped.
   */
  before() {
    this.places = new Map();
    for (const [id, { shown: node }] of this.feed.stage.nodes) {
      this.places.set(id, node.getBoundingClientRect());
    }
  }

  after() {
    const { feed, next } = this;
    this.next = undefined;
    this.glide();
    if (!next) return;
    const { change, isOwn } = next;
    const hasMarks = change && !change.everything && change.recomputedItems > 0;
    if (isOwn) this.show(hasMarks ? change : { sections: [] }, Boolean(hasMarks));
    if (!hasMarks) return;
    for (const { section, columns, interval } of change.sections) {
      if (!interval) continue;
      const edges = this.edges(section);
      for (const column of columns) {
        if (edges[column]) this.mark(interval.map(toUnits), edges[column]);
      }
    }
    feed.draw();
  }

  /** Shows what a changed configuration recomputed, unless it is everything. */
  showPrepared(prepared) {
    if (!prepared.everything && prepared.recomputedItems > 0) this.show(prepared, true);
    else this.finish();
  }

  /** Shows the recomputed items of a change in colour and all others in grey; or no change. */
  show(change, hasMarks = false) {
    this.effect = change && new Map(change.sections.map(
      ({ section, items, columns, interval }) =>
        [section, { items, columns, interval: interval?.map(toUnits) }]));
    this.feed.scroller.classList.toggle('shows-change', hasMarks);
    this.colour();
  }

  colour() {
    for (const { shown: node } of this.feed.stage?.nodes.values() ?? []) {
      node.classList.toggle('is-recomputed', Boolean(this.effect && this.isRecomputed(node.element)));
    }
  }

  isRecomputed({ category, key, section, item }) {
    const part = category === 'cell' && this.effect.get(section);
    const cell = part && this.feed.store.cell(key);
    if (!cell || !includes(part.items, item)) return false;
    const { start, length, cross, breadth } = cell;
    const { interval: [low, high] = [-Infinity, Infinity] } = part;
    return start < high && start + length > low && this.changedEdges(section, part)
      .some(([left, right]) => cross < right && cross + breadth > left);
  }

  /** The changed columns of a section in sight; all of its breadth, if it has no columns. */
  changedEdges(section, part) {
    // Of the other sections, of which there may be thousands, no row is requested.
    part.edges ??= this.feed.sections.get(section)
      && this.edges(section).filter((_, column) => part.columns.includes(column));
    return part.edges?.length > 0 ? part.edges : [[-Infinity, Infinity]];
  }

  drawn() {
    this.placeMarks();
    if (this.effect) this.colour();
  }

  /** Animates moved elements to their new positions. The anchored item has not moved. */
  glide() {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    for (const [id, { shown: node }] of this.feed.stage.nodes) {
      const old = this.places?.get(id);
      if (!old || node.parentElement.classList.contains('lc-lane')) {
        if (!old && this.places?.size) node.animate([{ opacity: 0 }, { opacity: 1 }], 220);
        continue;
      }
      const box = node.getBoundingClientRect();
      const [x, y] = [old.left - box.left, old.top - box.top];
      if (Math.abs(x) < 0.5 && Math.abs(y) < 0.5) continue;
      node.animate([{ translate: `${x}px ${y}px` }, { translate: '0 0' }],
        { duration: 320, easing: 'cubic-bezier(.2,.7,.2,1)' });
    }
    this.places = undefined;
  }

  mark([start, end], [cross, far]) {
    const node = make('div', { class: 'recomputed', 'aria-hidden': 'true' });
    const mark = { node, start, end, cross, breadth: far - cross };
    this.feed.view.spacer.append(node);
    this.marks.add(mark);
    setTimeout(() => {
      node.remove();
      this.marks.delete(mark);
    }, HIGHLIGHT_MS);
  }

  placeMarks() {
    if (this.marks.size === 0) return;
    const { axis, base, position, visible } = this.feed.view;
    for (const { node, start, end, cross, breadth } of this.marks) {
      const low = Math.max(start, position - visible);
      const high = Math.min(end, position + 2 * visible);
      node.hidden = high <= low;
      if (node.hidden) continue;
      Object.assign(node.style, {
        [axis.start]: `${toPoints(low - base)}px`, [axis.length]: `${toPoints(high - low)}px`,
        [axis.crossStart]: `${toPoints(cross)}px`, [axis.breadth]: `${toPoints(breadth)}px`,
      });
    }
  }
}
