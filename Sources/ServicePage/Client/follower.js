// Follows commits. Cached elements not affected by a commit are kept and shifted; the other
// visible elements are requested; then the old and the new state are swapped in one step, and
// the current item keeps its position on the screen.

import { movement } from './place.js';
import { Service, ServiceError } from './service.js';

/** The number of attempts to find the current item, before the nearest known one is used. */
const PATIENCE = 4;

/** The time to wait for the event of a newer revision, in milliseconds. */
const GRACE_MS = 150;
const RETRY_MS = 1000;

const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

export class Follower {
  /**
   * @param {Feed} feed the feed whose `store` and `sections` are replaced at each revision
   * @param {{revision: number, incarnation: string}[]} states known states
   */
  constructor(feed, ...states) {
    this.feed = feed;
    for (const state of states) this.learn(state);
    this.pending = [];
    this.isSyncing = false;
  }

  /** Records the newest known revision of the dataset; that of another history replaces it. */
  learn({ revision, incarnation }) {
    const [history] = incarnation.split('-');
    const isKnown = history === this.history;
    this.knownRevision = isKnown ? Math.max(this.knownRevision, revision) : revision;
    this.history = history;
  }

  /** The revision of a page of another state; infinite if it is of another history. */
  newsOf({ revision, incarnation }) {
    return incarnation.startsWith(`${this.history}-`) ? revision : Infinity;
  }

  /** Ends the updates: another follower continues with another layout. */
  close() {
    this.isClosed = true;
  }

  /** Handles an event of the stream, or the answer to a batch of this client. */
  told(kind, commit, isOwn = false) {
    const { feed } = this;
    if (this.isClosed) return feed.follower.told(kind, commit, isOwn);
    if (feed.isClosed) return;
    if (kind === 'live' || kind === 'away') {
      feed.online(kind === 'live');
    } else if (kind === 'gone') {
      feed.fail(new ServiceError(404, `The dataset ${feed.dataset} was removed.`));
    } else if (kind === 'refused') {
      feed.fail(commit);
    } else if (kind === 'reset') {
      this.pending = [];
      this.notice();
    } else if (this.early && !isOwn) {
      this.early.push(commit);
    } else if (commit.incarnation !== this.history) {
      this.notice();
    } else if (commit.revision > this.knownRevision) {
      this.pending.push(commit);
      this.knownRevision = commit.revision;
      const change = commit.layouts.find(({ layout }) => layout === feed.layout);
      if (!this.isUnchanged(commit)) feed.emit('committed', { commit, change, isOwn });
      this.sync();
    }
  }

  /** Sends a batch. */
  send(operations) {
    return this.change('batches', {
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: operations.map((operation) => `${JSON.stringify(operation)}\n`).join(''),
    });
  }

  /** Reverts a revision, if it is the newest one. */
  undo(revision) {
    return this.change('undo', { headers: { 'If-Match': `"${revision}"` } });
  }

  /**
   * Requests a commit. Events of the stream that arrive before the answer, which has more
   * details, are held back until then.
   */
  async change(route, options) {
    const { dataset, layout, axis, shown } = this.feed;
    // Random, also on pages without a secure context. By its key a change is applied once.
    const key = crypto.getRandomValues(new Uint32Array(4)).join('-');
    // After a commit, all of a view is read again.
    const query = [`layout=${encodeURIComponent(layout)}`, ...shown.length > 0 ? shown
      : [`visible=${this.feed.visibleRect()}`, ...axis.query]];
    const begun = performance.now();
    this.early ??= [];
    let commit;
    try {
      const { json, headers } = await this.post(
        `${Service.path(dataset, route)}?${query.join('&')}`,
        { method: 'POST', ...options, headers: { ...options.headers, 'Idempotency-Key': key } });
      commit = json;
      commit.milliseconds = performance.now() - begun;
      const timing = headers.get('Server-Timing') ?? '';
      const read = (name) => new RegExp(`${name};dur=([\\d.e-]+)`).exec(timing)?.[1];
      if (read('work')) commit.serverMilliseconds = Number(read('work'));
      if (read('layout')) commit.layoutMilliseconds = Number(read('layout'));
    } finally {
      const early = this.early ?? [];
      this.early = undefined;
      const isEarlier = (each) => !commit || each.revision < commit.revision;
      for (const each of early.filter(isEarlier)) this.told('commit', each);
      if (commit) this.told('commit', commit, true);
      for (const each of early.filter((other) => !isEarlier(other))) this.told('commit', each);
    }
    return commit;
  }

  /** Sends a request with a key, again after a lost answer. */
  async post(path, options, attempts = 4) {
    try {
      return await this.feed.service.answer(path, options);
    } catch (error) {
      if (!error.isPassing || attempts === 1) throw error;
    }
    await pause(RETRY_MS);
    return this.post(path, options, attempts - 1);
  }

  /** Handles an answer at a state without a known commit: a newer revision, or another result. */
  notice(revision = Infinity) {
    if (revision < this.feed.store.revision) return;
    this.unexplained = Math.max(revision, this.unexplained ?? 0);
    this.sync();
  }

  /** Updates the page to the service's revision; one update at a time, finally the newest. */
  async sync() {
    const { feed } = this;
    if (this.isSyncing || feed.isHeld) return;
    this.isSyncing = true;
    while (!this.isEnded && (this.pending.length > 0 || this.unexplained || this.upcoming)) {
      try {
        const next = await this.next();
        if (next && !this.isEnded) this.take(next);
      } catch (error) {
        if (this.isClosed) return;
        feed.fail(error);
        // A permanent failure, such as a layout that could not follow, is retried at the next
        // scroll.
        if (!error.isPassing) {
          this.upcoming = this.unexplained = undefined;
          this.pending = [];
          break;
        }
        await pause(RETRY_MS);
      }
    }
    this.isSyncing = false;
    // Everything visible may be loaded already: without a draw, `settled` would not be told.
    feed.draw();
    feed.load();
  }

  get isEnded() {
    return this.isClosed || this.feed.isClosed;
  }

  async next() {
    const { feed } = this;
    this.upcoming ??= { store: feed.store.clone(), sections: feed.sections.clone() };
    for (let attempt = 0; attempt < PATIENCE && !this.isEnded; attempt++) {
      await this.explain();
      for (const each of this.pending.splice(0)) this.follow(each);
      if (await this.isReady(attempt)) return this.upcoming;
    }
    return this.pending.length > 0 ? undefined : this.upcoming;
  }

  /** Drops the cache if the state has changed without a commit that describes the change. */
  async explain() {
    if (!this.unexplained) return;
    const { store } = this.upcoming;
    if (this.unexplained > store.revision && this.unexplained < Infinity) {
      await (this.feed.isOfView ? this.askSince(store.revision) : pause(GRACE_MS));
    }
    const told = Math.max(store.revision, ...this.pending.map(({ revision }) => revision));
    if (this.unexplained > told || this.unexplained === store.revision) {
      this.forget(Math.min(this.unexplained, Number.MAX_SAFE_INTEGER));
    }
    this.unexplained = undefined;
  }

  /** Learns the changes of a view: of commits that change nothing in it there is no event. */
  async askSince(revision) {
    const changes = await this.feed.service.json(
      Service.changes(this.feed, revision), { cache: 'no-store' }).catch(() => {});
    if (changes?.incarnation === this.history) this.told('commit', changes);
  }

  /** Whether a commit changes nothing in the view that is shown. */
  isUnchanged({ layouts, updates }) {
    return this.feed.isOfView && layouts.length === 0 && !updates?.everything
      && !updates?.items?.length && !updates?.sections?.length;
  }

  forget(revision) {
    const { store, sections } = this.upcoming;
    store.forget();
    store.incarnation = null;
    store.begin = undefined;
    // The state of the next page is accepted, unless its revision is a known one.
    store.revision = null;
    sections.apply(undefined, 0);
    if (revision < Number.MAX_SAFE_INTEGER) {
      this.knownRevision = Math.max(this.knownRevision, revision);
    }
    this.feed.countItems();
  }

  follow(commit) {
    const { feed, upcoming: { store, sections } } = this;
    if (store.revision !== null && commit.revision <= store.revision) return;
    // A missed commit may have moved anything. An event may combine several commits.
    const before = commit.since ?? commit.revision - 1;
    // Of commits that change nothing in a view there is no event: its state is that of a range.
    const begin = store.begin ?? store.revision;
    const isNext = before === store.revision || feed.isOfView && begin !== null && before >= begin;
    store.begin = isNext && this.isUnchanged(commit) ? begin : undefined;
    if (store.begin !== undefined) {
      store.revision = commit.revision;
      return;
    }
    if (store.revision !== null && !isNext) store.forget();
    this.feed.anchor = undefined;
    const { touched, growth } = store.apply(commit, this.feed.layout, sections);
    sections.apply(touched, growth);
    const items = commit.updates?.items ?? [];
    const count = (name) => items.filter(({ op }) => op === name).length;
    if (touched) this.feed.itemCount += count('insert') - count('delete');
    else this.feed.countItems();
  }

  /**
   * Requests missing elements at the future position, and returns whether that position is
   * correct: it follows the first visible item that still exists.
   */
  async isReady(attempt) {
    const { feed, upcoming: { store } } = this;
    const kept = movement(feed, store);
    const isGuess = !kept?.isSure && attempt > 0;
    const distance = (isGuess ? await this.lookUp() : undefined) ?? kept?.distance ?? 0;
    const tiles = feed.tilesAround(store, feed.view.position + distance);
    if (tiles.length > 0) {
      const pages = await feed.loader.read(store, tiles);
      const isOne = pages.every(({ revision }) => revision === pages[0].revision);
      if (!isOne || !store.agrees(pages[0])) {
        this.unexplained = this.newsOf(pages[0]);
        return false;
      }
      pages.forEach((page, index) => store.merge(page, ...tiles[index]));
      this.learn(store);
    }
    if (this.pending.length > 0) return false;
    const isEmpty = feed.visibleElements().every(({ category }) => category !== 'cell');
    const moved = movement(feed, store);
    return isEmpty || Boolean(moved?.isSure);
  }

  /** Returns the distance by which the first visible item that still exists has moved. */
  async lookUp() {
    const { feed } = this;
    if (feed.anchor) {
      const item = await feed.item(feed.anchor.key);
      const place = item && feed.axis.place(item.frame, this.upcoming.store.length);
      if (place) return place.start - feed.anchor.offset - feed.view.position;
      feed.anchor = undefined;
    }
    for (const { category, key, start } of feed.visibleElements().slice(0, 12)) {
      const item = category === 'cell' && await feed.item(key);
      if (item) return feed.axis.place(item.frame, this.upcoming.store.length).start - start;
    }
    return undefined;
  }

  /** Swaps the states in one step. */
  take({ store, sections }) {
    const { feed } = this;
    this.upcoming = undefined;
    feed.replace(store, sections, movement(feed, store)?.distance ?? 0);
  }
}
