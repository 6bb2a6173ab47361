// The inspector: shows a dataset in one of its layouts, and edits it.

import { Feed, Scrubber, Service } from '../client.js';
import { Changes } from './changes.js';
import { Details } from './details.js';
import { render } from './cards.js';
import { make } from './dom.js';
import { Editing } from './editing.js';
import { Edits } from './edits.js';
import { Filters } from './filters.js';
import { Find } from './find.js';
import { Keyboard, showKeys } from './keyboard.js';
import { bestLayout, firstLayout } from './layouts.js';
import { askForToken, clear, command, explain, note } from './notices.js';
import { chooseTheme } from './theme.js';
import { Tuning } from './tuning.js';
import { Where } from './where.js';

const RETRY_MS = 2000;
const NAMES_LISTED = 12;
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
    this.edits = new Edits(this);
    const { edits } = this;
    const mayWrite = () => this.mayWrite;
    // Positions in a view are not those in the dataset.
    const mayMove = () => this.mayWrite && !this.feed.isOfView;
    this.changes = new Changes($('#changes'), { undo: () => edits.undoOrRedo() });
    this.tuning = new Tuning($('#tuning'), {
      mayWrite, changed: (name, configuration) => this.layouts.set(name, configuration),
      show: (prepared) => this.changes.showPrepared(prepared),
    });
    this.editing = new Editing({
      mayWrite, mayMove, scale: (element, factor) => edits.scale(element, factor),
      place: (element, preview) => edits.place(element, preview),
    });
    this.details = new Details($('#details'), {
      mayWrite, mayMove, resize: (element, size) => edits.resize(element, size),
      move: (element, isEarlier) => edits.move(element, isEarlier),
      remove: (element) => edits.remove(element), dismiss: () => this.choose(),
    });
    this.filters = new Filters($('#filters'), $('#filters-open'), {
      changed: () => this.openFeed($('#layout').value), members: () => this.members(),
    });
    this.find = new Find($('#find'), {
      within: () => this.filters.where,
      reveal: (key) => this.reveal(key), goTo: (section) => this.goTo(section),
    });
    this.keyboard = new Keyboard({
      mayWrite, mayMove, feed: () => this.feed, find: () => this.openFind(),
      focus: (key) => this.focus(key), choose: (element) => this.choose(element.key),
      dismiss: () => this.choose(), move: (element, isEarlier) => edits.move(element, isEarlier),
      remove: (element) => edits.remove(element), undo: () => edits.undo(),
      redo: () => edits.redo(),
    });
    this.listen();
  }

  listen() {
    chooseTheme($('#theme'));
    $('#find-open').addEventListener('click', () => this.openFind());
    $('#keys-open').addEventListener('click', () => showKeys(this.mayWrite));
    $('#tune').addEventListener('click', () => {
      if (!this.feed?.view) return;
      this.choose();
      this.tuning.toggle();
    });
    $('#sign-in').addEventListener('click', () => this.signIn());
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
        await this.openDataset(asked.get('dataset') ?? names[0], asked.get('layout'), asked);
      }
    } catch (error) {
      await this.failed(error);
    }
  }

  /** Asks for another token, and opens the page with it. */
  async signIn() {
    if (await askForToken(false)) await this.start();
  }

  again() {
    setTimeout(() => this.start(), RETRY_MS);
  }

  async failed(error) {
    if (error.status === 401 || error.status === 403) return this.explainRefusal(error);
    this.state(
      'away', error.status === 0 ? 'Server unavailable, retrying' : 'Request failed, retrying');
    if (!this.feed?.view) {
      explain('Nothing to show yet', [error.message, 'This page retries automatically.']);
    }
    return this.again();
  }

  /** Asks for a token if the service demands one. Nothing is retried without another token. */
  async explainRefusal({ status, message }) {
    const hadToken = Boolean(sessionStorage.getItem('layoutcache-token'));
    this.state('away', 'Access denied');
    if (status === 401 && await askForToken(hadToken)) return this.start();
    if (this.feed?.view) return note(message);
    return explain('Access denied', [message], make('button', {
      class: 'solid', type: 'button', onclick: () => this.signIn(),
    }, 'Use another token'));
  }

  explainEmptiness() {
    this.state('live', 'Connected');
    explain('No dataset yet', ['Import one; it then appears here:'],
      command('layoutcache import items.csv --dataset photos'),
      command(setLayout('photos')));
  }

  /** Says that there is no dataset or layout of a name, and which there are. */
  explainUnknown(kind, name, names, open) {
    this.state('live', 'Connected');
    this.close();
    document.title = `No ${kind} ${name} \u00b7 LayoutCache`;
    explain(`There is no ${kind} \u201c${name}\u201d`, [
      names.length > 0 ? `The address names it. Choose one of the ${kind}s that exist:`
        : `The address names it, and there is no other ${kind}.`,
    ], make('div', { class: 'choose' }, ...names.slice(0, NAMES_LISTED).map((each) =>
      make('button', { class: 'framed', type: 'button', onclick: () => open(each) }, each))));
  }

  async openDataset(name, wanted, asked) {
    $('#dataset').value = name;
    if (name !== this.dataset) this.edits.newest = undefined;
    this.dataset = name;
    try {
      const [described, { layouts }, { views }] = await Promise.all([
        this.service.fetch(Service.path(name)),
        this.service.json(Service.path(name, 'layouts')),
        this.service.json(Service.path(name, 'views'))]);
      this.permit(described.headers.get('LayoutCache-Access') !== 'read');
      this.layouts = new Map(layouts.map((each) => [each.layout, each.configuration]));
      this.filters.attach(views, asked);
    } catch (error) {
      if (error.status !== 404) return this.failed(error);
      const others = this.datasets.map(({ dataset }) => dataset);
      return this.explainUnknown('dataset', name, others, (each) => this.openDataset(each));
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
    if (wanted && !names.includes(wanted.split('@')[0])) {
      select.value = '';
      return this.explainUnknown('layout', wanted, names, (each) => this.openFeed(each));
    }
    return this.openFeed(wanted?.split('@')[0] ?? bestLayout(this.layouts, $('#feed')));
  }

  /** Offers changes only if the token may write to the dataset. */
  permit(mayWrite) {
    this.mayWrite = mayWrite;
    $('#sign-in').hidden = mayWrite;
    document.body.classList.toggle('is-read-only', !mayWrite);
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
      `${name} has no layout`, [
        'A layout positions the items. Set one'
        + (this.mayWrite ? ', or create one here:' : ' with write access:')],
      command(setLayout(name)),
      this.mayWrite && make('button', { class: 'solid', type: 'button', onclick: create },
        `Create a waterfall ${layout.container.width} points wide`));
  }

  close() {
    this.choose();
    this.tuning.release();
    this.feed?.close();
    this.feed = undefined;
    $('#scrubber').hidden = true;
    $('#where').hidden = true;
  }

  async openFeed(name) {
    $('#layout').value = name;
    this.close();
    $('#feed').ariaBusy = 'true';
    const { filters } = this;
    const address = new URLSearchParams({ dataset: this.dataset, layout: name });
    const query = [address, ...Service.view(filters.shown)].join('&');
    history.replaceState(history.state, '', `?${query}`);
    document.title = `${this.dataset} \u00b7 LayoutCache`;
    const feed = new Feed($('#feed'), {
      service: this.service, dataset: this.dataset, layout: name, scrubber: this.scrubber,
      render: (node, element) => this.fill(node, element), ...filters.shown,
    });
    this.feed = feed;
    this.observe(feed);
    // A layout of any width is laid out for the room that the scrubber leaves.
    $('#scrubber').hidden = false;
    const slow = filters.isActive && setTimeout(() => feed === this.feed && explain(
      'Reading all items', ['The first time, a filter or an order reads the whole dataset.']), 400);
    try {
      await feed.open();
      if (feed === this.feed) $('#feed').ariaBusy = 'false';
    } catch (error) {
      if (feed === this.feed) {
        feed.close();
        $('#scrubber').hidden = true;
        if (filters.refuse(error)) return this.openFeed(name);
        await this.failed(error);
      }
    } finally {
      clearTimeout(slow);
    }
  }

  observe(feed) {
    feed.addEventListener('opened', () => {
      clear();
      $('#feed').dataset.direction = feed.axis.isHorizontal ? 'horizontal' : 'vertical';
      this.where.attach(feed);
      this.changes.attach(feed);
      this.editing.attach(feed);
      this.tuning.attach(feed);
      this.showRevision();
      if (feed.itemCount === 0 && feed.isOfView) {
        explain('No item matches', ['Items appear here as soon as they do.'], make('button', {
          class: 'framed', type: 'button', onclick: () => this.filters.clear(),
        }, 'Show all items'));
      } else if (feed.itemCount === 0) {
        explain(`${this.dataset} is empty`, ['Items appear here as soon as they are inserted.']);
      }
    });
    feed.addEventListener('settled', () => this.filters.offer(), { once: true });
    feed.addEventListener('committed', ({ detail }) => this.edits.committed(detail));
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
    if (element) this.showDetails(element);
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
    const isChosen = element.key !== undefined && element.key === this.chosen;
    node.classList.toggle('is-chosen', isChosen);
    node.classList.toggle('is-leaving', this.edits.isLeaving(element.key));
    if (isChosen) this.editing.choose(node);
  }

  /** The names of the members of the data on the page. */
  members() {
    const cells = [...this.feed?.store?.elements.values() ?? []];
    return [...new Set(cells.flatMap(({ data }) => Object.keys(data ?? {})))].sort();
  }

  nodeOf(key) {
    return [...this.feed.stage.nodes.values()].map(({ shown }) => shown)
      .find((node) => node.element?.key === key);
  }

  /** Selects an item, or none. */
  choose(key) {
    const old = this.chosen && this.feed?.stage && this.nodeOf(this.chosen);
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
    $('#tuning').hidden = true;
    node?.classList.add('is-chosen');
    node?.setAttribute('aria-current', 'true');
    this.editing.choose(node);
    this.showDetails(element);
  }

  /**
   * Shows the panel of the selected item: where it leaves the card free, and if it is a sheet
   * below a smaller feed, with the card scrolled into view.
   */
  async showDetails(element) {
    const panel = $('#details');
    const card = this.nodeOf(element.key)?.getBoundingClientRect();
    const room = $('#feed').getBoundingClientRect();
    if (card) {
      const middle = card.left + card.width / 2;
      panel.classList.toggle('is-leading', middle > room.left + room.width / 2);
    }
    await this.details.show(this.feed, element);
    const isSheet = getComputedStyle(panel).position === 'static';
    if (isSheet && !panel.hidden && this.chosen === element.key) {
      this.feed.view.measure();
      await this.feed.reveal(element.key, 'nearest');
    }
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
}

window.inspector = new Inspector();
window.inspector.start();
