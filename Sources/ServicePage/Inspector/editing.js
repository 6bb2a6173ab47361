// Direct manipulation: dragging the selected card's edge resizes it, dragging a card moves it.

import { icon, make } from './dom.js';
import { UNITS, toPoints, toUnits } from './units.js';

const DRAG_DISTANCE = 6;
const EDGE = 72;
const LEAST = 8;

/** Tracks a pointer from press to release; `done` receives whether the gesture was cancelled. */
function follow(event, moved, done) {
  const stop = new AbortController();
  const { signal } = stop;
  const end = (isCancelled) => {
    stop.abort();
    done(isCancelled);
  };
  const mine = (each, act) => { if (each.pointerId === event.pointerId) act(); };
  addEventListener('pointermove', (each) => mine(each, () => moved(each)), { signal });
  addEventListener('pointerup', (each) => mine(each, () => end(false)), { signal });
  addEventListener('pointercancel', (each) => mine(each, () => end(true)), { signal });
  addEventListener('keydown', (each) => {
    if (each.key !== 'Escape') return;
    each.preventDefault();
    end(true);
  }, { signal, capture: true });
}

export class Editing {
  /**
   * @param {object} actions
   * @param {(element: object, factor: number) => Promise<void>} actions.scale scales an
   *   item's main length by a factor
   * @param {(element: object, target: object, isBefore: boolean) => void} actions.place
   */
  constructor(actions) {
    this.actions = actions;
    this.marker = make('div', { class: 'insertion', 'aria-hidden': 'true' });
  }

  attach(feed) {
    this.feed = feed;
    feed.view.plane.addEventListener('pointerdown', (event) => this.pressed(event));
  }

  /** Adds the handles to the selected card, and removes them from any other. */
  choose(node) {
    this.handles?.forEach((handle) => handle.remove());
    this.handles = node && [
      make('div', { class: 'handle grip', 'aria-hidden': 'true' }, icon('grip')),
      make('div', {
        class: `handle edge ${this.feed.axis.isHorizontal ? 'across' : ''}`, 'aria-hidden': 'true',
      }),
    ];
    node?.append(...this.handles);
  }

  pressed(event) {
    const element = this.feed.stage.elementOf(event.target);
    if (event.button !== 0 || element?.category !== 'cell') return;
    const node = this.feed.stage.node(element.id);
    if (event.target.closest('.edge')) this.resize(event, element, node);
    else if (event.pointerType === 'mouse' || event.target.closest('.grip')) {
      this.drag(event, element, node);
    }
  }

  resize(event, element, node) {
    const { axis } = this.feed;
    event.preventDefault();
    const length = toPoints(element.length);
    let wanted = length;
    node.classList.add('is-resized');
    follow(event, (move) => {
      const way = axis.along({ x: move.clientX - event.clientX, y: move.clientY - event.clientY });
      wanted = Math.max(LEAST, length + way);
      node.style[axis.length] = `${wanted}px`;
    }, async (isCancelled) => {
      node.classList.remove('is-resized');
      const isSame = isCancelled || Math.abs(wanted - length) < 1;
      if (!isSame) await this.actions.scale(element, wanted / length);
      node.box = undefined;
      this.feed.draw();
    });
  }

  drag(event, element, node) {
    let ghost;
    let at = event;
    const box = node.getBoundingClientRect();
    const begin = () => {
      ghost = node.cloneNode(true);
      ghost.classList.add('ghost');
      ghost.removeAttribute('id');
      Object.assign(ghost.style, {
        position: 'fixed', inset: 'auto', left: `${box.left}px`, top: `${box.top}px`,
        width: `${box.width}px`, height: `${box.height}px`,
      });
      document.body.append(ghost);
      node.classList.add('is-dragged');
      this.scrollAlong(() => ghost?.isConnected && at, () => this.aim(at, element));
    };
    follow(event, (move) => {
      at = move;
      const [x, y] = [move.clientX - event.clientX, move.clientY - event.clientY];
      if (!ghost && Math.hypot(x, y) < DRAG_DISTANCE) return;
      if (!ghost) begin();
      ghost.style.translate = `${x}px ${y}px`;
      this.aim(move, element);
    }, (isCancelled) => {
      if (!ghost) return;
      ghost.remove();
      node.classList.remove('is-dragged');
      this.marker.remove();
      // The click that ends a drag selects nothing.
      const swallow = new AbortController();
      addEventListener('click', (click) => click.stopPropagation(),
        { capture: true, signal: swallow.signal });
      setTimeout(() => swallow.abort(), 0);
      const { target } = this;
      this.target = undefined;
      if (!isCancelled && target) this.actions.place(element, target.element, target.isBefore);
    });
  }

  /** Scrolls while the pointer is near an end of the visible range. */
  scrollAlong(pointer, moved) {
    const { feed } = this;
    const step = () => {
      const at = pointer();
      if (!at) return;
      const box = feed.scroller.getBoundingClientRect();
      const { isHorizontal, isMirrored } = feed.axis;
      const [low, high, here] = isHorizontal
        ? [box.left, box.right, at.clientX] : [box.top, box.bottom, at.clientY];
      const pull = Math.min(0, here - low - EDGE) + Math.max(0, here - high + EDGE);
      if (pull !== 0) {
        feed.view.moveBy(Math.round((isMirrored ? -pull : pull) / 4) * UNITS);
        moved();
      }
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  /**
   * Finds the card before or after which the dragged one would be inserted, and marks the
   * position.
   */
  aim({ clientX, clientY }, dragged) {
    const { feed } = this;
    const { axis, view } = feed;
    const box = view.plane.getBoundingClientRect();
    const edge = axis.isMirrored ? box.right - clientX
      : axis.isHorizontal ? clientX - box.left : clientY - box.top;
    const main = view.base + toUnits(edge + feed.stage.origin);
    const cross = toUnits(axis.isHorizontal ? clientY - box.top : clientX - box.left);
    let best;
    for (const cell of feed.visibleElements()) {
      if (cell.category !== 'cell' || cell.id === dragged.id) continue;
      const away = (value, start, length) =>
        Math.max(start - value, value - start - length, 0);
      const distance = Math.hypot(
        away(main, cell.start, cell.length), away(cross, cell.cross, cell.breadth));
      if (!(best?.distance <= distance)) best = { cell, distance };
    }
    if (!best) return;
    const { cell } = best;
    this.target = { element: cell, isBefore: main < cell.start + cell.length / 2 };
    const mark = this.target.isBefore ? cell.start : cell.start + cell.length;
    view.spacer.append(this.marker);
    Object.assign(this.marker.style, {
      [axis.start]: `${toPoints(mark - view.base) - 4}px`, [axis.length]: '3px',
      [axis.crossStart]: `${toPoints(cell.cross)}px`, [axis.breadth]: `${toPoints(cell.breadth)}px`,
    });
  }
}
