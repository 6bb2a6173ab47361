// Lengths and axes. Internally every length is a whole number of units of 1/64 point, as in the
// service: sums are exact, and a double can represent any feed's length.

export const UNITS = 64;

/** Converts points, as in answers, to units. */
export const toUnits = (points) => Math.round(points * UNITS);

/** Converts units to points, or CSS pixels: the page draws one point as one pixel. */
export const toPoints = (units) => units / UNITS;

/** Values of the parameter `direction`, by those of a document's `dir`. */
const DIRECTIONS = { ltr: 'leftToRight', rtl: 'rightToLeft' };

/**
 * The scroll direction of a layout: the only code that handles horizontal and right-to-left
 * layouts.
 *
 * All other code uses a main axis, whose positions are relative to the content's leading end,
 * and a cross axis, whose positions are relative to the left or the top.
 */
export class Axis {
  /** @param {object} configuration the layout's configuration */
  constructor(configuration) {
    this.configuration = configuration;
    this.isHorizontal = configuration.scrollDirection === 'horizontal';
    const direction = DIRECTIONS[document.dir];
    /** The parameters of requests with positions; by default the layout's direction applies. */
    this.query = direction ? [`direction=${direction}`] : [];
    this.isRightToLeft = (direction ?? configuration.layoutDirection) === 'rightToLeft';
    this.isMirrored = this.isHorizontal && this.isRightToLeft;
    // Physical names: logical ones depend on each node's direction, which is that of its text.
    [this.start, this.end] = !this.isHorizontal ? ['top', 'bottom']
      : this.isMirrored ? ['right', 'left'] : ['left', 'right'];
    this.crossStart = this.isHorizontal ? 'top' : 'left';
    this.length = this.isHorizontal ? 'width' : 'height';
    this.breadth = this.isHorizontal ? 'height' : 'width';
  }

  /** Whether the document's direction has changed. */
  get isOutdated() {
    return new Axis(this.configuration).isRightToLeft !== this.isRightToLeft;
  }

  /** The main length of `{width, height}`, in the same unit. */
  main(size) {
    return size[this.length];
  }

  cross(size) {
    return size[this.breadth];
  }

  /** The component of a vector `{x, y}` along the main axis, positive forwards. */
  along(vector) {
    if (!this.isHorizontal) return vector.y;
    return this.isMirrored ? -vector.x : vector.x;
  }

  /** Converts a frame in points to `{start, length, cross, breadth}` in units. */
  place(frame, contentLength) {
    const length = toUnits(this.main(frame));
    const leading = toUnits(this.isHorizontal ? frame.x : frame.y);
    return {
      start: this.isMirrored ? contentLength - leading - length : leading,
      length,
      cross: toUnits(this.isHorizontal ? frame.y : frame.x),
      breadth: toUnits(this.cross(frame)),
    };
  }

  /** The text of a rect across the whole content, for a range of units of the main axis. */
  rect(start, end, contentLength, contentBreadth) {
    const leading = toPoints(this.isMirrored ? contentLength - end : start);
    const [length, breadth] = [toPoints(end - start), toPoints(contentBreadth)];
    return this.isHorizontal
      ? `${leading},0,${length},${breadth}`
      : `0,${leading},${breadth},${length}`;
  }

  /** The scroll offset of an element from the leading end, in CSS pixels. */
  offset(scroller) {
    // In right-to-left layouts scrollLeft is negative.
    return this.isHorizontal ? Math.abs(scroller.scrollLeft) : scroller.scrollTop;
  }

  setOffset(scroller, offset) {
    if (this.isHorizontal) scroller.scrollLeft = this.isMirrored ? -offset : offset;
    else scroller.scrollTop = offset;
  }

  /** The main length of the visible part of an element's content, in CSS pixels. */
  visible(scroller) {
    return this.isHorizontal ? scroller.clientWidth : scroller.clientHeight;
  }
}
