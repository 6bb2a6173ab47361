// A stream of commits. One tab of a browser opens the stream of a layout and broadcasts to the
// others: browsers open at most six connections per host, and requests of a seventh tab would
// be stalled.

import { Service } from './service.js';

/** The number of streams per browser, for different layouts; further layouts are polled. */
const STREAM_COUNT = 2;
const RETRY_MS = [500, 1000, 2000, 4000, 8000];
const ASK_MS = 3000;

/**
 * @callback Told
 * @param {'commit' | 'reset' | 'gone' | 'live' | 'away' | 'refused'} kind
 * @param {object} [commit] for `commit`, the commit from the service; for `refused`, the error
 */
export class CommitStream {
  /**
   * @param {Feed} feed the layout whose invalidation contexts are included, and the view
   * @param {() => Follower} follower returns what knows the dataset's newest state
   * @param {Told} tell
   */
  constructor({ service, dataset, layout, shown, isOfView }, follower, tell) {
    Object.assign(this, { service, dataset, layout, shown, isOfView, follower, tell });
    const query = [`layout=${encodeURIComponent(layout)}`, ...shown].join('&');
    this.path = `${Service.path(dataset, 'events')}?${query}`;
    this.stop = new AbortController();
    const name = `layoutcache ${service.server}${this.path}`;
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
    // Locks exist only in secure contexts; without them each tab polls.
    if (!navigator.locks) return this.keepGoing(() => this.ask());
    return navigator.locks.request(name, { signal }, () =>
      this.keepGoing(() => this.withSlot((hasSlot) => (hasSlot ? this.stream() : this.ask()))));
  }

  /** Repeats after failures, with growing delays, until closed. */
  async keepGoing(once) {
    let failures = 0;
    while (!this.stop.signal.aborted) {
      const begun = performance.now();
      try {
        await once();
        failures = 0;
      } catch (error) {
        if (this.stop.signal.aborted) return;
        // A repetition would be rejected too: the token may not read the dataset, for example.
        if (error.status === 403) return this.tell('refused', error);
        if (performance.now() - begun > 10_000) failures = 0;
        if (error.status === 404) await this.missed();
        else this.pass('away');
        const wait = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)];
        await this.pause(wait * (0.75 + Math.random() / 2));
      }
    }
  }

  /** Handles a missing stream: the dataset was deleted, or the server has no streams. */
  async missed() {
    const isThere = await this.service.json(Service.path(this.dataset)).then(
      () => true, (error) => error.status !== 404);
    if (!isThere) this.pass('gone');
  }

  /** Runs `work` with one of the browser's slots for streams, or with `false` if none is free. */
  async withSlot(work, slot = 0) {
    if (slot === STREAM_COUNT) return work(false);
    return navigator.locks.request(
      `layoutcache stream ${this.service.server} ${slot}`, { ifAvailable: true },
      (lock) => (lock ? work(true) : this.withSlot(work, slot + 1)));
  }

  async stream() {
    const { knownRevision, history } = this.follower();
    const response = await this.service.fetch(this.path, {
      headers: { Accept: 'text/event-stream', 'Last-Event-ID': `${knownRevision}.${history}` },
      cache: 'no-store', signal: this.stop.signal,
    });
    this.pass('live');
    await this.read(response);
    // A stream ends at the server's shutdown, or a proxy's timeout: reconnect once without
    // delay.
    await this.pause(200);
  }

  /** Polls: requests the changes since the known revision as one commit, then waits. */
  async ask() {
    const { knownRevision, history } = this.follower();
    const commit = await this.service.json(
      Service.changes(this, knownRevision), { cache: 'no-store', signal: this.stop.signal },
    ).catch((error) => {
      // A dataset that was created again has not reached the revision.
      if (error.status !== 400) throw error;
    });
    this.pass('live');
    if (commit?.incarnation !== history) this.pass('reset');
    else if (commit.revision > commit.since) this.pass('commit', commit);
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
    else if (/^(reset|layout|gone)$/.test(kind)) this.pass(kind === 'gone' ? kind : 'reset');
  }

  /** Notifies this tab and all others. */
  pass(kind, commit) {
    if (this.stop.signal.aborted) return;
    this.channel.postMessage({ kind, commit });
    this.tell(kind, commit);
  }

  pause(milliseconds) {
    const { signal } = this.stop;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, milliseconds);
      // One for all pauses: a stream may last for days.
      signal.onabort = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
    });
  }
}
