// The nodes on the page: one for each visible element, in the order of the items, placed to
// 1/64 pixel relative to a point near the visible range.

import { inOrder } from './elements.js';
import { UNITS, toPoints } from './units.js';

/** The step of the plane's offset, in pixels, which keeps the coordinates on it small. */
const PLANE_STEP = 4096;

/** The extent of a pinned header's lane beyond the visible range, in pixels. */
const LANE_MARGIN = 16_384;

export class Stage {
  /**
   * @param {ScrollWindow} view
   * @param {{render: (node: HTMLElement, element: object) => void, section: (index: number)
   *   => (object | undefined), itemCount: () => number}} options callbacks that render a
   *   node, and return a section, if known, and the number of items
   */
  constructor(view, options) {
    this.view = view;
    this.options = options;
    this.nodes = new Map();
    this.placeholders = [];
    this.origin = 0;
  }

  /** The element shown by a node, or by an ancestor of it. */
  elementOf(node) {
    return node?.closest?.('.lc-element')?.element;
  }

  /** Invalidates the attributes that depend on the whole feed, such as positions in the set. */
  forget() {
    for (const { shown } of this.nodes.values()) shown.row = null;
  }

  node(id) {
    return this.nodes.get(id)?.shown;
  }

  /**
   * Shows elements, and no others except the focused one.
   *
   * @param {object[]} elements cells and other elements that do not pin, in order
   * @param {{element: object, start: number, end: number}[]} pins pinning elements, with the
   *   range in which each may be
   * @param {[number, number][]} missing ranges that are not loaded yet
   */
  show(elements, pins, missing) {
    const { view } = this;
    const offset = view.axis.offset(view.scroller);
    this.origin = Math.floor(offset / PLANE_STEP) * PLANE_STEP;
    if (this.edge !== view.axis.start) this.clear();
    view.plane.style[this.edge] = `${this.origin}px`;
    const entries = elements.map((element) => ({ element }));
    for (const pin of pins) entries.push(pin);
    const focused = this.elementOf(document.activeElement);
    if (focused && !entries.some(({ element }) => element.id === focused.id)
      && view.plane.contains(document.activeElement)) {
      entries.push({ element: focused });
    }
    entries.sort((a, b) => inOrder(a.element, b.element));
    this.arrange(entries);
    for (const entry of entries) this.place(entry);
    this.showMissing(missing);
  }

  /** Removes all nodes, because the feed's direction has changed: their styles name edges. */
  clear() {
    const { plane, axis } = this.view;
    plane.replaceChildren();
    this.nodes.clear();
    this.placeholders = [];
    if (this.edge) plane.style[this.edge] = '';
    this.edge = axis.start;
  }

  /** Updates the plane's children to those of the entries, in their order. */
  arrange(entries) {
    const wanted = new Set(entries.map(({ element }) => element.id));
    for (const [id, node] of this.nodes) {
      if (wanted.has(id)) continue;
      node.remove();
      this.nodes.delete(id);
    }
    const active = document.activeElement;
    let cursor = this.view.plane.firstChild;
    for (const { element, start } of entries) {
      let node = this.nodes.get(element.id);
      const isPinned = start !== undefined;
      if (!node || (node !== node.shown) !== isPinned) {
        if (node === cursor) cursor = node?.nextSibling ?? null;
        node?.remove();
        node = this.create(element, isPinned);
        this.nodes.set(element.id, node);
      }
      if (node === cursor) cursor = cursor.nextSibling;
      else this.view.plane.insertBefore(node, cursor);
    }
    // A node that moves within the document loses the focus.
    if (active !== document.activeElement && active.isConnected) {
      active.focus({ preventScroll: true });
    }
  }

  create(element, isPinned) {
    const shown = document.createElement(element.category === 'cell' ? 'article' : 'div');
    shown.className = `lc-element lc-${element.category} lc-${element.kind ?? 'cell'}`;
    let node = shown;
    if (isPinned) {
      node = document.createElement('div');
      node.className = 'lc-lane';
      node.append(shown);
    }
    node.style.position = 'absolute';
    node.shown = shown;
    if (element.category === 'cell') shown.tabIndex = -1;
    else if (element.category === 'decoration') shown.ariaHidden = 'true';
    return node;
  }

  place(entry) {
    const { element, start, end, inset } = entry;
    const node = this.nodes.get(element.id);
    if (start === undefined) {
      this.setBox(node, element.start, element.length, element);
      this.setLook(node, element);
    } else {
      const margin = LANE_MARGIN * UNITS;
      const low = Math.max(start, this.view.position - margin);
      const high = Math.min(end, this.view.position + this.view.visible + margin);
      this.setBox(node, low, Math.max(element.length, high - low), element);
      this.setPin(node, element, inset);
    }
    const { shown } = node;
    const row = this.options.section(element.section);
    if (shown.element === element && shown.row === row) return;
    shown.row = row;
    const { data, section, item, sectionKey } = element;
    const text = JSON.stringify([data, section, item, sectionKey, row?.itemCount]);
    shown.element = element;
    this.state(shown, element, row);
    if (shown.text === text) return;
    shown.text = text;
    this.options.render(shown, element);
  }

  /** Styles are written only where they differ: a scroll changes none. */
  setBox(node, start, length, { cross, breadth }) {
    const { axis, base } = this.view;
    // Far away, where only a focused node may be, the exact position is irrelevant.
    const limit = LANE_MARGIN * 4;
    const at = Math.min(limit, Math.max(-limit, toPoints(start - base) - this.origin));
    const box = `${at} ${length} ${cross} ${breadth}`;
    if (node.box === box) return;
    node.box = box;
    node.style[axis.start] = `${at}px`;
    node.style[axis.length] = `${toPoints(length)}px`;
    node.style[axis.crossStart] = `${toPoints(cross)}px`;
    node.style[axis.breadth] = `${toPoints(breadth)}px`;
  }

  setLook(node, { zIndex = 0, alpha = 1, hidden = false, transform, transform3D }) {
    const look = JSON.stringify([zIndex, alpha, hidden, transform, transform3D]);
    if (node.look === look) return;
    node.look = look;
    node.style.zIndex = zIndex ? String(zIndex) : '';
    node.style.opacity = alpha === 1 ? '' : String(alpha);
    node.style.visibility = hidden ? 'hidden' : '';
    node.style.transform = transform3D ? `matrix3d(${transform3D})`
      : transform ? `matrix(${transform})` : '';
  }

  /** Pins with `position: sticky`, so that a header does not lag in a fast scroll. */
  setPin(lane, element, inset) {
    const { axis } = this.view;
    const look = `${element.zIndex} ${element.length} ${inset}`;
    if (lane.look === look) return;
    lane.look = look;
    const isFooter = /footer$/i.test(element.kind);
    Object.assign(lane.style, {
      zIndex: String(element.zIndex), display: 'flex', pointerEvents: 'none',
      flexDirection: axis.isHorizontal ? 'row' : 'column',
      justifyContent: isFooter ? 'flex-end' : 'flex-start',
    });
    Object.assign(lane.shown.style, {
      position: 'sticky', [isFooter ? axis.end : axis.start]: `${toPoints(inset)}px`, flex: 'none',
      [axis.length]: `${toPoints(element.length)}px`, pointerEvents: 'auto',
    });
  }

  state(shown, element, row) {
    if (element.category !== 'cell') return;
    shown.dataset.key = element.key;
    if (!row) return;
    shown.setAttribute('aria-posinset', String(row.firstItem + element.item + 1));
    shown.setAttribute('aria-setsize', String(this.options.itemCount()));
  }

  showMissing(missing) {
    const { plane, breadth } = this.view;
    while (this.placeholders.length > missing.length) this.placeholders.pop().remove();
    missing.forEach(([start, end], index) => {
      let node = this.placeholders[index];
      if (!node) {
        node = document.createElement('div');
        node.className = 'lc-placeholder';
        node.ariaHidden = 'true';
        node.style.position = 'absolute';
        plane.append(node);
        this.placeholders.push(node);
      }
      this.setBox(node, start, end - start, { cross: 0, breadth });
    });
  }
}
