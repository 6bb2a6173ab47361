// Search: sections, keys, and the items that contain a text or match a filter, which the service
// finds. The browser's search sees only the elements on the page.

import { WORDS, wording } from './cards.js';
import { counted, icon, make, shown } from './dom.js';
import { Service } from './service.js';

const SECTIONS_LISTED = 6;
const ITEMS_LISTED = 24;
const SECTIONS_MOST = 5000;
/** The pause in typing after which the search begins: each reads the whole dataset. */
const WAIT_MS = 300;

/** The filter for items with a text in their key, or in the data that their cards show. */
function containing(text) {
  const test = `CONTAINS "${text.replace(/["\\]/g, '\\$&')}"`;
  return ['key', ...WORDS].map((member) => `${member} ${test}`).join(' OR ');
}

export class Find {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {{reveal: (key: string) => void, goTo: (section: object) => void,
   *   within: () => (string | undefined)}} actions `within`: the filter of the feed
   */
  constructor(dialog, actions) {
    this.dialog = dialog;
    this.actions = actions;
    this.input = make('input', {
      type: 'search', placeholder: 'Title, section, key or filter', role: 'combobox',
      'aria-label': 'Find', 'aria-expanded': 'true', 'aria-controls': 'found', autocomplete: 'off',
      spellcheck: 'false', oninput: () => this.typed(), onkeydown: (event) => this.key(event),
    });
    this.list = make('ul', { id: 'found', role: 'listbox', 'aria-label': 'Results' });
    this.note = make('p', { class: 'note', role: 'status' });
    this.filter = make('code', { class: 'note' });
    this.onward = make('button', {
      class: 'framed', type: 'button', hidden: true, onclick: () => this.more(this.search),
    }, 'Show more');
    dialog.replaceChildren(
      make('div', { class: 'field' }, this.input, make('button', {
        class: 'icon-button', type: 'button', 'aria-label': 'Close', onclick: () => dialog.close(),
      }, icon('close'))),
      this.list, make('footer', {}, make('div', {}, this.note, this.filter), this.onward));
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
    this.search = { text, where: text, count: 0, stop: new AbortController() };
    this.list.replaceChildren();
    this.onward.hidden = true;
    this.filter.textContent = '';
    this.note.textContent = text ? '' : 'Type a title, section or key, or a filter such as width > 300';
    if (!text) return;
    const { search } = this;
    this.timer = setTimeout(() => this.run(search), WAIT_MS);
  }

  async run(search) {
    const { feed } = this;
    // A layout of any width may get another variant, which does not continue this one's answers.
    search.path = Service.path(feed.dataset, 'layouts', feed.layout, 'elements');
    const wanted = search.text.toLowerCase();
    const sections = (await feed.sections.all(SECTIONS_MOST).catch(() => []))
      .filter(({ key }) => key.toLowerCase().includes(wanted))
      .sort((a, b) => a.key.length - b.key.length || a.index - b.index);
    if (search !== this.search) return;
    for (const section of sections.slice(0, SECTIONS_LISTED)) {
      this.add('Section', section.key, counted(section.itemCount, 'item'),
        () => this.actions.goTo(section));
    }
    const item = await feed.item(search.text).catch(() => undefined);
    if (search !== this.search) return;
    if (item) this.addItem('Key', item);
    search.key = item?.key;
    await this.more(search);
  }

  /** Lists the next items that match. */
  async more(search) {
    this.onward.hidden = true;
    this.note.textContent = 'Searching\u2026';
    let problem;
    try {
      const { elements, next } = await this.page(search);
      if (search !== this.search) return;
      search.next = next;
      search.count += elements.length;
      for (const item of elements) if (item.key !== search.key) this.addItem('Item', item);
    } catch (error) {
      if (search !== this.search) return;
      problem = error.status === 413 ? 'Too many items match' : error.message;
    }
    const { count, next, where } = search;
    const found = count > 0 ? `${counted(count, 'item')} found` : 'No items found';
    this.note.textContent = problem ?? (next ? `First ${shown(count)} items` : found);
    this.filter.textContent = where;
    this.filter.title = where;
    this.onward.hidden = !next;
  }

  /** The next page of items that match; a text that is no filter is searched for. */
  async page(search) {
    const { where, next } = search;
    const place = next ? { after: next } : { from: '0.0', count: ITEMS_LISTED };
    const feed = this.actions.within();
    const query = new URLSearchParams({
      where: feed ? `(${feed}) AND (${where})` : where, data: true, ...place,
    });
    try {
      return await this.feed.service.json(
        `${search.path}?${query}`, { signal: search.stop.signal });
    } catch (error) {
      // Without matching items there is no first one.
      if (error.status === 404) return { elements: [] };
      if (error.status !== 400 || where !== search.text) throw error;
      search.where = containing(search.text);
      return this.page(search);
    }
  }

  addItem(kind, item) {
    const { title, about } = wording(item);
    this.add(kind, title, about || item.sectionKey, () => this.actions.reveal(item.key));
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
