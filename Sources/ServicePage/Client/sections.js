// The positions of sections, for pinned headers, positions in the set and scrubbers. Read in
// pages on demand, because a feed may have a million sections.

import { Service } from './service.js';
import { toUnits } from './units.js';

const PAGE = 256;

export class SectionTable {
  /**
   * @param {string} path that of a page of sections, without its begin
   * @param {(path: string) => Promise<object>} read
   * @param {() => void} changed called when sections have become known
   */
  constructor(path, read, changed) {
    this.path = path;
    this.read = read;
    this.changed = changed;
    this.rows = new Map();
    this.stale = new Set();
    this.asked = new Map();
  }

  /** The table of the layout that a feed shows. */
  static of(feed) {
    return new SectionTable(
      SectionTable.path(feed, PAGE), (path) => feed.service.json(path), () => feed.draw());
  }

  /** The path of a page of sections of the layout, as the feed shows it. */
  static path({ dataset, layout, shown }, count) {
    const query = [`layout=${encodeURIComponent(layout)}`, `count=${count}`, ...shown];
    return `${Service.path(dataset, 'sections')}?${query.join('&')}`;
  }

  /** The numbers of sections and items of a view, else from the dataset's description. */
  static async counts(feed, described) {
    const { service, dataset, isOfView } = feed;
    const { total } = isOfView ? await service.json(SectionTable.path(feed, 1)) : {};
    const { sections = 0, items } = total ?? described ?? await service.json(Service.path(dataset));
    return { sectionCount: sections, itemCount: items };
  }

  /** A copy for the next revision, which changes independently. */
  clone() {
    const copy = Object.assign(Object.create(SectionTable.prototype), this);
    copy.rows = new Map(this.rows);
    copy.stale = new Set(this.stale);
    copy.asked = new Map();
    return copy;
  }

  /**
   * A section, if known: `{key, style, start, length, firstItem, itemCount}`, in units; undefined
   * until it has been read, and for an element of the layout. Sections affected by a commit are
   * read again in the background.
   */
  get(index) {
    if (index === undefined) return undefined;
    const page = Math.floor(index / PAGE);
    if (!this.rows.has(index) || this.stale.has(page)) this.need(page).catch(() => {});
    return this.rows.get(index);
  }

  /** A section, read if need be; undefined if there is none with the index. */
  async row(index) {
    if (index < 0) return undefined;
    const page = Math.floor(index / PAGE);
    if (!this.rows.has(index) || this.stale.has(page)) await this.need(page).catch(() => {});
    return this.rows.get(index);
  }

  /** A page of sections, read if need be. */
  need(page) {
    if (this.asked.has(page)) return this.asked.get(page);
    const reading = this.readPage(page).finally(() => this.asked.delete(page));
    this.asked.set(page, reading);
    return reading;
  }

  async readPage(page) {
    const answer = await this.read(`${this.path}&from=${page * PAGE}`);
    this.stale.delete(page);
    for (const row of answer.sections) {
      this.rows.set(row.section, {
        index: row.section, key: row.sectionKey, firstItem: row.firstItem, itemCount: row.items,
        start: toUnits(row.start ?? 0), length: toUnits(row.length ?? 0),
        style: row.style, carousel: row.carousel,
      });
    }
    this.changed();
    return answer.sections.length;
  }

  /** Reads all sections, at most `limit`. */
  async all(limit) {
    const rows = [];
    for (let page = 0; rows.length < limit; page++) {
      const from = page * PAGE;
      const fresh = this.rows.has(from) && !this.stale.has(page);
      const count = fresh ? PAGE : await this.need(page);
      for (let index = from; index < from + count && this.rows.has(index); index++) {
        rows.push(this.rows.get(index));
      }
      if (count < PAGE || !this.rows.has(from + PAGE - 1)) break;
    }
    return rows;
  }

  /** The section that contains a position, among those known. */
  at(position) {
    let found;
    for (const row of this.rows.values()) {
      if (row.start <= position && (!found || row.start > found.start)) found = row;
    }
    return found;
  }

  /** Applies a commit as far as it describes the changes; the rest is read again on demand. */
  apply(touched, growth) {
    if (touched === undefined) this.rows.clear();
    for (const index of this.rows.keys()) this.stale.add(Math.floor(index / PAGE));
    if (touched?.length !== 1) return;
    for (const [index, row] of this.rows) {
      if (index < touched[0]) continue;
      const change = index === touched[0]
        ? { length: row.length + growth } : { start: row.start + growth };
      this.rows.set(index, { ...row, ...change });
    }
  }
}
