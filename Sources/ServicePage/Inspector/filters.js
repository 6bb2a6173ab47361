// The row below the bar: a filter, an order, and the dataset's named views. The feed shows the
// view of the items that they describe.

import { icon, make } from './dom.js';
import { Service } from './service.js';

const MEMBERS_MOST = 24;
const ROW_OPEN = 'layoutcache-filters';

export class Filters {
  /**
   * @param {HTMLElement} row
   * @param {HTMLButtonElement} button opens and closes the row
   * @param {{changed: () => void, members: () => string[]}} actions
   */
  constructor(row, button, actions) {
    Object.assign(this, { row, button, actions, shown: {}, views: [] });
    this.input = make('input', {
      type: 'search', name: 'where', placeholder: 'Filter, such as price < 100',
      'aria-label': 'Filter', autocomplete: 'off', spellcheck: 'false', enterkeyhint: 'search',
      // The button that empties a field of this type sends no form.
      onsearch: () => this.submit(),
    });
    this.problem = make('p', { class: 'problem', role: 'alert', hidden: true });
    this.order = make('select', {
      'aria-label': 'Order by', onchange: ({ target }) => this.orderBy(target.value),
      onpointerdown: () => this.offer(), onfocus: () => this.offer(),
    });
    this.chips = make('div', { class: 'chips', role: 'group', 'aria-label': 'Order and views' });
    row.replaceChildren(make('form', {
      role: 'search',
      onsubmit: (event) => {
        event.preventDefault();
        this.submit();
      },
    }, this.input), this.chips, this.problem);
    button.addEventListener('click', () => {
      this.toggle(this.row.hidden);
      if (!this.row.hidden) this.input.focus();
    });
    this.toggle(sessionStorage.getItem(ROW_OPEN) !== null);
  }

  toggle(isOpen) {
    this.row.hidden = !isOpen;
    this.button.ariaExpanded = String(isOpen);
    if (isOpen) sessionStorage.setItem(ROW_OPEN, '');
    else sessionStorage.removeItem(ROW_OPEN);
  }

  get isActive() { return Service.view(this.shown).length > 0; }

  /** The filter of the feed, also that of a named view; undefined if it shows all items. */
  get where() {
    const { view, where } = this.shown;
    return view ? this.views.find((each) => each.view === view)?.where : where;
  }

  /** Begins with a dataset: its named views, and what the address shows of it. */
  attach(views, address = new URLSearchParams()) {
    this.views = views;
    const [where, view] = [address.get('where'), address.get('view')];
    const order = (address.get('order') ?? '').split(',').filter(Boolean);
    this.take(view ? { view } : { where: where ?? undefined, order });
    if (this.isActive) this.toggle(true);
  }

  /** Shows what is set, without the feed. */
  take(shown, problem = '') {
    this.shown = shown;
    if (!problem) this.input.value = shown.where ?? '';
    this.problem.textContent = problem;
    this.problem.hidden = !problem;
    this.button.classList.toggle('is-active', this.isActive);
    this.offer();
    const focused = [...this.chips.querySelectorAll('button')].indexOf(document.activeElement);
    this.chips.replaceChildren(this.order,
      ...(shown.order ?? []).map((member, index) => this.orderChip(member, index)),
      ...this.views.map(({ view }) => this.viewChip(view)));
    if (focused >= 0) ([...this.chips.querySelectorAll('button')][focused] ?? this.input).focus();
  }

  /** Shows something else in the feed. */
  change(shown) {
    this.former = this.shown;
    this.take(shown);
    this.actions.changed();
  }

  submit() {
    const where = this.input.value.trim() || undefined;
    if (where === this.shown.where && this.problem.hidden) return;
    this.change({ where, order: this.shown.order });
  }

  clear() { this.change({}); }

  /** After an error that the filter causes: what was shown before is shown again. */
  refuse({ status, message }) {
    if (!this.isActive || ![400, 404, 413].includes(status)) return false;
    this.toggle(true);
    this.take(this.former ?? {}, message);
    this.former = undefined;
    return true;
  }

  orderBy(member) {
    this.change({ where: this.shown.where, order: [...this.shown.order ?? [], member] });
  }

  /** Lists the members of the data that is on the page. */
  offer() {
    const used = (this.shown.order ?? []).map((each) => each.replace(/^-/, ''));
    const members = this.actions.members().filter((each) => !used.includes(each));
    const names = ['Order by', ...members.slice(0, MEMBERS_MOST)];
    this.order.hidden = members.length === 0;
    if (names.join() === [...this.order.options].map(({ text }) => text).join()) return;
    this.order.replaceChildren(...names.map((name, index) =>
      make('option', { value: name, hidden: index === 0, selected: index === 0 }, name)));
  }

  orderChip(member, index) {
    const isDescending = member.startsWith('-');
    const name = member.replace(/^-/, '');
    const replace = (...other) => {
      const order = [...this.shown.order];
      order.splice(index, 1, ...other);
      this.change({ where: this.shown.where, order });
    };
    return make('span', { class: 'chip' }, make('button', {
      type: 'button', title: 'Reverse',
      'aria-label': `${name}, ${isDescending ? 'descending' : 'ascending'}: reverse`,
      onclick: () => replace(isDescending ? name : `-${name}`),
    }, `${name} ${isDescending ? '\u2193' : '\u2191'}`), make('button', {
      type: 'button', 'aria-label': `Do not order by ${name}`, onclick: () => replace(),
    }, icon('close')));
  }

  viewChip(view) {
    const isShown = this.shown.view === view;
    return make('button', {
      class: 'chip', type: 'button', 'aria-pressed': String(isShown),
      onclick: () => this.change(isShown ? {} : { view }),
    }, view);
  }
}
