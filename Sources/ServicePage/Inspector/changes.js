// The recomputed parts of changes: in a panel, and as an overlay on the affected columns.

import { columnEdges } from './columns.js';
import { counted, icon, make, shown } from './dom.js';
import { toPoints, toUnits } from './units.js';

const HIGHLIGHT_MS = 2600;
const PANEL_MS = 12_000;

/** Formats a duration for people. */
function duration(milliseconds) {
  return milliseconds < 10
    ? `${shown(Math.round(milliseconds * 1000))} \u00b5s` : `${shown(Math.round(milliseconds))} ms`;
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
  /** @param {{undo: (revision: number) => void}} actions */
  constructor(panel, actions) {
    this.panel = panel;
    this.actions = actions;
  }

  attach(feed) {
    this.panel.hidden = true;
    this.panel.replaceChildren();
    this.feed = feed;
    this.marks = new Set();
    feed.addEventListener('committed', ({ detail }) => {
      this.list(detail);
      this.next = detail.change;
    });
    feed.addEventListener('replacing', () => this.before());
    feed.addEventListener('replaced', () => this.after());
    feed.addEventListener('drawn', () => this.placeMarks());
  }

  // MARK: - The panel

  list({ commit, change, isOwn }) {
    const close = make('button', {
      class: 'icon-button small', type: 'button', 'aria-label': 'Close',
      onclick: () => { this.panel.hidden = true; },
    }, icon('close'));
    const undo = isOwn && make('button', {
      class: 'quiet', type: 'button', onclick: () => this.actions.undo(commit.revision),
    }, icon('undo'), 'Undo');
    const entry = make(
      'article', { class: 'change' },
      make('header', {}, make('span', { class: 'revision' }, `Revision ${shown(commit.revision)}`),
        make('span', { class: 'source' }, isOwn ? 'by you' : 'by another client'),
        undo || '', close),
      make('p', {}, subject(commit)), this.diagram(change), this.figures(commit, change));
    this.panel.replaceChildren(entry);
    this.panel.hidden = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.leave(), PANEL_MS);
  }

  /** Hides the panel, unless it is hovered or focused. */
  leave() {
    const isUsed = this.panel.matches(':hover, :focus-within');
    if (isUsed) this.timer = setTimeout(() => this.leave(), PANEL_MS);
    else this.panel.hidden = true;
  }

  figures(commit, change) {
    const rows = [];
    if (change) {
      rows.push([shown(change.recomputedItems), 'items placed'],
        [shown(change.recomputedColumns), 'columns'], [shown(change.changedNodes), 'tree nodes']);
    }
    // Timings are sent in whole microseconds.
    const { serverMilliseconds, milliseconds } = commit;
    if (serverMilliseconds) rows.push([duration(serverMilliseconds), 'server time']);
    else if (milliseconds) rows.push([duration(milliseconds), 'round trip']);
    return make('dl', { class: 'figures' }, ...rows.map(([value, name]) =>
      make('div', {}, make('dt', {}, name), make('dd', {}, value))));
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
    return columnEdges(this.feed.configuration, this.key(section), this.feed.store.breadth);
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
    if (!next || next.everything) return;
    for (const { section, columns, interval } of next.sections) {
      if (!interval) continue;
      const edges = this.edges(section);
      for (const column of columns) {
        if (edges[column]) this.mark(interval.map(toUnits), edges[column]);
      }
    }
    feed.draw();
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
