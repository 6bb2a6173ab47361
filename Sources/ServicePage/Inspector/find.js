// Search: sections, keys, and titles in the whole feed. The browser's search sees only the
// elements on the page.

import { wording } from './cards.js';
import { icon, make, shown } from './dom.js';
import { Service } from './service.js';

const SECTIONS_LISTED = 6;
const ITEMS_LISTED = 24;
const SECTIONS_MOST = 5000;
/** The first page is short, so that results near the current position come first. */
const FIRST_PAGE = 500;
const PAGE = 5000;
const WAIT_MS = 180;

export class Find {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {{reveal: (key: string) => void, goTo: (section: object) => void}} actions
   */
  constructor(dialog, actions) {
    this.dialog = dialog;
    this.actions = actions;
    this.input = make('input', {
      type: 'search', placeholder: 'Title, section or key', role: 'combobox',
      'aria-label': 'Find', 'aria-expanded': 'true', 'aria-controls': 'found', autocomplete: 'off',
      spellcheck: 'false', oninput: () => this.typed(), onkeydown: (event) => this.key(event),
    });
    this.list = make('ul', { id: 'found', role: 'listbox', 'aria-label': 'Results' });
    this.note = make('p', { class: 'note', role: 'status' });
    this.onward = make('button', {
      class: 'framed', type: 'button', hidden: true, onclick: () => this.scan(this.found),
    }, 'Search further');
    dialog.replaceChildren(
      make('div', { class: 'field' }, this.input, make('button', {
        class: 'icon-button', type: 'button', 'aria-label': 'Close', onclick: () => dialog.close(),
      }, icon('close'))),
      this.list, make('footer', {}, this.note, this.onward));
    dialog.addEventListener('close', () => this.end());
    dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  }

  open(feed) {
    this.feed = feed;
    this.dialog.showModal();
    this.input.select();
    this.typed();
  }

  end() {
    clearTimeout(this.timer);
    this.search?.stop.abort();
    this.search = undefined;
  }

  typed() {
    this.end();
    const text = this.input.value.trim();
    this.search = { text, stop: new AbortController() };
    this.list.replaceChildren();
    this.onward.hidden = true;
    this.note.textContent = text ? '' : 'Searches the data of all items, from the current position onwards.';
    if (!text) return;
    const { search } = this;
    this.timer = setTimeout(() => this.run(search), WAIT_MS);
  }

  async run(search) {
    const { feed } = this;
    const wanted = search.text.toLowerCase();
    const sections = (await feed.sections.all(SECTIONS_MOST).catch(() => []))
      .filter(({ key }) => key.toLowerCase().includes(wanted))
      .sort((a, b) => a.key.length - b.key.length || a.index - b.index);
    if (search !== this.search) return;
    for (const section of sections.slice(0, SECTIONS_LISTED)) {
      this.add('Section', section.key, `${shown(section.itemCount)} items`,
        () => this.actions.goTo(section));
    }
    const item = await feed.item(search.text).catch(() => undefined);
    if (search !== this.search) return;
    if (item) this.addItem('Key', item);
    const begin = feed.visibleElements().find(({ category }) => category === 'cell');
    const from = begin ? `${begin.section}.${begin.item}` : '0.0';
    const next = `from=${from}&count=${FIRST_PAGE}`;
    this.scan({ search, wanted, begin, next, looked: 0, count: 0, listed: 0, waiting: [] });
  }

  /** Searches the whole feed page by page, until enough items are found. */
  async scan(state) {
    const { feed } = this;
    const { search, begin } = state;
    const path = Service.path(feed.dataset, 'layouts', feed.layout, 'elements');
    this.found = state;
    this.onward.hidden = true;
    const most = state.listed + ITEMS_LISTED;
    this.listMatches(state, most);
    const isBefore = ({ section, item }) =>
      section < begin.section || (section === begin.section && item < begin.item);
    while (state.next && state.listed < most) {
      this.say(state);
      let answer;
      try {
        answer = await feed.service.json(
          `${path}?${state.next}&data=true`, { signal: search.stop.signal });
      } catch (error) {
        if (this.search === search) this.note.textContent = error.message;
        return;
      }
      if (this.search !== search) return;
      // After the end the search continues at the start, up to where it began.
      const cells = state.isWrapped ? answer.elements.filter(isBefore) : answer.elements;
      for (const cell of cells) this.match(cell, state);
      this.listMatches(state, most);
      state.looked += cells.length;
      state.next = cells.length === answer.elements.length && answer.next
        ? `after=${encodeURIComponent(answer.next)}&count=${PAGE}` : undefined;
      if (!state.next && !state.isWrapped && begin) {
        state.next = `from=0.0&count=${PAGE}`;
        state.isWrapped = true;
      }
    }
    this.onward.hidden = !state.next && state.waiting.length === 0;
    this.say(state);
  }

  listMatches(state, most) {
    for (const [cell, other] of state.waiting.splice(0, most - state.listed)) {
      state.listed++;
      this.addItem('Item', cell, other && other.join(': '));
    }
  }

  say({ looked, count, next }) {
    const found = count === 0 && !next ? 'Nothing found' : `${shown(count)} found`;
    this.note.textContent =
      `${found} in ${next ? `${shown(looked)} of ` : ''}${shown(this.feed.itemCount)} items`;
  }

  /** Notes an item if its title, or any other text of its data, has the wanted one. */
  match(cell, state) {
    const { title, about } = wording(cell);
    const has = (text) => String(text).toLowerCase().includes(state.wanted);
    const isTitle = has(title) || has(about);
    const other = !isTitle && Object.entries(cell.data ?? {})
      .find(([, value]) => typeof value !== 'object' && has(value));
    if (!isTitle && !other) return;
    state.count++;
    state.waiting.push([cell, other]);
  }

  addItem(kind, item, found) {
    const { title, about } = wording(item);
    const place = found || about || `${item.sectionKey}, item ${shown(item.item + 1)}`;
    this.add(kind, title, place, () => this.actions.reveal(item.key));
  }

  add(kind, title, about, act) {
    const row = make('li', {
      role: 'option', 'aria-selected': this.list.children.length === 0 ? 'true' : 'false',
      onclick: () => {
        this.dialog.close();
        act();
      },
    }, make('span', { class: 'kind' }, kind), make('b', {}, title), make('span', {}, about));
    this.list.append(row);
  }

  key(event) {
    const rows = [...this.list.children];
    const chosen = rows.findIndex((row) => row.ariaSelected === 'true');
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') {
      event.preventDefault();
      rows[Math.max(0, chosen)]?.click();
    } else if (step && rows.length > 0) {
      event.preventDefault();
      const next = (chosen + step + rows.length) % rows.length;
      rows.forEach((row, index) => { row.ariaSelected = String(index === next); });
      rows[next].scrollIntoView({ block: 'nearest' });
    }
  }
}
