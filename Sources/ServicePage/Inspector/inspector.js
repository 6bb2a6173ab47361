// The inspector: shows a dataset in one of its layouts, and edits it.

import { Feed, Scrubber, Service } from '../client.js';
import { render } from './cards.js';
import { Changes } from './changes.js';
import { Details } from './details.js';
import { make } from './dom.js';
import { Editing } from './editing.js';
import { Find } from './find.js';
import { Keyboard } from './keyboard.js';
import { bestLayout, firstLayout, variant } from './layouts.js';
import { askForToken, clear, command, explain, note } from './notices.js';
import { chooseTheme } from './theme.js';
import { Where } from './where.js';

const RETRY_MS = 2000;
const setLayout = (dataset) =>
  `layoutcache layout set phone --dataset ${dataset} --kind waterfall --width 390 --columns 2`;
const $ = (selector) => document.querySelector(selector);

class Inspector {
  constructor() {
    this.service = new Service({
      // The page is at the root of the service, which may be mounted at a path of another
      // application.
      server: location.origin + new URL('.', location.href).pathname,
      token: () => sessionStorage.getItem('layoutcache-token'),
    });
    this.scrubber = new Scrubber($('#scrubber'));
    this.where = new Where($('#where'));
    this.changes = new Changes($('#changes'), {
      undo: (revision) => this.undo(revision),
    });
    this.editing = new Editing({
      scale: (element, factor) => this.scale(element, factor),
      place: (element, target, isBefore) => this.place(element, target, isBefore),
    });
    this.details = new Details($('#details'), {
      resize: (element, size) => this.change([{ op: 'resize', key: element.key, ...size }]),
      move: (element, isEarlier) => this.move(element, isEarlier),
      remove: (element) => this.remove(element), dismiss: () => this.choose(),
    });
    this.find = new Find($('#find'), {
      reveal: (key) => this.reveal(key), goTo: (section) => this.goTo(section),
    });
    this.keyboard = new Keyboard({
      feed: () => this.feed, find: () => this.openFind(), focus: (key) => this.focus(key),
      choose: (element) => this.choose(element.key), dismiss: () => this.choose(),
      move: (element, isEarlier) => this.move(element, isEarlier),
      remove: (element) => this.remove(element),
    });
    this.listen();
  }

  listen() {
    chooseTheme($('#theme'));
    $('#find-open').addEventListener('click', () => this.openFind());
    $('#dataset').addEventListener('change', ({ target }) => this.openDataset(target.value));
    $('#layout').addEventListener('change', ({ target }) => this.openFeed(target.value));
    $('#feed').addEventListener('click', (event) => {
      const element = this.feed?.stage?.elementOf(event.target);
      if (event.target.closest('.handle')) return;
      this.choose(element?.category === 'cell' ? element.key : undefined);
    });
    for (const dialog of document.querySelectorAll('dialog')) {
      dialog.addEventListener('close', () => $('#feed').focus({ preventScroll: true }));
    }
    addEventListener('resize', () => {
      clearTimeout(this.resizeTimer);
      this.resizeTimer = setTimeout(() => this.fit(), 250);
    });
  }

  // MARK: - Opening

  /** Opens the layout in the URL, else the first dataset; retries until there is one. */
  async start() {
    try {
      const { datasets } = await this.service.json('/v1/datasets');
      this.datasets = datasets;
      const select = $('#dataset');
      select.replaceChildren(...datasets.map(({ dataset }) => make('option', {}, dataset)));
      select.disabled = datasets.length < 2;
      const asked = new URLSearchParams(location.search);
      const names = datasets.map(({ dataset }) => dataset);
      if (names.length === 0) {
        this.explainEmptiness();
        this.again();
      } else {
        const name = names.includes(asked.get('dataset')) ? asked.get('dataset') : names[0];
        await this.openDataset(name, asked.get('layout'));
      }
    } catch (error) {
      await this.failed(error);
    }
  }

  again() {
    setTimeout(() => this.start(), RETRY_MS);
  }

  async failed(error) {
    if (error.status === 401) {
      await askForToken(Boolean(sessionStorage.getItem('layoutcache-token')));
      return this.start();
    }
    this.state(
      'away', error.status === 0 ? 'Server unavailable, retrying' : 'Request failed, retrying');
    if (!this.feed?.view) {
      explain('Nothing to show yet', [error.message, 'This page retries automatically.']);
    }
    return this.again();
  }

  explainEmptiness() {
    this.state('live', 'Connected');
    explain('No dataset yet', ['Import one; it then appears here:'],
      command('layoutcache import items.csv --dataset photos'),
      command(setLayout('photos')));
  }

  async openDataset(name, wanted) {
    $('#dataset').value = name;
    this.dataset = name;
    try {
      const { layouts } = await this.service.json(Service.path(name, 'layouts'));
      this.layouts = new Map(layouts.map((each) => [each.layout, each.configuration]));
    } catch (error) {
      await this.failed(error);
      return;
    }
    const names = [...this.layouts.keys()];
    const select = $('#layout');
    select.replaceChildren(...names.map((each) => make('option', {}, each)));
    select.disabled = names.length < 2;
    if (names.length === 0) {
      this.close();
      this.explainNoLayout(name);
      return;
    }
    await this.openFeed(names.includes(wanted) ? wanted : bestLayout(this.layouts, $('#feed')));
  }

  explainNoLayout(name) {
    this.state('live', 'Connected');
    const layout = firstLayout($('#feed'));
    const create = async () => {
      await this.service.fetch(Service.path(name, 'layouts', 'inspector'), {
        method: 'PUT', headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(layout),
      }).then(() => this.openDataset(name), (error) => note(error.message));
    };
    explain(
      `${name} has no layout`, ['A layout positions the items. Set one, or create one here:'],
      command(setLayout(name)),
      make('button', { class: 'solid', type: 'button', onclick: create },
        `Create a waterfall ${layout.container.width} points wide`));
  }

  variant(name) {
    return variant(name, this.layouts.get(name), $('#feed'));
  }

  fit() {
    if (!this.feed?.view || this.variant(this.layoutName) === this.feed.layout) return;
    this.openFeed(this.layoutName);
  }

  close() {
    this.choose();
    this.feed?.close();
    this.feed = undefined;
    $('#scrubber').hidden = true;
    $('#where').hidden = true;
  }

  async openFeed(name) {
    $('#layout').value = name;
    this.layoutName = name;
    this.close();
    const address = new URLSearchParams({ dataset: this.dataset, layout: name });
    history.replaceState(history.state, '', `?${address}`);
    document.title = `${this.dataset} \u00b7 LayoutCache`;
    const feed = new Feed($('#feed'), {
      service: this.service, dataset: this.dataset, layout: this.variant(name),
      scrubber: this.scrubber,
      render: (node, element) => this.fill(node, element),
    });
    this.feed = feed;
    this.observe(feed);
    try {
      await feed.open();
      $('#feed').ariaBusy = 'false';
    } catch (error) {
      if (feed === this.feed) {
        feed.close();
        await this.failed(error);
      }
    }
  }

  observe(feed) {
    feed.addEventListener('opened', () => {
      clear();
      $('#feed').dataset.direction = feed.axis.isHorizontal ? 'horizontal' : 'vertical';
      this.where.attach(feed);
      this.changes.attach(feed);
      this.editing.attach(feed);
      this.showRevision();
      if (feed.itemCount === 0) {
        explain(`${this.dataset} is empty`, ['Items appear here as soon as they are inserted.']);
      }
    });
    feed.addEventListener('replaced', () => this.replaced());
    feed.addEventListener('online', () => this.showRevision());
    feed.addEventListener('failed', ({ detail: { error } }) => {
      if (error.status === 401) this.failed(error);
      else if (!error.isPassing) note(error.message);
    });
  }

  replaced() {
    this.showRevision();
    if (this.feed.itemCount > 0) clear();
    const element = this.chosen && this.feed.store.cell(this.chosen);
    if (element) this.details.show(this.feed, element);
  }

  showRevision() {
    const { feed } = this;
    if (feed.isOnline === false) this.state('away', 'Reconnecting');
    else this.state('live', `Revision ${feed.store.revision ?? feed.follower.knownRevision}`);
  }

  state(name, text) {
    const status = $('#status');
    if (status.dataset.state !== name) status.dataset.state = name;
    if (status.lastElementChild.textContent !== text) status.lastElementChild.textContent = text;
  }

  // MARK: - Showing

  fill(node, element) {
    render(node, element, (index) => this.feed.sections.get(index));
    node.classList.toggle('is-chosen', element.key !== undefined && element.key === this.chosen);
    if (element.key !== undefined && element.key === this.chosen) this.editing.choose(node);
  }

  nodeOf(key) {
    return [...this.feed.stage.nodes.values()].map(({ shown }) => shown)
      .find((node) => node.element?.key === key);
  }

  /** Selects an item, or none. */
  choose(key) {
    const old = this.chosen && this.feed && this.nodeOf(this.chosen);
    old?.classList.remove('is-chosen');
    old?.removeAttribute('aria-current');
    this.editing.choose();
    this.chosen = key;
    const element = key && this.feed.store.cell(key);
    if (!element) {
      const hadFocus = $('#details').contains(document.activeElement);
      this.details.close();
      if (hadFocus) (old ?? $('#feed')).focus({ preventScroll: true });
      return;
    }
    const node = this.nodeOf(key);
    node?.classList.add('is-chosen');
    node?.setAttribute('aria-current', 'true');
    this.editing.choose(node);
    this.details.show(this.feed, element);
  }

  async focus(key) {
    await this.feed.reveal(key, 'nearest');
    this.nodeOf(key)?.focus({ preventScroll: true });
    if (this.chosen) this.choose(key);
  }

  async reveal(key) {
    await this.feed.reveal(key);
    this.nodeOf(key)?.focus({ preventScroll: true });
    this.choose(key);
  }

  goTo(section) {
    this.feed.view.moveTo(section.start);
    $('#feed').focus({ preventScroll: true });
  }

  openFind() {
    if (this.feed?.view) this.find.open(this.feed);
  }

  // MARK: - Changing

  change(operations) { return this.commit(this.feed.batch(operations)); }

  undo(revision) { return this.commit(this.feed.undo(revision)); }

  /** Waits for a commit; an error is shown, and results in undefined. */
  async commit(commit) {
    try {
      return await commit;
    } catch (error) {
      if (error.status === 401) await this.failed(error);
      else note(error.message);
      return undefined;
    }
  }

  async scale(element, factor) {
    const size = await Details.naturalSize(this.feed, element);
    const side = this.feed.axis.length;
    size[side] = Number((size[side] * factor).toFixed(3));
    await this.change([{ op: 'resize', key: element.key, ...size }]);
  }

  place(element, target, isBefore) {
    const where = isBefore ? { before: target.key } : { after: target.key };
    return this.change([{ op: 'move', key: element.key, ...where }]);
  }

  /** Moves an item by one position in its section. */
  async move(element, isEarlier) {
    const current = this.feed.store.cell(element.key) ?? element;
    const index = current.item + (isEarlier ? -1 : 1);
    if (index < 0) return;
    const commit = await this.change(
      [{ op: 'move', key: current.key, section: current.sectionKey, index }]);
    if (!commit) return;
    await this.feed.settled();
    this.nodeOf(current.key)?.focus({ preventScroll: true });
  }

  async remove(element) {
    if (this.chosen === element.key) this.choose();
    const commit = await this.change([{ op: 'delete', keys: [element.key] }]);
    if (commit) note('Deleted', { name: 'Undo', act: () => this.undo(commit.revision) });
  }
}

window.inspector = new Inspector();
window.inspector.start();
