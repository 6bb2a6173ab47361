/**
 * Creates an element. Members of `attributes` that start with "on" are listeners, all others
 * attributes; false and undefined are omitted. Strings become text nodes, never HTML.
 */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.filter((child) => child !== undefined && child !== false));
  return node;
}

const PATHS = {
  close: 'M6 6l12 12M18 6L6 18',
  grip: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l1 13h8l1-13M10.5 11v5.5M13.5 11v5.5',
  earlier: 'M12 19V6M6.5 11.5L12 6l5.5 5.5',
  later: 'M12 5v13M6.5 12.5L12 18l5.5-5.5',
  smaller: 'M6 12h12',
  larger: 'M6 12h12M12 6v12',
  undo: 'M9 14L4.5 9.5 9 5M5 9.5h9a5.5 5.5 0 0 1 0 11h-3',
};

/** One of the page's icons; the label of its button describes it. */
export function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('icon');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

/** Formats a number for people: groups of three digits, at most three decimals. */
export const shown = (number) => numbers.format(number);

/** Formats a number with its noun: "1 item", "2,000 items". */
export const counted = (count, noun) => `${shown(count)} ${noun}${count === 1 ? '' : 's'}`;
