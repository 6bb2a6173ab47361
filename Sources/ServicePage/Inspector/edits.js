// Changes by this page: each says what it does, and the newest can be undone.

import { wording } from './cards.js';
import { Details } from './details.js';
import { shown } from './dom.js';
import { note } from './notices.js';

const quoted = (element) => `\u201c${wording(element).title}\u201d`;

export class Edits {
  /** @param {Inspector} page the page whose feed is changed */
  constructor(page) {
    this.page = page;
    /** The keys of deleted items that the feed still has. */
    this.leaving = new Set();
    /** The newest change, and the last of those that are undone or redone one after the other. */
    this.sent = this.turn = Promise.resolve();
  }

  isLeaving(key) { return this.leaving.has(key); }

  /** Records a commit: only the newest can be undone, and only by its author. */
  committed({ commit, isOwn }) {
    const isUndo = Boolean(this.isUndoing);
    this.newest = isOwn && { revision: commit.revision, isUndo };
    this.page.changes.isUndone = Boolean(isOwn && isUndo);
    this.leave(new Set((commit.updates?.items ?? []).filter(({ op }) => op === 'delete')
      .map(({ key }) => key)));
  }

  /** Moves the focus from a deleted item, whose node would stay with it, to the next one. */
  leave(deleted) {
    const { feed } = this.page;
    const focused = feed.stage.elementOf(document.activeElement);
    if (!deleted.has(focused?.key)) return;
    const next = this.following(focused, deleted);
    const node = (next && this.page.nodeOf(next.key)) ?? feed.scroller;
    node.focus({ preventScroll: true });
  }

  /** Sends a batch; `what` says in a few words what it does. */
  change(operations, what) { return this.commit(this.page.feed.batch(operations), what); }

  /** Reverts the newest commit, if it is this page's and not an undo itself. */
  undo() { return this.inTurn(() => this.revert(false)); }

  redo() { return this.inTurn(() => this.revert(true)); }

  undoOrRedo() { return this.inTurn(() => this.revert(Boolean(this.newest?.isUndo))); }

  /** Decides after all answers to earlier changes: only the newest commit can be reverted. */
  inTurn(act) {
    this.turn = this.turn.then(() => this.sent).then(act).catch(({ message }) => note(message));
    return this.turn;
  }

  /** Reverts the newest commit if it is an undo or not, as expected; else says why not. */
  async revert(isRedo) {
    if (!this.newest || this.newest.isUndo !== isRedo) {
      note(isRedo ? 'There is nothing to redo' : 'There is no change of yours to undo');
      return;
    }
    this.isUndoing = !isRedo;
    const commit = await this.commit(
      this.page.feed.undo(this.newest.revision), isRedo ? 'Redid the change' : 'Undid the change');
    this.isUndoing = false;
    this.focusRestored(commit).catch(({ message }) => note(message));
  }

  /** Moves the focus to the first item that a commit has restored. */
  async focusRestored(commit) {
    const restored = commit?.updates?.items?.find(({ op }) => op === 'insert');
    if (!restored) return;
    await this.page.feed.settled();
    await this.page.focus(restored.key);
  }

  /** Waits for a commit; an error is shown, and results in undefined. */
  async commit(commit, what) {
    this.page.changes.what = what;
    this.sent = commit.catch(() => {});
    try {
      return await commit;
    } catch (error) {
      if (error.status === 401) await this.page.failed(error);
      else note(error.message);
      return undefined;
    }
  }

  resize(element, size) {
    return this.change([{ op: 'resize', key: element.key, ...size }],
      `Resized ${quoted(element)} to ${shown(size.width)} \u00d7 ${shown(size.height)}`);
  }

  async scale(element, factor) {
    const size = await Details.naturalSize(this.page.feed, element);
    const side = this.page.feed.axis.length;
    size[side] = Number((size[side] * factor).toFixed(3));
    await this.resize(element, size);
  }

  /** Commits the order that the preview of a drag shows. */
  place(element, { operations, indexPaths: [[section, item]] }) {
    const name = this.page.feed.sections.get(section)?.key ?? 'another section';
    return this.change(operations, `Moved ${quoted(element)} to item ${shown(item + 1)} of ${name}`);
  }

  /** Moves an item by one position in its section. */
  async move(element, isEarlier) {
    const current = this.page.feed.store.cell(element.key) ?? element;
    const { sectionKey: section, key } = current;
    const index = current.item + (isEarlier ? -1 : 1);
    const count = this.page.feed.sections.get(current.section)?.itemCount ?? Infinity;
    if (index < 0 || index >= count) {
      note(`${quoted(current)} is the ${isEarlier ? 'first' : 'last'} item of ${section}`);
      return;
    }
    const isOnCard = !document.querySelector('#details').contains(document.activeElement);
    const commit = await this.change([{ op: 'move', key, section, index }],
      `Moved ${quoted(current)} to item ${shown(index + 1)} of ${section}`);
    if (!commit) return;
    await this.page.feed.settled();
    await this.page.feed.reveal(key, 'nearest');
    if (isOnCard) this.page.nodeOf(key)?.focus({ preventScroll: true });
  }

  /** Deletes an item, which disappears immediately; the focus goes to the next one. */
  async remove(element) {
    const { page: { feed } } = this;
    const next = this.following(element);
    const wasChosen = this.page.chosen === element.key;
    this.leaving.add(element.key);
    this.page.nodeOf(element.key)?.classList.add('is-leaving');
    if (wasChosen) this.page.choose(next?.key);
    if (next) this.page.focus(next.key);
    else feed.scroller.focus({ preventScroll: true });
    const commit = await this.change(
      [{ op: 'delete', keys: [element.key] }], `Deleted ${quoted(element)}`);
    if (commit) await feed.settled();
    this.leaving.delete(element.key);
    this.page.nodeOf(element.key)?.classList.remove('is-leaving');
  }

  /** The item after another one, else the one before it, among those loaded. */
  following({ key }, deleted = this.leaving) {
    const { store, view } = this.page.feed;
    const reach = 2 * view.visible;
    const cells = store.within(view.position - reach, view.position + view.visible + reach)
      .filter((cell) => cell.category === 'cell'
        && (cell.key === key || !deleted.has(cell.key)));
    const index = cells.findIndex((cell) => cell.key === key);
    return cells[index + 1] ?? cells[index - 1];
  }
}
