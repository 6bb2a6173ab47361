/** LayoutCache in a page: a virtual list over a layout of any length. See docs/CLIENT.md. */

/** A length or a position in points, which are CSS pixels on the page; a multiple of 1/64. */
type Points = number;

/** A length or a position in units of 1/64 point, as used internally. */
type Units = number;

export function toUnits(points: Points): Units;
export function toPoints(units: Units): Points;

/** A failed request. */
export class ServiceError extends Error {
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  /** Whether a retry can succeed. */
  readonly isPassing: boolean;
}

/** A client of the service, which several feeds of a page may share. */
export class Service {
  constructor(options?: { server?: string; token?: () => string | null });
  /** The path of a dataset, or of a resource below it; each part is percent-encoded. */
  static path(dataset: string, ...below: string[]): string;
  /** The path of an item, with a query: any key, `.` and `..` too. */
  static item(dataset: string, key: string): string;
  fetch(path: string, options?: RequestInit): Promise<Response>;
  json(path: string, options?: RequestInit): Promise<any>;
}

/** A scroll bar along the sections of a feed, in an element with a definite size. */
export class Scrubber {
  constructor(bar: HTMLElement);
}

export interface FeedOptions {
  dataset: string;
  /**
   * A layout's name. Of one that fits any width, the feed shows the variant that fits the
   * scroller, and follows its size; `phone@390` is always that variant.
   */
  layout: string;
  /** A filter: only items that match are shown. See docs/ORDER.md, as for `order` and `view`. */
  where?: string;
  /** An order of the items' data, such as `['-price', 'name']`. */
  order?: string | string[];
  /** A named view, in place of `where` and `order`. */
  view?: string;
  /**
   * The layout's configuration, for tokens of a part of a dataset: those may read no
   * configuration.
   */
  configuration?: object;
  /** The part of the scroller's width that something else covers (default: 0). */
  covered?: Points | (() => Points);
  /** The origin of the service (default: the page's own). */
  server?: string;
  /** Called at each request; the token is sent in a header, never in a URL. */
  token?: () => string | null;
  /** Replaces `server` and `token`. */
  service?: Service;
  /** Renders an element into a node: called for a new node, and when the content has changed. */
  render?: (node: HTMLElement, element: FeedElement) => void;
  /**
   * Replaces the browser's scroll bar. By default a plain scrubber does, if the content is longer
   * than browsers allow; `null`: nothing does.
   */
  scrubber?: Scrubber | null;
  /** Whether elements come with their items' data (default: true). */
  data?: boolean;
  /** Keeps the content's end in sight while it is, as in a chat (default: the first item). */
  anchor?: 'end';
  /** Whether commits by other clients are followed (default: true). */
  live?: boolean;
  /**
   * Whether the scroll position is saved in the history entry, across reloads (default:
   * true).
   */
  remember?: boolean;
}

/** An element from the service, with its position along and across the layout. */
export interface FeedElement {
  category: 'cell' | 'supplementary' | 'decoration';
  kind?: string;
  key?: string;
  /** Absent for `layoutHeader`, `layoutFooter` and the layout's background. */
  section?: number;
  sectionKey?: string;
  item?: number;
  /** The frame when it was requested; `start` is kept up to date. */
  frame: { x: Points; y: Points; width: Points; height: Points };
  data?: Record<string, unknown>;
  /** Further values of a cell of a custom kind. */
  values?: Record<string, unknown>;
  /** Identifies the element in its layout. */
  id: string;
  start: Units;
  length: Units;
  cross: Units;
  breadth: Units;
}

export interface FeedPlace {
  dataset: string;
  layout: string;
  revision: number;
  position: Units;
  anchors: { key: string; offset: Units }[];
  section?: { index: number; key: string; offset: Units };
  /** The scrolled carousels, by section, with their offsets from the leading edge. */
  carousels?: [key: string, offset: Units][];
}

/** The answer to `POST /v1/datasets/{d}/batches`, with timings. */
export interface Commit {
  dataset: string;
  revision: number;
  updates?: { everything: true; reason: string } | { sections: unknown[]; items: unknown[] };
  layouts: LayoutChange[];
  milliseconds?: number;
  serverMilliseconds?: number;
  /** The part of `serverMilliseconds` that updated layouts. */
  layoutMilliseconds?: number;
}

export interface LayoutChange {
  layout: string;
  everything: boolean;
  reason?: string;
  /** Whether `sections` names one range of items for each section. */
  coarse?: true;
  recomputedItems: number;
  recomputedColumns: number;
  changedNodes: number;
  contentSizeAdjustment: { width: Points; height: Points };
  contentOffsetAdjustment: { x: Points; y: Points };
  /** The layout's header and footer, and its background's kind, if they changed. */
  supplementaryElements?: string[];
  decorationElements?: string[];
  sections: {
    section: number; items: [number, number][]; columns: number[]; interval?: [Points, Points];
    supplementaryElements?: string[]; decorationElements?: string[];
  }[];
}

/**
 * Events, all `CustomEvent`s that do not bubble: `opened`; `moved` and `rested` (the
 * position); `drawn`; `settled` (all visible elements are on the page); `committed`
 * (`detail`: `{commit, change, isOwn}`, as soon as it is known); `replacing` and `replaced`
 * (immediately before and after the new revision is shown); `online` (`{isOnline}`); `failed`
 * (`{error}`).
 */
export class Feed extends EventTarget {
  /** `scroller` needs a definite size; the feed replaces its children. */
  constructor(scroller: HTMLElement, options: FeedOptions);

  /** Opens at a position: by default that in the history entry, else the start. */
  open(place?: FeedPlace): Promise<this>;
  /** Releases the scroller, and ends requests and the stream. */
  close(): void;

  readonly dataset: string;
  /** The layout, or its present variant: `phone@384`. */
  readonly layout: string;
  /** The layout's configuration, once open. */
  readonly configuration: any;
  readonly itemCount: number;
  /** The visible start in the content, along the axis that scrolls, from its leading end. */
  readonly position: Points;
  readonly visibleLength: Points;
  readonly contentLength: Points;

  /** Scrolls exactly to a position, clamped to the content. */
  moveTo(position: Points): void;
  moveBy(distance: Points): void;
  /** Scrolls an item into view; undefined for an unknown key. */
  reveal(key: string, align?: 'start' | 'center' | 'nearest'): Promise<FeedElement | undefined>;
  /** An item from the service; undefined for an unknown key. */
  item(key: string): Promise<any | undefined>;
  /** The visible elements, except pinning ones, in the order of the items. */
  visibleElements(): FeedElement[];
  /** Whether all visible elements are on the page; `settled` resolves when they are. */
  readonly isSettled: boolean;
  settled(): Promise<void>;

  /**
   * Shows the layout after its configuration changed, in the same scroll direction; the first
   * visible item stays in place.
   */
  reconfigure(configuration: object): Promise<void>;

  /** Sends operations of the batch format, which are applied atomically. */
  batch(operations: object[]): Promise<Commit>;
  /**
   * Shows the order that results from a drag of an item to a point, in units from the leading
   * end, until `endPreview` or the next commit. The answer's `operations` commit the order; pass
   * the answer as `last` in the same drag.
   */
  preview(key: string, point: { main: Units; cross: Units }, last?: object, signal?: AbortSignal):
    Promise<{ targetIndexPath: [number, number]; operations: object[] }>;
  endPreview(): void;
  /** Reverts a commit, if it is the newest one; a second undo is a redo. */
  undo(revision: number): Promise<Commit>;
}
