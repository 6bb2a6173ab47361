/** Disjoint half-open ranges of the main axis, in order. */
export class Intervals {
  /** @param {[number, number][]} ranges in order, without overlaps */
  constructor(ranges = []) {
    this.ranges = ranges;
  }

  add(start, end) {
    if (end <= start) return;
    const kept = [];
    for (const range of this.ranges) {
      if (range[1] < start || range[0] > end) kept.push(range);
      else [start, end] = [Math.min(start, range[0]), Math.max(end, range[1])];
    }
    kept.push([start, end]);
    this.ranges = kept.sort((a, b) => a[0] - b[0]);
  }

  remove(start, end) {
    this.ranges = this.ranges.flatMap(([low, high]) =>
      [[low, Math.min(high, start)], [Math.max(low, end), high]].filter(([a, b]) => a < b));
  }

  /** The parts of a range that are not included. */
  missing(start, end) {
    const rest = new Intervals(start < end ? [[start, end]] : []);
    for (const [low, high] of this.ranges) rest.remove(low, high);
    return rest.ranges;
  }

  /** Shifts the ranges after `edge`. A range that spans the edge is split there. */
  shift(edge, distance) {
    const parts = this.ranges.flatMap(([low, high]) =>
      [[low, Math.min(high, edge)], [Math.max(low, edge), high]].filter(([a, b]) => a < b));
    this.ranges = [];
    for (const [low, high] of parts) {
      const by = low >= edge ? distance : 0;
      this.add(low + by, high + by);
    }
  }
}
