// The order that results from a drag, shown before it is committed.

import { inOrder } from './elements.js';
import { Service } from './service.js';
import { toPoints } from './units.js';

export class Preview {
  constructor(feed) {
    this.feed = feed;
  }

  /**
   * Shows the order with an item at a point, until `end` or the next commit. The item itself is
   * left out: the caller draws it at the pointer.
   *
   * @param {{main: number, cross: number}} point in units, from the leading end
   * @param {object} [last] the answer before in the same drag
   * @returns {Promise<object>} the answer of the route `movement`: its `operations` commit the
   *   order
   */
  async show(key, { main, cross }, last, signal) {
    const { axis, carousels, service, store, dataset, layout } = this.feed;
    const { position, visible } = this.feed.view;
    const [low, high] = [Math.max(0, position - visible / 2), position + 1.5 * visible];
    const leading = toPoints(axis.isMirrored ? store.length - main : main);
    const query = new URLSearchParams({
      key, point: axis.isHorizontal ? [leading, toPoints(cross)] : [toPoints(cross), leading],
      rect: axis.rect(low, high, store.length, store.breadth),
      ...(last && { current: last.targetIndexPath.join('.') }),
    });
    const path = Service.path(dataset, 'layouts', layout, 'movement');
    const asked = new Map(carousels.offsets);
    const answer = await service.json(
      `${path}?${[query, ...axis.query, ...carousels.query].join('&')}`, { signal });
    carousels.adapt([answer], asked);
    if (this.feed.isClosed || !this.feed.store.agrees(answer)) return answer;
    const cells = answer.elements.filter((each) => each.category === 'cell' && each.key !== key)
      .map((each) => ({ ...store.cell(each.key), ...store.element(each) }));
    this.shown = { cells, low, high };
    this.feed.draw();
    return answer;
  }

  forget() {
    this.shown = undefined;
  }

  end() {
    if (!this.shown) return;
    this.forget();
    this.feed.draw();
  }

  /** Replaces those of a range's elements whose places the preview knows. */
  elements(elements) {
    if (!this.shown) return elements;
    const { cells, low, high } = this.shown;
    const isOutside = (element) => element.category !== 'cell'
      || element.start >= high || element.start + element.length <= low;
    return elements.filter(isOutside).concat(cells).sort(inOrder);
  }
}
