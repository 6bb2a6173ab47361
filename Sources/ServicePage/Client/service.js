// Requests to the service: paths, the token, and errors.

/** An error from the service or the network. `status` is 0 without an answer. */
export class ServiceError extends Error {
  constructor(status, detail) {
    super(detail);
    this.name = 'ServiceError';
    this.status = status;
  }

  /** Whether a retry can succeed. */
  get isPassing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export class Service {
  /**
   * @param {{server?: string, token?: () => (string | null)}} options the origin of the
   *   service (default: this page's), and a callback that returns a bearer token for each
   *   request
   */
  constructor({ server = '', token = () => null } = {}) {
    this.server = server.replace(/\/$/, '');
    this.token = token;
  }

  /** The path of a dataset, or of a resource below it. */
  static path(dataset, ...below) {
    return ['/v1/datasets', ...[dataset, ...below].map(encodeURIComponent)].join('/');
  }

  /** The path of an item: browsers take a segment `.` or `..` for a step in the path. */
  static item(dataset, key) {
    return `${Service.path(dataset, 'items')}?key=${encodeURIComponent(key)}`;
  }

  /**
   * The parameters that choose the items to show, and their order; empty for the whole dataset.
   *
   * @param {{where?: string, order?: string | string[], view?: string}} options
   */
  static view({ where, order, view }) {
    return Object.entries({ where, order: String(order ?? ''), view })
      .filter(([, value]) => value).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  }

  /** The path of the changes of a feed since a revision, as one commit. */
  static changes({ dataset, layout, shown, isOfView }, revision) {
    const since = `since=${revision}`;
    return isOfView
      ? `${Service.path(dataset, 'layouts', layout, 'elements')}?${[since, ...shown].join('&')}`
      : `${Service.path(dataset, 'events')}?layout=${encodeURIComponent(layout)}&${since}&wait=0`;
  }

  /**
   * @returns {Promise<Response>} a successful answer
   * @throws ServiceError; after an abort by `signal`, its reason
   */
  async fetch(path, { headers = {}, ...options } = {}) {
    const token = this.token();
    if (token) headers.Authorization = `Bearer ${token}`;
    let response;
    try {
      response = await fetch(this.server + path, { ...options, headers });
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw new ServiceError(0, 'The server does not respond.');
    }
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({}));
    if (problem.type?.endsWith('#preparing')) {
      await new Promise((resolve) => { setTimeout(resolve, 1000); });
      return this.fetch(path, { headers, ...options });
    }
    throw new ServiceError(response.status,
      problem.detail ?? problem.title ?? `The server responded with ${response.status}.`);
  }

  async json(path, options) {
    return (await this.answer(path, options)).json;
  }

  /** The decoded body of an answer, and its headers. */
  async answer(path, options) {
    const response = await this.fetch(path, options);
    try {
      return { json: await response.json(), headers: response.headers };
    } catch (error) {
      if (options?.signal?.aborted) throw error;
      throw new ServiceError(0, 'The server\u2019s response was truncated.');
    }
  }
}
