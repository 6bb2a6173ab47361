// The panel of the layout's configuration: sliders that change it, and what that lays out again.

import { counted, icon, make, shown } from './dom.js';
import { alternative, breakpoint, optionsOf, states } from './options.js';
import { Service } from './service.js';
import { KINDS, SELECTS, SLIDERS, missing } from './sliders.js';
import { toPoints } from './units.js';

const WIDTH_LEAST = 200;
const WIDTH_MOST = 1600;

export class Tuning {
  /**
   * @param {HTMLElement} panel
   * @param {object} actions
   * @param {() => boolean} actions.mayWrite
   * @param {(name: string, configuration: object) => void} actions.changed called after the
   *   server has a changed configuration
   * @param {(prepared: object) => void} actions.show shows what it laid out again
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
    this.style = undefined;
    feed.addEventListener('replaced', () => this.replaced());
    if (!this.panel.hidden) this.fill();
  }

  /** Ends the display in another width than the window's. */
  release() {
    this.feed?.scroller.style.removeProperty('--fit');
  }

  toggle() {
    this.panel.hidden = !this.panel.hidden;
    if (!this.panel.hidden) this.fill();
  }

  // MARK: - The options

  /** The breakpoint that applies; undefined for none. */
  get breakpoint() { return breakpoint(this.configuration, toPoints(this.feed.store.breadth)); }

  /** The options of the sections with the chosen style, or of those without one. */
  get options() {
    const { configuration, feed: { store }, style } = this;
    return optionsOf(configuration, toPoints(store.breadth), { style });
  }

  /**
   * The object whose member the sections use: of a style its own, else the breakpoint that
   * states the member, else the defaults.
   */
  holder(member) {
    if (this.style !== undefined) return this.configuration.styles[this.style];
    const wide = this.breakpoint;
    if (wide && states(wide, member)) return wide;
    this.configuration.section ??= {};
    return this.configuration.section;
  }

  set(member, value) {
    const holder = this.holder(member);
    delete holder[alternative(member)];
    holder[member] = value;
  }

  setKind(kind) {
    this.set('kind', kind);
    for (const [member, value] of missing(kind, this.options)) this.set(member, value);
    this.fillControls();
    this.apply();
  }

  reset() {
    this.configuration = structuredClone(this.original);
    this.fill();
    this.apply();
  }

  // MARK: - The panel

  fill() {
    const isReadOnly = !this.actions.mayWrite();
    const { fitting } = this.feed;
    this.result = make('p', { class: 'result', role: 'status' }, isReadOnly ? 'View only' : '');
    this.controls = make('fieldset', { disabled: isReadOnly });
    this.panel.replaceChildren(
      make('header', {}, make('h2', {}, `Layout ${this.name}`), make('button', {
        class: 'icon-button', type: 'button', 'aria-label': 'Close', onclick: () => this.toggle(),
      }, icon('close'))),
      make('form', { onsubmit: (event) => event.preventDefault() },
        // A narrower window needs no permission.
        make('fieldset', { disabled: isReadOnly && !fitting },
          fitting ? this.windowSlider() : this.widthSlider()),
        this.controls, this.result));
    this.fillControls();
  }

  fillControls() {
    const { options } = this;
    const kind = options.kind ?? 'waterfall';
    const styles = Object.keys(this.configuration.styles ?? {});
    const isStatedOtherwise = (member) =>
      alternative(member) !== undefined && options[member] === undefined
      && options[alternative(member)] !== undefined;
    const sliders = [...(SLIDERS[kind] ?? []), ...SLIDERS.every]
      .filter(({ member }) => !isStatedOtherwise(member))
      .filter(({ member, read }) => read(options[member]) !== undefined);
    this.filledFor = this.breakpoint?.from;
    this.controls.replaceChildren(...[
      styles.length > 0 && this.choice(
        'style', 'Sections', [['', 'without a style'], ...styles.map((style) => [style, style])],
        this.style ?? '', (style) => this.setStyle(style || undefined)),
      this.choice('kind', 'Kind', [...new Set([...KINDS, kind])].map((each) => [each, each]), kind,
        (value) => this.setKind(value)),
      ...sliders.map((each) => this.optionSlider(each, options[each.member])),
      ...(SELECTS[kind] ?? []).map(({ member, label, values }) => this.choice(
        member, label, values, options[member] ?? values[0][0], (value) => {
          this.set(member, value);
          this.apply();
        })),
      make('button', { class: 'framed', type: 'button', onclick: () => this.reset() },
        icon('undo'), 'Reset'),
    ].filter(Boolean));
  }

  /** Shows other options once the feed has reached another breakpoint. */
  replaced() {
    if (!this.panel.hidden && this.filledFor !== this.breakpoint?.from) this.fillControls();
  }

  setStyle(style) {
    this.style = style;
    this.fillControls();
  }

  /** A list of values, each with its text. */
  choice(name, label, values, chosen, set) {
    return make('label', { class: 'choose-one' }, make('span', {}, label), make('select', {
      name, onchange: ({ target }) => set(target.value),
    }, ...values.map(([value, text]) =>
      make('option', { value, selected: value === chosen }, text))));
  }

  optionSlider({ member, label, least, most, read, write }, option) {
    const wide = this.breakpoint;
    const isWide = wide !== undefined && this.holder(member) === wide;
    return this.slider(member, label, read(option), [least, most], (value) => {
      this.set(member, write(value, this.options[member]));
      this.apply();
    }, isWide && make('small', {}, `in containers from ${shown(wide.from)} points`));
  }

  slider(name, label, value, [least, most], set, note) {
    const number = make('output', {}, shown(value));
    return make('label', {}, make('span', {}, label), number, note, make('input', {
      name, type: 'range', min: Math.min(least, Math.floor(value)),
      max: Math.max(most, Math.ceil(value)), step: 1, value,
      oninput: ({ target }) => {
        number.textContent = shown(target.valueAsNumber);
        set(target.valueAsNumber);
      },
    }));
  }

  /** The name of the container's length across the scrolling axis, and its label. */
  get side() {
    return this.configuration.scrollDirection === 'horizontal'
      ? ['height', 'Height'] : ['width', 'Width'];
  }

  widthSlider() {
    const [side, label] = this.side;
    const { container } = this.configuration;
    return this.slider(side, label, container[side], [WIDTH_LEAST, WIDTH_MOST], (value) => {
      container[side] = value;
      this.apply();
    });
  }

  /** The slider of a layout of any width: shows the feed as a narrower window does. */
  windowSlider() {
    const [side, label] = this.side;
    const { scroller } = this.feed;
    const room = () => (side === 'height' ? scroller.clientHeight : scroller.clientWidth);
    const present = room();
    const fit = scroller.style.getPropertyValue('--fit');
    scroller.style.removeProperty('--fit');
    const whole = room();
    if (fit) scroller.style.setProperty('--fit', fit);
    return this.slider(side, label, present, [Math.min(WIDTH_LEAST, whole), whole], (value) => {
      this.fit = { points: value, isWhole: value >= whole };
      this.apply(false);
    });
  }

  // MARK: - Requests

  /** Sends what has changed: one request at a time, finally the last values. */
  async apply(isConfiguration = true) {
    if (isConfiguration) this.isStale = true;
    if (this.isApplying) return;
    this.isApplying = true;
    while (this.isStale || this.fit) {
      try {
        await (this.isStale ? this.send() : this.show());
      } catch (error) {
        this.result.textContent = error.message;
      }
    }
    this.isApplying = false;
  }

  async send() {
    const { feed, name } = this;
    this.isStale = false;
    const configuration = structuredClone(this.configuration);
    // A query in between would lay out the changed layout, and `prepare` would report no work.
    feed.isHeld = true;
    try {
      await feed.service.fetch(Service.path(feed.dataset, 'layouts', name), {
        method: 'PUT', headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(configuration),
      });
      const prepared = await this.prepare(feed.layout);
      this.actions.changed(name, configuration);
      if (feed.isClosed) return;
      await feed.reconfigure(configuration);
      this.report(prepared);
      this.actions.show(prepared);
    } finally {
      feed.isHeld = false;
      feed.follower.sync();
    }
  }

  /** Shows the feed in another width. */
  async show() {
    const { feed, fit: { points, isWhole } } = this;
    this.fit = undefined;
    // Before the feed requests it: the answer states the work.
    const prepared = this.actions.mayWrite() && await this.prepare(`${this.name}@${points}`);
    if (feed.isClosed) return;
    if (isWhole) this.release();
    else feed.scroller.style.setProperty('--fit', `${points}px`);
    if (prepared) this.report(prepared);
  }

  prepare(layout) {
    const { dataset, service } = this.feed;
    return service.json(Service.path(dataset, 'layouts', layout, 'prepare'), { method: 'POST' });
  }

  /** Says what was laid out again. */
  report({ everything, recomputedItems, sections, microseconds }) {
    const count = everything ? '' : ` in ${counted(sections.length, 'section')}`;
    const isChanged = everything || sections.length > 0;
    this.result.textContent = recomputedItems > 0
      ? `Laid out ${counted(recomputedItems, 'item')}${count} in `
        + `${shown(Math.ceil(microseconds / 1000))} ms`
      : `No item was laid out again${isChanged && count ? `; changes${count}` : ''}`;
  }
}
