/** LayoutCache in a page: a virtual list over a layout of any length. See docs/CLIENT.md. */

/** A length or a position in points, which are CSS pixels on the page; a multiple of 1/64. */
type Points = number;

/** A length or a position in units of 1/64 point, as the module counts inside. */
type Units = number;

export function toUnits(points: Points): Units;
export function toPoints(units: Units): Points;

/** What the service refused. */
export class ServiceError extends Error {
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Whether asking again later can help. */
  readonly isPassing: boolean;
}

/** Requests to the service, which feeds of a page may share. */
export class Service {
  constructor(options?: { server?: string; token?: () => string | null });
  /** The path of a dataset, and of what is below it; each part is percent-encoded. */
  static path(dataset: string, ...below: string[]): string;
  fetch(path: string, options?: RequestInit): Promise<Response>;
  json(path: string, options?: RequestInit): Promise<any>;
}

export interface FeedOptions {
  dataset: string;
  /** A layout's name, or a variant's of a responsive one: `phone@390`. */
  layout: string;
  /** The origin of the service (default: the page's own). */
  server?: string;
  /** Called at each request; the token goes into a header, never into an address. */
  token?: () => string | null;
  /** In place of `server` and `token`. */
  service?: Service;
  /** Fills a node with an element: called for a new one, and when what it shows has changed. */
  render?: (node: HTMLElement, element: FeedElement) => void;
  /** Whether elements come with their items' data (default: true). */
  data?: boolean;
  /** Whether commits of others are followed (default: true). */
  live?: boolean;
  /** Whether the place is kept in the history entry, over reloads (default: true). */
  remember?: boolean;
}

/** An element as the service states it, and where it is along and across the layout. */
export interface FeedElement {
  category: 'cell' | 'supplementary' | 'decoration';
  kind?: string;
  key?: string;
  section: number;
  sectionKey: string;
  item?: number;
  /** As it was when it was asked for; `start` is kept up to date. */
  frame: { x: Points; y: Points; width: Points; height: Points };
  data?: Record<string, unknown>;
  /** Names the element in its layout. */
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
}

/** What `POST /v1/datasets/{d}/batches` answers, and how long that took. */
export interface Commit {
  dataset: string;
  revision: number;
  updates?: { everything: true } | { sections: unknown[]; items: unknown[] };
  layouts: LayoutChange[];
  milliseconds?: number;
  serverMilliseconds?: number;
}

export interface LayoutChange {
  layout: string;
  everything: boolean;
  recomputedItems: number;
  recomputedColumns: number;
  changedNodes: number;
  contentSizeAdjustment: { width: Points; height: Points };
  contentOffsetAdjustment: { x: Points; y: Points };
  sections: {
    section: number; items: [number, number][]; columns: number[]; interval?: [Points, Points];
  }[];
}

/**
 * Events, all `CustomEvent`s without a bubble: `opened`; `moved` and `rested` (the position);
 * `drawn`; `settled` (all that is in sight is there); `committed` (`detail`: `{commit, change,
 * isOwn}`, as soon as it is known); `replacing` and `replaced` (right before and behind the
 * new revision is shown); `online` (`{isOnline}`); `failed` (`{error}`).
 */
export class Feed extends EventTarget {
  /** `scroller` needs a size of its own; its children become the feed's. */
  constructor(scroller: HTMLElement, options: FeedOptions);

  /** Opens at a place: by default where the history entry says, else at the start. */
  open(place?: FeedPlace): Promise<this>;
  /** Lets go of the scroller, of requests and of the stream. */
  close(): void;

  readonly dataset: string;
  readonly layout: string;
  /** The layout's configuration, once open. */
  readonly configuration: any;
  readonly itemCount: number;
  /** The visible start in the content, along the axis that scrolls, from its leading end. */
  readonly position: Points;
  readonly visibleLength: Points;
  readonly contentLength: Points;

  /** Goes to a position, exactly, or as near as there is content. */
  moveTo(position: Points): void;
  moveBy(distance: Points): void;
  /** Brings an item into sight; undefined if there is no such key. */
  reveal(key: string, align?: 'start' | 'center' | 'nearest'): Promise<FeedElement | undefined>;
  /** An item as the service states it; undefined if there is no such key. */
  item(key: string): Promise<any | undefined>;
  /** The elements in sight, those that pin left out, in the order of the items. */
  visibleElements(): FeedElement[];
  /** Whether all that is in sight is on the page; `settled` resolves when it is. */
  readonly isSettled: boolean;
  settled(): Promise<void>;

  /** Sends operations of the batch format, all or none of which are carried out. */
  batch(operations: object[]): Promise<Commit>;
  /** Takes a commit back, where it is the newest one; again is redo. */
  undo(revision: number): Promise<Commit>;
}
