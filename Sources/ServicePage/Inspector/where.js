// The line below the feed: where the visible part is, and how many items there are.

import { counted, shown } from './dom.js';

export class Where {
  constructor(line) {
    this.line = line;
  }

  attach(feed) {
    this.feed = feed;
    feed.addEventListener('drawn', () => this.show());
    this.show();
  }

  show() {
    const { feed, line } = this;
    if (!feed.view || feed.isClosed) return;
    const place = this.place();
    const [section, item] = [place?.row.key ?? '', place && shown(place.number)];
    const number = place?.isExact === false ? `about ${item}` : item;
    const text = item
      ? `${number} of ${counted(feed.itemCount, 'item')}` : counted(feed.itemCount, 'item');
    line.hidden = false;
    const [name, count] = line.children;
    if (name.textContent !== section) name.textContent = section;
    if (count.textContent !== text) count.textContent = text;
  }

  /** The number of the first visible item, counted from 1; while it is loading, about. */
  place() {
    const { feed } = this;
    const { position } = feed.view;
    const cells = feed.visibleElements().filter(({ category }) => category === 'cell');
    const inside = cells.filter(({ start }) => start >= position);
    const [first] = inside.length > 0 ? inside : cells;
    const row = first ? feed.sections.get(first.section) : feed.sections.at(position);
    if (!row || feed.itemCount === 0) return undefined;
    if (first) return { row, number: row.firstItem + first.item + 1, isExact: true };
    const share = row.length > 0 ? Math.min(1, (position - row.start) / row.length) : 0;
    const number = Math.min(row.firstItem + Math.floor(share * row.itemCount) + 1, feed.itemCount);
    return { row, number, isExact: false };
  }
}
