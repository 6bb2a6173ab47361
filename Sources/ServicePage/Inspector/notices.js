// Messages on the page: notifications, the prompt for a token, and explanations of an empty
// page.

import { make } from './dom.js';

const NOTE_MS = 5000;

/**
 * Shows a notification that disappears, optionally with an action.
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

/**
 * Prompts for a bearer token; resolves once one is entered, or with false if the prompt is
 * dismissed. It is stored for the lifetime of the tab.
 */
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
        resolve(true);
      },
    }, make('h2', {}, 'This server requires a token'),
    make('p', {}, wasWrong ? 'The token was not accepted.'
      : 'It is stored in this tab only, and sent with each request.'),
    field, make('button', { class: 'solid', type: 'submit' }, 'Continue'), make('a', {
      href: '#',
      role: 'button',
      onclick: (event) => {
        event.preventDefault();
        dialog.close();
      },
    }, 'Cancel')));
    dialog.onclose = () => resolve(false);
    dialog.showModal();
  });
}

/** Fills the page with an explanation: why there is nothing to show. */
export function explain(title, paragraphs, ...more) {
  const room = document.querySelector('#empty');
  room.replaceChildren(make('div', { class: 'sheet' }, make('h1', {}, title),
    ...paragraphs.map((text) => make('p', {}, text)), ...more));
  room.hidden = false;
}

export function clear() {
  document.querySelector('#empty').hidden = true;
}

/** A command, in monospaced type. */
export const command = (text) => make('pre', {}, make('code', {}, text));
