// Lengths and axes. Inside, every length is a whole number of units, a unit being 1/64 of a
// point, as in the service: sums are exact, and a double holds any feed's length.

export const UNITS = 64;

/** Points, as answers state them, to units. */
export const toUnits = (points) => Math.round(points * UNITS);

/** Units to points, or CSS pixels: the page draws one point as one pixel. */
export const toPoints = (units) => units / UNITS;

/**
 * Which way a layout scrolls: the one place that knows of horizontal and of right to left.
 *
 * Everything else speaks of a main axis, whose positions count from the content's leading
 * end, and of a cross axis, whose positions count from the left or the top.
 */
export class Axis {
  /** @param {object} configuration the layout's configuration */
  constructor(configuration) {
    this.isHorizontal = configuration.scrollDirection === 'horizontal';
    this.isMirrored = this.isHorizontal && configuration.layoutDirection === 'rightToLeft';
    // Physical names: logical ones go by each node's own direction, which is its text's.
    [this.start, this.end] = !this.isHorizontal ? ['top', 'bottom']
      : this.isMirrored ? ['right', 'left'] : ['left', 'right'];
    this.crossStart = this.isHorizontal ? 'top' : 'left';
    this.length = this.isHorizontal ? 'width' : 'height';
    this.breadth = this.isHorizontal ? 'height' : 'width';
  }

  /** The main length of `{width, height}`, in the numbers it has. */
  main(size) {
    return size[this.length];
  }

  cross(size) {
    return size[this.breadth];
  }

  /** Of a vector `{x, y}`, what is along the main axis, forwards positive. */
  along(vector) {
    if (!this.isHorizontal) return vector.y;
    return this.isMirrored ? -vector.x : vector.x;
  }

  /** A frame in points to `{start, length, cross, breadth}` in units. */
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

  /** How far an element is scrolled from the leading end, in CSS pixels. */
  offset(scroller) {
    // Scrolled right to left, scrollLeft counts downwards from zero.
    return this.isHorizontal ? Math.abs(scroller.scrollLeft) : scroller.scrollTop;
  }

  setOffset(scroller, offset) {
    if (this.isHorizontal) scroller.scrollLeft = this.isMirrored ? -offset : offset;
    else scroller.scrollTop = offset;
  }

  /** The main length of what an element shows of its content, in CSS pixels. */
  visible(scroller) {
    return this.isHorizontal ? scroller.clientWidth : scroller.clientHeight;
  }
}
