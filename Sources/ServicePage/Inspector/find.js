// Search: sections, keys, and the data of the whole feed, which the service searches. The
// browser's search sees only the elements on the page.

import { wording } from './cards.js';
import { icon, make, shown } from './dom.js';
import { Service } from './service.js';

const SECTIONS_LISTED = 6;
const ITEMS_LISTED = 24;
const SECTIONS_MOST = 5000;
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
    this.scan({ search, wanted, begin: from, from, searched: 0, count: 0 });
  }

  /**
   * Searches the whole feed, until enough items are found. After the end of the feed the search
   * continues at its start, up to where it began.
   */
  async scan(state) {
    const { search, begin } = state;
    this.found = state;
    this.onward.hidden = true;
    const most = state.count + ITEMS_LISTED;
    while (state.from && state.count < most) {
      try {
        await this.request(state, most - state.count);
      } catch (error) {
        if (this.search === search) this.note.textContent = error.message;
        return;
      }
      if (this.search !== search) return;
      if (!state.from && !state.isWrapped && begin !== '0.0') {
        state.from = '0.0';
        state.isWrapped = true;
      }
    }
    this.onward.hidden = !state.from;
    this.say(state);
  }

  /** Lists the items that one request finds, as they arrive, and notes where it has ended. */
  async request(state, limit) {
    const { feed } = this;
    const { search } = state;
    const query = new URLSearchParams({ text: search.text, from: state.from, limit });
    if (state.isWrapped) query.set('to', state.begin);
    const path = `${Service.path(feed.dataset, 'search')}?${query}`;
    const before = state.searched;
    state.from = undefined;
    this.say(state, true);
    for await (const line of feed.service.lines(path, { signal: search.stop.signal })) {
      if (this.search !== search) return;
      if (line.key !== undefined) {
        state.count++;
        this.addItem('Item', line, this.other(line, state.wanted));
      } else {
        state.searched = before + line.searched;
        state.from = line.next ?? undefined;
      }
      this.say(state, line.next === undefined);
    }
  }

  say({ searched, count, from }, isSearching = from !== undefined) {
    const found = count === 0 && !isSearching ? 'Nothing found' : `${shown(count)} found`;
    this.note.textContent =
      `${found} in ${isSearching ? `${shown(searched)} of ` : ''}${shown(this.feed.itemCount)} items`;
  }

  /** The member of an item's data that has the wanted text, unless its title has it. */
  other(item, wanted) {
    const { title, about } = wording(item);
    const has = (text) => String(text).toLowerCase().includes(wanted);
    if (has(title) || has(about)) return undefined;
    return Object.entries(item.data ?? {})
      .find(([, value]) => typeof value !== 'object' && has(value))?.join(': ');
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
