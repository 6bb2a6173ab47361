// Direct manipulation: dragging the selected card's edge resizes it, dragging a card moves it.

import { icon, make } from './dom.js';
import { note } from './notices.js';
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
   * @param {(element: object, preview: object) => Promise<void>} actions.place commits a drag
   * @param {() => boolean} actions.mayWrite
   * @param {() => boolean} actions.mayMove
   */
  constructor(actions) {
    this.actions = actions;
  }

  attach(feed) {
    this.feed = feed;
    feed.view.plane.addEventListener('pointerdown', (event) => this.pressed(event));
  }

  /** Adds the handles to the selected card, and removes them from any other. */
  choose(node) {
    if (this.handles) this.handles.forEach((handle) => handle.remove());
    const { isHorizontal, isMirrored } = this.feed?.axis ?? {};
    const side = isMirrored ? 'across mirrored' : isHorizontal ? 'across' : '';
    this.handles = node && this.actions.mayWrite() && [
      ...this.actions.mayMove()
        ? [make('div', { class: 'handle grip', 'aria-hidden': 'true' }, icon('grip'))] : [],
      make('div', {
        class: `handle edge ${side}`, 'aria-hidden': 'true',
      }),
    ];
    if (this.handles) node.append(...this.handles);
  }

  pressed(event) {
    const element = this.feed.stage.elementOf(event.target);
    if (event.button !== 0 || element?.category !== 'cell' || !this.actions.mayWrite()) return;
    const node = this.feed.stage.node(element.id);
    if (event.target.closest('.edge')) this.resize(event, element, node);
    else if (!this.actions.mayMove()) return;
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
    const { feed } = this;
    let ghost;
    let at = event;
    const drag = { element, stop: new AbortController(), point: () => this.point(at) };
    const box = node.getBoundingClientRect();
    const begin = () => {
      ghost = node.cloneNode(true);
      ghost.classList.add('ghost');
      Object.assign(ghost.style, {
        position: 'fixed', inset: 'auto', left: `${box.left}px`, top: `${box.top}px`,
        width: `${box.width}px`, height: `${box.height}px`,
      });
      document.body.append(ghost);
      node.classList.add('is-dragged');
      this.scrollAlong(() => !drag.isOver && at, () => this.preview(drag));
    };
    follow(event, (move) => {
      at = move;
      const [x, y] = [move.clientX - event.clientX, move.clientY - event.clientY];
      if (!ghost && Math.hypot(x, y) < DRAG_DISTANCE) return;
      if (!ghost) begin();
      ghost.style.translate = `${x}px ${y}px`;
      this.preview(drag);
    }, async (isCancelled) => {
      if (!ghost) return;
      drag.isOver = true;
      // The click that ends a drag selects nothing.
      const swallow = new AbortController();
      addEventListener('click', (click) => click.stopPropagation(),
        { capture: true, signal: swallow.signal });
      setTimeout(() => swallow.abort(), 0);
      if (!isCancelled) await this.drop(drag);
      drag.stop.abort();
      ghost.remove();
      node.classList.remove('is-dragged');
      feed.scroller.classList.remove('is-previewing');
      feed.endPreview();
    });
  }

  /** Requests the order with the item at the pointer; one request at a time, finally the last. */
  preview(drag) {
    drag.isStale = true;
    drag.asking ??= this.ask(drag).finally(() => { drag.asking = undefined; });
  }

  async ask(drag) {
    while (drag.isStale && !(drag.isOver && drag.answer)) {
      drag.isStale = false;
      try {
        drag.answer = await this.feed.preview(
          drag.element.key, drag.point(), drag.answer, drag.stop.signal);
        this.feed.scroller.classList.add('is-previewing');
      } catch (error) {
        if (!drag.stop.signal.aborted) note(error.message);
        return;
      }
    }
  }

  /** Commits the order that is shown. */
  async drop(drag) {
    await drag.asking;
    if (!(drag.answer?.operations.length > 0)) return;
    await this.actions.place(drag.element, drag.answer);
    await this.feed.settled();
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

  /** A pointer's position in the content, in units from the leading end. */
  point({ clientX, clientY }) {
    const { axis, view, stage, store } = this.feed;
    const box = view.plane.getBoundingClientRect();
    const edge = axis.isMirrored ? box.right - clientX
      : axis.isHorizontal ? clientX - box.left : clientY - box.top;
    const main = Math.round(view.base + toUnits(edge + stage.origin));
    const cross = toUnits(axis.isHorizontal ? clientY - box.top : clientX - box.left);
    const within = (value, limit) => Math.min(Math.max(0, value), limit - 1);
    return { main: within(main, store.length), cross: within(cross, store.breadth) };
  }
}
