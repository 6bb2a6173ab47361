// The requests to the service: tiles of a fixed grid ahead of the scroll position, with
// priority for the newest; after a commit only the affected ones.

import { Service, ServiceError } from './service.js';
import { UNITS, toPoints } from './units.js';

/** The minimum interval between two requests for tiles: a fling sends at most ten per second. */
const PACE_MS = 100;
const TILES_AT_ONCE = 4;
const RETRY_MS = 1500;

/**
 * The maximum number of elements of a layout with an effect: in some, all later pages are
 * visible.
 */
const LIVE_LIMIT = 120;

export class Loader {
  /** @param {Service} service */
  constructor(service, dataset, layout, { isLive, withData, carousels, shown }) {
    Object.assign(this, { service, isLive, carousels });
    /** The parameters of every request. */
    this.query = [...shown, ...(withData ? ['data=true'] : [])];
    this.path = Service.path(dataset, 'layouts', layout, 'elements');
    this.startedAt = -Infinity;
    this.requestCount = 0;
  }

  /** The loader of a layout for a feed. */
  static of({ service, dataset, isLive, options: { data }, carousels, shown }, layout) {
    return new Loader(service, dataset, layout, { isLive, withData: data, carousels, shown });
  }

  close() {
    clearTimeout(this.timer);
    this.request?.stop.abort();
    this.isClosed = true;
  }

  /**
   * A tile's length in units: a power of two near two visible lengths, equal for similar
   * ones.
   */
  static tileLength(visible) {
    const points = Math.max(64, 2 * toPoints(visible));
    return 2 ** Math.round(Math.log2(points)) * UNITS;
  }

  /**
   * The tiles of the grid that a store lacks in a range, those near `middle` first, each as
   * `[start, end]`. For a layout with an effect, which differs at each position, the tile is
   * the visible range.
   */
  tiles(store, [start, end], middle, visible) {
    const length = Loader.tileLength(visible);
    const found = new Set();
    for (const [low, high] of store.held.missing(start, end)) {
      for (let at = Math.floor(low / length); at * length < high; at++) found.add(at);
    }
    const distance = (tile) => Math.abs((tile + 0.5) * length - middle);
    // In the order of the feed, so that clients nearby request the same URL.
    return [...found].sort((a, b) => distance(a) - distance(b)).slice(0, TILES_AT_ONCE)
      .sort((a, b) => a - b)
      .map((tile) => [tile * length, (tile + 1) * length]);
  }

  /** Requests ranges in one request: pages of one revision, each complete. */
  async read(store, ranges, signal, attempts = 4) {
    const { axis, length, breadth } = store;
    const rects = ranges.map(([start, end]) => {
      // A mirrored rect is relative to the far end, beyond which there is nothing.
      const last = axis.isMirrored ? Math.min(end, length) : end;
      return `rect=${axis.rect(Math.min(start, last), last, length, breadth)}`;
    });
    this.requestCount++;
    const asked = new Map(this.carousels?.offsets);
    const query = [
      ...rects, ...axis.query, ...(this.carousels?.query ?? []), ...this.query,
      ...(this.isLive ? [`limit=${LIVE_LIMIT}`] : []),
    ].join('&');
    const answer = await this.service.json(`${this.path}?${query}`, { signal });
    // Pages of one request share the members that identify the state.
    const pages = answer.pages?.map((page) => ({ ...answer, ...page })) ?? [answer];
    for (const page of this.isLive ? [] : pages) {
      if (await this.complete(page, signal)) continue;
      if (attempts > 1) return this.read(store, ranges, signal, attempts - 1);
      throw new ServiceError(0, 'The feed changes faster than it can be read.');
    }
    this.carousels?.adapt(pages, asked);
    return pages;
  }

  /** Reads the rest of a page that the service has truncated; false if that is of another state. */
  async complete(page, signal) {
    for (let { next } = page; next;) {
      const query = [`after=${encodeURIComponent(next)}`, ...this.query].join('&');
      const rest = await this.service.json(`${this.path}?${query}`, { signal });
      if (rest.revision !== page.revision || rest.incarnation !== page.incarnation) return false;
      page.elements.push(...rest.elements);
      ({ next } = rest);
    }
    return true;
  }

  /**
   * Requests the wanted tiles. Called at each scroll event; a request in progress continues
   * as long as it includes tiles that are visible or wanted.
   *
   * @param {() => ({store: ElementStore, tiles: number[][], urgent: number[][]})} wish
   *   returns the tiles wanted now, and the visible ones among them
   * @param {(pages: object[], tiles: number[][]) => void} done
   * @param {(error: Error) => void} failed
   */
  want(wish, done, failed) {
    if (this.isClosed) return;
    clearTimeout(this.timer);
    const { store, tiles, urgent } = wish();
    if (tiles.length === 0) return;
    const has = (tile) => this.request?.tiles.some(([start]) => start === tile[0]);
    if (this.request && (urgent.length === 0 ? tiles.some(has) : urgent.every(has))) return;
    const wait = this.startedAt + PACE_MS - performance.now();
    if (wait > 0) {
      this.timer = setTimeout(() => this.want(wish, done, failed), wait);
      return;
    }
    this.request?.stop.abort();
    const request = { tiles, stop: new AbortController() };
    this.request = request;
    this.startedAt = performance.now();
    const again = (delay) => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.want(wish, done, failed), delay);
    };
    this.read(store, tiles, request.stop.signal).then(
      (pages) => {
        if (this.request !== request) return;
        this.request = undefined;
        done(pages, tiles);
      },
      (error) => {
        if (this.request !== request || request.stop.signal.aborted) return;
        this.request = undefined;
        failed(error);
        if (error.isPassing) again(RETRY_MS);
      });
  }
}
