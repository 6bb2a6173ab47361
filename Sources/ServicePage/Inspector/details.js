// The selected item: its data, its position, and actions.

import { paint, picture, wording } from './cards.js';
import { icon, make, shown } from './dom.js';
import { Service } from './service.js';

const NUDGE = 1.15;

/** A list of names and values. */
function facts(rows) {
  return make('dl', { class: 'facts' }, ...rows.map(([name, value]) =>
    make('div', {}, make('dt', {}, name), make('dd', {}, String(value)))));
}

const text = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

export class Details {
  /**
   * @param {HTMLElement} panel
   * @param {{mayWrite, mayMove, resize, move, remove, dismiss}} actions the actions of the buttons
   */
  constructor(panel, actions) {
    this.panel = panel;
    this.actions = actions;
  }

  /** The item's natural size; its frame's size if the service does not return it. */
  static async naturalSize(feed, element) {
    const path = Service.item(feed.dataset, element.key);
    const item = await feed.service.json(path).catch(() => ({}));
    const size = item.size ?? item.naturalSize ?? item;
    return size.width > 0 && size.height > 0
      ? { width: size.width, height: size.height }
      : { width: element.frame.width, height: element.frame.height };
  }

  close() {
    this.key = undefined;
    this.panel.hidden = true;
  }

  /** Shows an element, then the data that must be requested: its column and natural size. */
  async show(feed, element) {
    this.key = element.key;
    const [item, size] = await Promise.all([
      feed.item(element.key).catch(() => undefined), Details.naturalSize(feed, element)]);
    if (this.key !== element.key) return;
    if (!item) {
      this.actions.dismiss();
      return;
    }
    this.fill(feed, { ...element, ...item, data: element.data ?? item.data }, size);
    this.panel.hidden = false;
  }

  fill(feed, element, size) {
    const { title, about } = wording(element);
    const art = make('div', { class: 'art' }, picture(element.data, ''));
    paint(art, element.key);
    const { x, y, width, height } = element.frame;
    const row = feed.sections.get(element.section);
    const focused = this.panel.contains(document.activeElement)
      && document.activeElement.dataset.act;
    const mayWrite = this.actions.mayWrite();
    this.panel.replaceChildren(
      make('header', {}, make('div', { class: 'swatch' }, art),
        make('div', {}, make('h2', {}, title), make('p', {}, about || element.key)),
        make('button', {
          class: 'icon-button', type: 'button', 'aria-label': 'Close',
          onclick: () => this.actions.dismiss(),
        }, icon('close'))),
      ...(mayWrite ? [this.sizeForm(element, size), this.buttons(element)] : []),
      make('h3', {}, 'Position'),
      facts([
        ['Key', element.key], ['Section', element.sectionKey],
        ['Item', `${shown(element.item + 1)} in the section`],
        ...(row ? [[
          'Overall', `${shown(row.firstItem + element.item + 1)} of ${shown(feed.itemCount)}`,
        ]] : []),
        ...(element.column === undefined ? [] : [['Column', element.column + 1]]),
        ['Frame origin', `${shown(x)}, ${shown(y)}`],
        ['Frame size', `${shown(width)} \u00d7 ${shown(height)}`],
        ...(mayWrite ? [] : [['Natural size', `${shown(size.width)} \u00d7 ${shown(size.height)}`]]),
      ]),
      ...(element.data ? [make('h3', {}, 'Data'),
        facts(Object.entries(element.data).map(([name, value]) => [name, text(value)]))] : []));
    // A repeated press of a button works, although the panel is filled again.
    if (focused) this.panel.querySelector(`[data-act="${focused}"]`)?.focus();
  }

  sizeForm(element, size) {
    const field = (name, label) => make('label', {}, make('span', {}, label), make('input', {
      name, type: 'number', min: '0.001', max: '1000000', step: 'any', required: true,
      value: Number(size[name].toFixed(3)), inputmode: 'decimal',
    }));
    const nudge = (name, label, factor) => make('button', {
      class: 'icon-button framed', type: 'button', 'aria-label': label, 'data-act': name,
      onclick: () => this.actions.resize(element, {
        width: size.width, height: Number((size.height * factor).toFixed(3)),
      }),
    }, icon(name));
    return make('form', {
      class: 'size',
      onsubmit: (event) => {
        event.preventDefault();
        const values = new FormData(event.target);
        this.actions.resize(element, {
          width: Number(values.get('width')), height: Number(values.get('height')),
        });
      },
    }, field('width', 'Width'), field('height', 'Height'),
    make('button', { class: 'solid', type: 'submit' }, 'Resize'),
    nudge('smaller', 'Decrease height by 15 percent', 1 / NUDGE),
    nudge('larger', 'Increase height by 15 percent', NUDGE));
  }

  buttons(element) {
    const button = (name, label, kind, act) =>
      make('button', { class: kind, type: 'button', 'data-act': name, onclick: act }, icon(name), label);
    return make('div', { class: 'actions' },
      ...this.actions.mayMove() ? [
        button('earlier', 'Earlier', 'framed', () => this.actions.move(element, true)),
        button('later', 'Later', 'framed', () => this.actions.move(element, false))] : [],
      button('trash', 'Delete', 'framed danger', () => this.actions.remove(element)));
  }
}
