// Keyboard shortcuts for the whole page: arrows move between items along and across columns.

import { make } from './dom.js';

const KEYS = [
  ['Arrow keys', 'Move between items'], ['Enter', 'Select the item'],
  ['Escape', 'Deselect'], ['Space, Page Down, Page Up', 'Scroll by a screen'],
  ['Home, End', 'Go to the first or last item'], ['/', 'Find a title, section or key'],
  ['?', 'Show this list'],
];
const WRITING_KEYS = [
  ['Alt + arrow keys', 'Move the item earlier or later'], ['Delete', 'Delete the item'],
  ['Ctrl + Z', 'Undo'], ['Ctrl + Shift + Z, Ctrl + Y', 'Redo'],
];

/** Lists the keys that have an effect. */
export function showKeys(mayWrite) {
  const dialog = document.querySelector('#keys');
  const rows = mayWrite ? [...KEYS, ...WRITING_KEYS] : KEYS;
  dialog.replaceChildren(make('form', { method: 'dialog' }, make('h2', {}, 'Keys'),
    make('dl', {}, ...rows.map(([keys, act]) => make('div', {},
      make('dt', {}, ...keys.split(/(, | \+ )/).map((part, index) =>
        (index % 2 === 0 ? make('kbd', {}, part) : part))), make('dd', {}, act)))),
    make('button', { class: 'solid', type: 'submit' }, 'Close')));
  dialog.onclick = ({ target }) => { if (target === dialog) dialog.close(); };
  dialog.showModal();
}

/** The search range for the next item, in visible lengths. */
const REACH = 2;

/** The direction of an arrow key: along the main axis, and across. */
function direction(key, axis) {
  const sides = { ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] };
  const [x, y] = sides[key];
  return axis.isHorizontal ? [axis.isMirrored ? -x : x, y] : [y, x];
}

/** The length of the intersection of two ranges; negative if they are disjoint. */
const shared = (a, aLength, b, bLength) =>
  Math.min(a + aLength, b + bLength) - Math.max(a, b);

/** The cell next to another one: in its column, or across at the same height. */
function neighbour(cells, from, along, across) {
  const middle = from.start + from.length / 2;
  let best;
  for (const cell of cells) {
    if (cell.id === from.id) continue;
    let cost;
    if (along !== 0) {
      const way = (cell.start - from.start) * along;
      const overlap = shared(from.cross, from.breadth, cell.cross, cell.breadth);
      if (way <= 0 || overlap <= 0) continue;
      cost = way - overlap / 1e6;
    } else {
      const way = (cell.cross - from.cross) * across;
      const overlap = shared(from.start, from.length, cell.start, cell.length);
      if (way <= 0 || overlap <= 0) continue;
      cost = way * 1e3 + Math.abs(cell.start + cell.length / 2 - middle);
    }
    if (!(best?.cost <= cost)) best = { cell, cost };
  }
  return best?.cell;
}

export class Keyboard {
  /**
   * @param {object} page
   * @param {() => Feed} page.feed
   * @param {(key: string) => void} page.focus scrolls an item into view and focuses it
   */
  constructor(page) {
    this.page = page;
    document.addEventListener('keydown', (event) => this.pressed(event));
  }

  get feed() {
    return this.page.feed();
  }

  pressed(event) {
    const { target, key } = event;
    if (event.defaultPrevented || !this.feed?.view) return;
    if (document.querySelector('dialog[open]')) return;
    // A dialog that has just closed may still have the focus.
    if (target.closest?.('input, select, textarea') && !target.closest('dialog')) return;
    if ([' ', 'Enter'].includes(key) && target.closest?.('button, a')) return;
    const isCommand = event.metaKey || event.ctrlKey;
    const act = isCommand ? this.command(event) : this.action(event);
    if (!act) return;
    event.preventDefault();
    act();
  }

  command({ key, shiftKey }) {
    const { page } = this;
    if (!page.mayWrite()) return undefined;
    if (key.toLowerCase() === 'z') return shiftKey ? () => page.redo() : () => page.undo();
    return key.toLowerCase() === 'y' ? () => page.redo() : undefined;
  }

  action({ key, shiftKey, altKey, target }) {
    const { feed, page } = this;
    const { view } = feed;
    const current = feed.stage.elementOf(target);
    if (key.startsWith('Arrow')) {
      const isEarlier = key === 'ArrowUp' || key === 'ArrowLeft';
      if (altKey) return current && page.mayMove() && (() => page.move(current, isEarlier));
      return () => this.go(current, ...direction(key, feed.axis));
    }
    switch (key) {
      case 'PageDown': return () => view.moveBy(view.visible);
      case 'PageUp': return () => view.moveBy(-view.visible);
      case ' ': return () => view.moveBy(shiftKey ? -view.visible : view.visible);
      case 'Home': return () => view.moveTo(0);
      case 'End': return () => view.moveTo(view.end);
      case '/': return () => page.find();
      case 'Enter': return current && (() => page.choose(current));
      case 'Delete': return current && page.mayWrite() && (() => page.remove(current));
      case '?': return () => showKeys(page.mayWrite());
      case 'Escape': return () => page.dismiss();
      default: return undefined;
    }
  }

  async go(current, along, across) {
    const { feed } = this;
    if (!current || current.category !== 'cell') {
      const [first] = feed.visibleElements().filter(({ category, start }) =>
        category === 'cell' && start >= feed.view.position);
      if (first) this.page.focus(first.key);
      return;
    }
    const find = () => {
      // The node's element may be of an earlier revision.
      const from = feed.store.cell(current.key) ?? current;
      const reach = REACH * feed.view.visible;
      const around = feed.store.within(from.start - reach, from.start + from.length + reach)
        .filter(({ category }) => category === 'cell');
      return neighbour(around, from, along, across);
    };
    let next = find();
    if (!next && along !== 0) {
      feed.view.moveBy(along * Math.floor(feed.view.visible / 2));
      await feed.settled();
      next = find();
    } else if (!next) {
      // The feed has scrolled the carousel toward the next card.
      await feed.carousels.refreshed();
      next = find();
    }
    if (next) this.page.focus(next.key);
  }
}
