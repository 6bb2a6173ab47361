// The appearance of elements: cards with a picture or a generated composition of colours.

import { make, counted } from './dom.js';

const TITLES = ['title', 'name', 'caption', 'label', 'text'];
const MAKERS = ['artist', 'author', 'creator', 'by', 'user', 'subtitle'];
const DATES = ['year', 'date', 'published', 'created'];
/** The members of an item's data that `wording` may have. */
export const WORDS = [...TITLES, ...MAKERS, ...DATES];
const PICTURES = ['image', 'img', 'picture', 'thumbnail', 'photo', 'cover', 'src', 'url'];
const ART_COUNT = 6;

/** A hash of a text: the same key has the same colour in every browser. */
function hashed(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}

const first = (data, names) => names.map((name) => data[name])
  .find((value) => typeof value === 'string' || typeof value === 'number');

/** An item's title, creator and date, if its data has them. */
export function wording({ key, data = {} }) {
  const title = first(data, TITLES);
  const about = [first(data, MAKERS), first(data, DATES)].filter((part) => part !== undefined);
  return { title: String(title ?? key), about: about.join(' \u00b7 ') };
}

/** The possible addresses of an item's picture: `image`, `image_url`, then any `..._url`. */
function pictures(data = {}) {
  const rank = (name) => {
    const word = name.toLowerCase().replace(/[-_]?ur[il]$/, '');
    const index = PICTURES.indexOf(word || 'url');
    return index >= 0 ? index : /ur[il]$/i.test(name) ? PICTURES.length : undefined;
  };
  return Object.keys(data).filter((name) => rank(name) !== undefined)
    .sort((a, b) => rank(a) - rank(b)).map((name) => data[name])
    .filter((value) => typeof value === 'string' && /^(https?:|data:image\/|\/)/.test(value));
}

/** An item's picture, which disappears if none of its addresses has one. */
export function picture(data, alt) {
  const sources = pictures(data);
  return sources.length > 0 && make('img', {
    src: sources.shift(), alt, decoding: 'async', draggable: 'false',
    onerror: ({ target }) => {
      if (sources.length > 0) target.src = sources.shift();
      else target.remove();
    },
  });
}

/** Applies the colours and the composition of a key to a node. */
export function paint(node, key) {
  const hash = hashed(key);
  const hue = hash % 360;
  node.classList.add(`art-${(hash >>> 9) % ART_COUNT}`);
  const turn = 16 + ((hash >>> 12) % 44);
  const values = {
    hue, turn: (hue + turn) % 360, x: 18 + ((hash >>> 4) % 64), y: 16 + ((hash >>> 17) % 56),
    slant: (hash >>> 21) % 180,
  };
  for (const [name, value] of Object.entries(values)) node.style.setProperty(`--${name}`, value);
}

function card(node, element) {
  const { title, about } = wording(element);
  const art = make('div', { class: 'art' });
  paint(art, element.key);
  art.append(picture(element.data, title) || '');
  node.replaceChildren(art, make(
    'div', { class: 'caption' }, make('h3', {}, title), about && make('p', {}, about)));
  node.setAttribute('aria-label', about ? `${title}, ${about}` : title);
}

/**
 * Renders an element into a node.
 *
 * @param {(index: number) => ({itemCount: number} | undefined)} section returns a section, if
 *   known
 */
export function render(node, element, section) {
  if (element.category === 'cell') {
    card(node, element);
  } else if (element.kind === 'header') {
    const count = section(element.section)?.itemCount;
    node.setAttribute('role', 'heading');
    node.setAttribute('aria-level', '2');
    node.replaceChildren(
      make('span', { class: 'section-name' }, element.sectionKey),
      make('span', { class: 'section-count' }, count === undefined ? '' : counted(count, 'item')));
  } else if (element.kind === 'footer') {
    node.replaceChildren(make('span', { class: 'section-end' }, `End of ${element.sectionKey}`));
  } else if (element.category === 'supplementary') {
    node.classList.toggle('is-badge', element.item !== undefined);
    node.replaceChildren(make('span', { class: 'kind-name' }, element.kind));
  }
}
