// Commits as they happen. One tab of a browser holds the stream of a layout and tells the
// others: browsers open no more than six connections to a host, and a seventh tab would
// wait for one without a word.

import { Service } from './service.js';

/** How many streams a browser holds, for different layouts; further ones ask now and then. */
const STREAM_COUNT = 2;
const RETRY_MS = [500, 1000, 2000, 4000, 8000];
const ASK_MS = 3000;

/**
 * @callback Told
 * @param {'commit' | 'reset' | 'gone' | 'live' | 'away'} kind
 * @param {object} [commit] for `commit`, what the service says of it
 */
export class CommitStream {
  /**
   * @param {Service} service
   * @param {string} dataset
   * @param {string} layout whose invalidation contexts are told
   * @param {() => number} revision the newest revision that this tab knows
   * @param {Told} tell
   */
  constructor(service, dataset, layout, revision, tell) {
    Object.assign(this, { service, dataset, revision, tell });
    this.path = `${Service.path(dataset, 'events')}?layout=${encodeURIComponent(layout)}`;
    this.stop = new AbortController();
    const name = `layoutcache ${JSON.stringify([service.server, dataset, layout])}`;
    this.channel = new BroadcastChannel(name);
    this.channel.onmessage = ({ data }) => this.tell(data.kind, data.commit);
    this.run(name).catch((error) => {
      if (!this.stop.signal.aborted) throw error;
    });
  }

  close() {
    this.stop.abort();
    this.channel.close();
  }

  async run(name) {
    const { signal } = this.stop;
    // Locks exist in secure contexts only; without them each tab asks for itself.
    if (!navigator.locks) return this.keepGoing(() => this.ask());
    return navigator.locks.request(name, { signal }, () =>
      this.keepGoing(() => this.withSlot((hasSlot) => (hasSlot ? this.stream() : this.ask()))));
  }

  /** Carries on over failures, later and later, until closed. */
  async keepGoing(once) {
    let failures = 0;
    while (!this.stop.signal.aborted) {
      const begun = performance.now();
      try {
        await once();
        failures = 0;
      } catch (error) {
        if (this.stop.signal.aborted) return;
        if (performance.now() - begun > 10_000) failures = 0;
        if (error.status === 404) await this.missed();
        else this.pass('away');
        const wait = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)];
        await this.pause(wait * (0.75 + Math.random() / 2));
      }
    }
  }

  /** No stream there: because the dataset is gone, or this server has none. */
  async missed() {
    const isThere = await this.service.json(Service.path(this.dataset)).then(
      () => true, (error) => error.status !== 404);
    if (!isThere) this.pass('gone');
  }

  /** Runs with one of the browser's slots for streams, or is told that there is none. */
  async withSlot(work, slot = 0) {
    if (slot === STREAM_COUNT) return work(false);
    return navigator.locks.request(
      `layoutcache stream ${this.service.server} ${slot}`, { ifAvailable: true },
      (lock) => (lock ? work(true) : this.withSlot(work, slot + 1)));
  }

  async stream() {
    const response = await this.service.fetch(this.path, {
      headers: { Accept: 'text/event-stream', 'Last-Event-ID': String(this.revision()) },
      cache: 'no-store', signal: this.stop.signal,
    });
    this.pass('live');
    await this.read(response);
    // A stream that ends is the server's leaving, or a proxy's patience: ask at once, once.
    await this.pause(200);
  }

  /** Without a stream: what has happened since, as one commit, and again after a while. */
  async ask() {
    const response = await this.service.fetch(
      `${this.path}&since=${this.revision()}&wait=0`,
      { cache: 'no-store', signal: this.stop.signal });
    const commit = await response.json();
    this.pass('live');
    if (commit.revision > commit.since) this.pass('commit', commit);
    await this.pause(ASK_MS);
  }

  /** Reads server-sent events to the end of an answer. */
  async read(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const events = (text + value).replace(/\r\n?/g, '\n').split('\n\n');
      text = events.pop();
      for (const event of events) this.understand(event);
    }
  }

  understand(event) {
    let kind = 'message';
    const data = [];
    for (const line of event.split('\n')) {
      if (line.startsWith('event:')) kind = line.slice(6).trim();
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    }
    if (kind === 'commit') this.pass(kind, JSON.parse(data.join('\n')));
    else if (kind === 'reset' || kind === 'gone') this.pass(kind);
  }

  /** Tells this tab and all others. */
  pass(kind, commit) {
    if (this.stop.signal.aborted) return;
    this.channel.postMessage({ kind, commit });
    this.tell(kind, commit);
  }

  pause(milliseconds) {
    const { signal } = this.stop;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, milliseconds);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      }, { once: true });
    });
  }
}
