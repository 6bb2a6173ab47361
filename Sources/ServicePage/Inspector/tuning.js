// The panel of the layout's configuration: sliders that change it, and what that lays out again.

import { counted, icon, make, shown } from './dom.js';
import { Service } from './service.js';

const KINDS = ['waterfall', 'grid', 'flow', 'justified'];

/** The sliders of each kind: a member of its options, its label, and its range. */
const SLIDERS = {
  waterfall: [
    ['columns', 'Columns', 1, 12], ['minimumColumnWidth', 'Columns at least', 60, 600],
    ['columnSpacing', 'Column spacing', 0, 48], ['lineSpacing', 'Line spacing', 0, 48],
  ],
  flow: [
    ['lineLength', 'Line length', 40, 400],
    ['minimumInteritemSpacing', 'Item spacing', 0, 48],
    ['minimumLineSpacing', 'Line spacing', 0, 48],
  ],
  justified: [['targetRowLength', 'Row length', 40, 400], ['spacing', 'Spacing', 0, 48]],
};
SLIDERS.grid = SLIDERS.waterfall;

/** Members that a kind needs, or without which it is of little use, and the values they get. */
const NEEDED = { flow: { lineLength: 160 }, justified: { targetRowLength: 160 } };

/** Members of which a configuration has one; the first is the default. */
const ALTERNATIVES = { columns: 'minimumColumnWidth', lineLength: 'itemSize' };
const DEFAULTS = { columns: 2 };

export class Tuning {
  /**
   * @param {HTMLElement} panel
   * @param {{mayWrite: () => boolean, changed: (name: string, configuration: object) => void}}
   *   actions `changed` is called after the server has a changed configuration
   */
  constructor(panel, actions) {
    this.panel = panel;
    this.actions = actions;
  }

  attach(feed) {
    this.feed = feed;
    this.name = feed.layout.split('@')[0];
    this.original = structuredClone(feed.configuration);
    this.configuration = structuredClone(feed.configuration);
    if (!this.panel.hidden) this.fill();
  }

  toggle() {
    this.panel.hidden = !this.panel.hidden;
    if (!this.panel.hidden) this.fill();
  }

  get section() {
    this.configuration.section ??= {};
    return this.configuration.section;
  }

  fill() {
    const kind = this.section.kind ?? 'waterfall';
    const kinds = KINDS.includes(kind) ? KINDS : [kind, ...KINDS];
    const { container, scrollDirection } = this.configuration;
    const side = scrollDirection === 'horizontal' ? 'height' : 'width';
    const isReadOnly = !this.actions.mayWrite();
    this.result = make('p', { class: 'result', role: 'status' }, isReadOnly ? 'View only' : '');
    const isShown = ([member]) => {
      const other = ALTERNATIVES[member];
      const isOther = Object.values(ALTERNATIVES).includes(member);
      return isOther ? this.section[member] !== undefined
        : other === undefined || this.section[other] === undefined;
    };
    const inset = this.section.inset ?? {};
    this.panel.replaceChildren(
      make('header', {}, make('h2', {}, `Layout ${this.name}`), make('button', {
        class: 'icon-button', type: 'button', 'aria-label': 'Close', onclick: () => this.toggle(),
      }, icon('close'))),
      make('form', { onsubmit: (event) => event.preventDefault() },
        make('fieldset', { disabled: isReadOnly },
          make('label', { class: 'kind' }, make('span', {}, 'Kind'), make('select', {
            name: 'kind', onchange: ({ target }) => this.setKind(target.value),
          }, ...kinds.map((each) => make('option', { selected: each === kind }, each)))),
          ...(SLIDERS[kind] ?? []).filter(isShown).map(([member, label, least, most]) =>
            this.slider(member, label, this.section[member] ?? DEFAULTS[member] ?? 0, least, most,
              (value) => { this.section[member] = value; })),
          this.slider('inset', 'Inset', Math.max(0, ...Object.values(inset)), 0, 64, (value) => {
            this.section.inset = { top: value, left: value, bottom: value, right: value };
          }),
          ...(container[side] === undefined ? [] : [this.slider(
            side, side === 'width' ? 'Width' : 'Height', container[side], 200, 1600,
            (value) => { container[side] = value; })]),
          make('button', { class: 'framed', type: 'button', onclick: () => this.reset() },
            icon('undo'), 'Reset')),
        this.result));
  }

  slider(name, label, value, least, most, set) {
    const number = make('output', {}, shown(value));
    return make('label', {}, make('span', {}, label), number, make('input', {
      name, type: 'range', min: Math.min(least, Math.floor(value)),
      max: Math.max(most, Math.ceil(value)), step: 1, value,
      oninput: ({ target }) => {
        number.textContent = shown(target.valueAsNumber);
        set(target.valueAsNumber);
        this.apply();
      },
    }));
  }

  setKind(kind) {
    const needed = Object.entries(NEEDED[kind] ?? {})
      .filter(([member]) => this.section[ALTERNATIVES[member] ?? member] === undefined);
    this.configuration.section = { ...Object.fromEntries(needed), ...this.section, kind };
    this.fill();
    this.apply();
  }

  reset() {
    this.configuration = structuredClone(this.original);
    this.fill();
    this.apply();
  }

  /** Sends the configuration: one request at a time, finally the last one. */
  async apply() {
    this.isStale = true;
    if (this.isApplying) return;
    this.isApplying = true;
    while (this.isStale) {
      this.isStale = false;
      await this.send();
    }
    this.isApplying = false;
  }

  async send() {
    const { feed, name } = this;
    const configuration = structuredClone(this.configuration);
    const path = Service.path(feed.dataset, 'layouts', name);
    // A query in between would lay out the changed layout, and `prepare` would report no work.
    feed.isHeld = true;
    try {
      await feed.service.fetch(path, {
        method: 'PUT', headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(configuration),
      });
      const prepared = Service.path(feed.dataset, 'layouts', feed.layout, 'prepare');
      const { laidOut, microseconds } = await feed.service.json(prepared, { method: 'POST' });
      this.actions.changed(name, configuration);
      if (feed.isClosed) return;
      await feed.reconfigure(configuration);
      const { sections = {}, styles = {} } = configuration;
      const hasOverrides = Object.keys(sections).length + Object.keys(styles).length > 0;
      const what = hasOverrides ? 'the changed sections' : counted(feed.itemCount, 'item');
      this.result.textContent = laidOut
        ? `Laid out ${what} in ${shown(Math.ceil(microseconds / 1000))} ms`
        : 'No item was laid out again';
    } catch (error) {
      this.result.textContent = error.message;
    } finally {
      feed.isHeld = false;
    }
  }
}
