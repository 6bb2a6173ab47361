// Follows commits. What a commit has not touched is kept and moved along; the rest of what is
// in sight is asked for; then old and new are swapped in one go, and the item at the
// reader's eye stays where it is.

import { movement } from './place.js';
import { Service, ServiceError } from './service.js';

/** After so many tries to find the reader's item, the nearest one known has to do. */
const PATIENCE = 4;

/** How long a revision that nothing explains may wait for its event. */
const GRACE_MS = 150;
const RETRY_MS = 1000;

const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

export class Follower {
  /** @param {Feed} feed whose `store` and `sections` are replaced, revision by revision */
  constructor(feed, revision) {
    this.feed = feed;
    /** The newest revision that has been told of. */
    this.knownRevision = revision;
    this.pending = [];
    this.isSyncing = false;
  }

  /** What the stream of events says, or an own batch's answer. */
  told(kind, commit, isOwn = false) {
    const { feed } = this;
    if (feed.isClosed) return;
    if (kind === 'live' || kind === 'away') {
      feed.online(kind === 'live');
    } else if (kind === 'gone') {
      feed.fail(new ServiceError(404, `The dataset ${feed.dataset} has been removed.`));
    } else if (kind === 'reset') {
      this.notice();
    } else if (this.early && !isOwn) {
      this.early.push(commit);
    } else if (commit.revision > this.knownRevision) {
      this.pending.push(commit);
      this.knownRevision = commit.revision;
      const change = commit.layouts.find(({ layout }) => layout === feed.layout);
      feed.emit('committed', { commit, change, isOwn });
      this.sync();
    }
  }

  /** Sends a batch. */
  send(operations, visible) {
    return this.change('batches', visible, {
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: operations.map((operation) => `${JSON.stringify(operation)}\n`).join(''),
    });
  }

  /** Takes a revision back, where it is the newest one. */
  undo(revision, visible) {
    return this.change('undo', visible, { headers: { 'If-Match': `"${revision}"` } });
  }

  /**
   * Asks for a commit. The stream may be faster than the answer, which says more: what the
   * stream says meanwhile waits for it.
   */
  async change(route, visible, options) {
    const { service, dataset, layout } = this.feed;
    const begun = performance.now();
    this.early ??= [];
    let commit;
    try {
      const response = await service.fetch(
        `${Service.path(dataset, route)}?visible=${visible}`
        + `&layout=${encodeURIComponent(layout)}`, { method: 'POST', ...options });
      commit = await response.json();
      commit.milliseconds = performance.now() - begun;
      const timing = /dur=([\d.]+)/.exec(response.headers.get('Server-Timing') ?? '');
      if (timing) commit.serverMilliseconds = Number(timing[1]);
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

  /** Something has been seen that no commit explains: a newer revision, another result. */
  notice(revision = Infinity) {
    this.unexplained = Math.max(revision, this.unexplained ?? 0);
    this.sync();
  }

  /** Brings what is shown to the service's revision; one at a time, the newest in the end. */
  async sync() {
    const { feed } = this;
    if (this.isSyncing) return;
    this.isSyncing = true;
    while (!feed.isClosed && (this.pending.length > 0 || this.unexplained || this.upcoming)) {
      try {
        const next = await this.next();
        if (next && !feed.isClosed) this.take(next);
      } catch (error) {
        feed.fail(error);
        // A refusal, as of a layout that could not follow, is asked about at the next move.
        if (!error.isPassing) {
          this.upcoming = this.unexplained = undefined;
          this.pending = [];
          break;
        }
        await pause(RETRY_MS);
      }
    }
    this.isSyncing = false;
    feed.load();
  }

  async next() {
    const { feed } = this;
    this.upcoming ??= { store: feed.store.clone(), sections: feed.sections.clone() };
    for (let attempt = 0; attempt < PATIENCE && !feed.isClosed; attempt++) {
      await this.explain();
      for (const each of this.pending.splice(0)) this.follow(each);
      if (await this.isReady(attempt)) return this.upcoming;
    }
    return this.pending.length > 0 ? undefined : this.upcoming;
  }

  /** Lets go of what is held where a new state has come without a commit that says how. */
  async explain() {
    if (!this.unexplained) return;
    const { store } = this.upcoming;
    if (this.unexplained > store.revision && this.unexplained < Infinity) await pause(GRACE_MS);
    const told = Math.max(store.revision, ...this.pending.map(({ revision }) => revision));
    if (this.unexplained > told || this.unexplained === store.revision) {
      this.forget(Math.min(this.unexplained, Number.MAX_SAFE_INTEGER));
    }
    this.unexplained = undefined;
  }

  forget(revision) {
    const { store, sections } = this.upcoming;
    store.forget();
    store.incarnation = null;
    // What the next page says counts, unless its revision is one that is known.
    store.revision = null;
    sections.apply(undefined, 0);
    if (revision < Number.MAX_SAFE_INTEGER) {
      this.knownRevision = Math.max(this.knownRevision, revision);
    }
    this.feed.countItems();
  }

  follow(commit) {
    const { store, sections } = this.upcoming;
    if (store.revision !== null && commit.revision <= store.revision) return;
    // One that has been missed may have moved anything. Some speak of several at once.
    const before = commit.since ?? commit.revision - 1;
    if (store.revision !== null && before !== store.revision) store.forget();
    const { touched, growth } = store.apply(commit, this.feed.layout, sections);
    sections.apply(touched, growth);
    const items = commit.updates?.items ?? [];
    const count = (name) => items.filter(({ op }) => op === name).length;
    if (touched) this.feed.itemCount += count('insert') - count('delete');
    else this.feed.countItems();
  }

  /**
   * Asks for what is missing where the reader is going to be, and says whether that is the
   * right place: where the first item in sight that is still there has gone.
   */
  async isReady(attempt) {
    const { feed, upcoming: { store } } = this;
    const { visible } = feed.view;
    const kept = movement(feed.store, store, feed.view.position, visible);
    const isGuess = !kept?.isSure && attempt > 0;
    const distance = (isGuess ? await this.lookUp() : undefined) ?? kept?.distance ?? 0;
    const tiles = feed.tilesAround(store, feed.view.position + distance);
    if (tiles.length > 0) {
      const pages = await feed.loader.read(store, tiles);
      const isOne = pages.every(({ revision }) => revision === pages[0].revision);
      if (!isOne || !store.agrees(pages[0])) {
        this.unexplained = pages[0].revision;
        return false;
      }
      pages.forEach((page, index) => store.merge(page, ...tiles[index]));
      this.knownRevision = Math.max(this.knownRevision, store.revision);
    }
    if (this.pending.length > 0) return false;
    const isEmpty = feed.visibleElements().every(({ category }) => category !== 'cell');
    return isEmpty || Boolean(movement(feed.store, store, feed.view.position, visible)?.isSure);
  }

  /** How far the first of the items in sight that is still there has moved. */
  async lookUp() {
    const { feed } = this;
    for (const { category, key, start } of feed.visibleElements().slice(0, 12)) {
      const item = category === 'cell' && await feed.item(key);
      if (item) return feed.axis.place(item.frame, this.upcoming.store.length).start - start;
    }
    return undefined;
  }

  /** Swaps the states in one go. */
  take({ store, sections }) {
    const { feed } = this;
    this.upcoming = undefined;
    const moved = movement(feed.store, store, feed.view.position, feed.view.visible);
    feed.replace(store, sections, moved?.distance ?? 0);
  }
}
