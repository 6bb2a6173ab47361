// What the page has to say besides the feed: short notes, the token, and why nothing is there.

import { make } from './dom.js';

const NOTE_MS = 5000;

/**
 * A short note that goes away, with something to do about it if wanted.
 *
 * @param {{name: string, act: () => void}} [action]
 */
export function note(text, action) {
  const room = document.querySelector('#toasts');
  for (const old of room.children) {
    if (old.firstElementChild.textContent === text) old.remove();
  }
  const toast = make('div', { class: 'toast' }, make('span', {}, text), action && make('button', {
    class: 'quiet',
    type: 'button',
    onclick: () => {
      toast.remove();
      action.act();
    },
  }, action.name));
  room.append(toast);
  while (room.children.length > 3) room.firstElementChild.remove();
  setTimeout(() => toast.remove(), NOTE_MS);
}

/** Asks for a bearer token; resolves once one has been given. It lives as long as the tab. */
export function askForToken(wasWrong) {
  const dialog = document.querySelector('#token');
  if (dialog.open) return new Promise(() => {});
  return new Promise((resolve) => {
    const field = make('input', {
      name: 'token', type: 'password', autocomplete: 'off', required: true, 'aria-label': 'Token',
    });
    dialog.replaceChildren(make('form', {
      method: 'dialog',
      onsubmit: () => {
        sessionStorage.setItem('layoutcache-token', field.value.trim());
        resolve();
      },
    }, make('h2', {}, 'This server asks for a token'),
    make('p', {}, wasWrong ? 'The token that was given is not accepted.'
      : 'It is kept in this tab only, and sent with each request.'),
    field, make('button', { class: 'solid', type: 'submit' }, 'Continue')));
    dialog.oncancel = (event) => event.preventDefault();
    dialog.showModal();
  });
}

/** Fills the whole room: nothing to show, or the reason why not. */
export function explain(title, paragraphs, ...more) {
  const room = document.querySelector('#empty');
  room.replaceChildren(make('div', { class: 'sheet' }, make('h1', {}, title),
    ...paragraphs.map((text) => make('p', {}, text)), ...more));
  room.hidden = false;
}

export function clear() {
  document.querySelector('#empty').hidden = true;
}

/** A command to type, as it is typed. */
export const command = (text) => make('pre', {}, make('code', {}, text));
