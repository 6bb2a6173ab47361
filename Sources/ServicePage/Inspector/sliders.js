// The controls of a section's options by kind: sliders and lists of values.

export const KINDS = ['waterfall', 'grid', 'flow', 'justified', 'carousel', 'circle'];

/** Members that a kind needs, or without which it is of little use, and the values they get. */
const NEEDED = {
  flow: { lineLength: 160 },
  justified: { targetRowLength: 160 },
  carousel: { itemWidth: { fraction: 0.4 }, itemLength: 200 },
  circle: { itemSize: { width: 60, height: 60 } },
};

/** The members that options lack for a kind, with the values they get. */
export function missing(kind, options) {
  const isStated = (member) => ![undefined, 'natural'].includes(options[member]);
  return Object.entries(NEEDED[kind] ?? {}).filter(([member]) =>
    !isStated(member) && !(kind === 'flow' && isStated('itemSize')));
}

/** Members with a list of values, each with its text; the first is the default. */
export const SELECTS = {
  carousel: [{
    member: 'scrolling', label: 'Stops',
    values: [
      ['continuous', 'anywhere'], ['continuousGroupLeadingBoundary', 'at items'],
      ['paging', 'at pages'], ['groupPaging', 'at the next item'],
      ['groupPagingCentered', 'at the next centre'],
    ],
  }],
};

/** A number; undefined for other values, such as lengths relative to the container. */
const number = (value) => (typeof value === 'number' ? value : undefined);

/**
 * A slider of a member: `read` converts its value to the slider's, undefined for a value that the
 * slider does not have, and `write` the slider's to the member's.
 */
const slider = (member, label, least, most, {
  read = (value = 0) => number(value), write = (value) => value,
} = {}) => ({ member, label, least, most, read, write });

const itemSize = slider('itemSize', 'Item size', 16, 300, {
  read: (size) => number(size?.width) && number(size.height) && Math.max(size.width, size.height),
  write: (side, { width, height }) => {
    const scale = side / Math.max(width, height);
    return { width: Math.max(1, width * scale), height: Math.max(1, height * scale) };
  },
});

const columned = [
  slider('columns', 'Columns', 1, 12, { read: (count = 2) => number(count) }),
  slider('minimumColumnWidth', 'Column width at least', 60, 600, { read: (width) => width }),
  slider('columnSpacing', 'Column spacing', 0, 48), slider('lineSpacing', 'Line spacing', 0, 48),
];

export const SLIDERS = {
  waterfall: columned,
  grid: columned,
  flow: [
    slider('lineLength', 'Line length', 40, 400, { read: (length) => length }), itemSize,
    slider('minimumInteritemSpacing', 'Item spacing', 0, 48),
    slider('minimumLineSpacing', 'Line spacing', 0, 48),
  ],
  justified: [slider('targetRowLength', 'Row length', 40, 400), slider('spacing', 'Spacing', 0, 48)],
  carousel: [
    slider('itemWidth', 'Item width in percent', 10, 100, {
      read: (width) => width?.fraction && Math.round(width.fraction * 100),
      write: (percent, width) => ({ ...width, fraction: percent / 100 }),
    }),
    slider('itemWidth', 'Item width', 40, 800, {
      read: number,
    }),
    slider('itemLength', 'Item length', 40, 600, {
      read: number,
    }),
    slider('spacing', 'Spacing', 0, 48),
  ],
  circle: [itemSize],
  every: [
    slider('inset', 'Inset', 0, 64, {
      read: (inset) => {
        const sides = Object.values(inset ?? {});
        return sides.every(Number.isFinite) ? Math.max(0, ...sides) : undefined;
      },
      write: (side) => ({ top: side, left: side, bottom: side, right: side }),
    }),
  ],
};
