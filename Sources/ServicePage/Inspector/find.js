// Search: sections, keys, and titles in the whole feed. The browser's search sees only the
// elements on the page.

import { wording } from './cards.js';
import { icon, make, shown } from './dom.js';
import { Service } from './service.js';

const SECTIONS_LISTED = 6;
const TITLES_LISTED = 12;
const SECTIONS_MOST = 5000;
const PAGE = 500;
const PAGES_AT_ONCE = 12;
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
    dialog.addEventListener('close', () => { this.search = undefined; });
    dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  }

  open(feed) {
    this.feed = feed;
    this.dialog.showModal();
    this.input.select();
    this.typed();
  }

  typed() {
    clearTimeout(this.timer);
    const text = this.input.value.trim();
    this.search = { text };
    this.list.replaceChildren();
    this.onward.hidden = true;
    this.note.textContent = text ? '' : 'Searches titles from the current position onwards.';
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
    const { axis, store, view: { position } } = feed;
    const rect = axis.rect(position, store.length, store.length, store.breadth);
    this.scan({ search, wanted, next: `rect=${rect}`, looked: 0, count: 0 });
  }

  /** Searches the feed page by page until enough titles are found. */
  async scan(state) {
    const { feed } = this;
    const path = Service.path(feed.dataset, 'layouts', feed.layout, 'elements');
    this.found = state;
    this.onward.hidden = true;
    const most = state.count + TITLES_LISTED;
    for (let page = 0; page < PAGES_AT_ONCE && state.next && state.count < most; page++) {
      this.note.textContent = `Searching titles: ${shown(state.looked)} so far`;
      let answer;
      try {
        answer = await feed.service.json(`${path}?${state.next}&limit=${PAGE}&data=true`);
      } catch (error) {
        this.note.textContent = error.message;
        return;
      }
      if (this.search !== state.search) return;
      const cells = answer.elements.filter(({ category }) => category === 'cell');
      for (const cell of cells) this.match(cell, state);
      state.looked += cells.length;
      state.next = answer.next && `after=${encodeURIComponent(answer.next)}`;
    }
    this.onward.hidden = !state.next;
    this.note.textContent = state.next
      ? `Searched ${shown(state.looked)} titles from here`
      : `Searched all ${shown(state.looked)} titles from here to the end`;
  }

  match(cell, state) {
    const { title, about } = wording(cell);
    if (!`${title} ${about}`.toLowerCase().includes(state.wanted)) return;
    state.count++;
    this.addItem('Item', cell);
  }

  addItem(kind, item) {
    const { title, about } = wording(item);
    const place = about || `${item.sectionKey}, item ${shown(item.item + 1)}`;
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
