// Requests to the service: paths, the token, and what refusals become.

/** What the service, or the way to it, refused. `status` is 0 where there was no answer. */
export class ServiceError extends Error {
  constructor(status, detail) {
    super(detail);
    this.name = 'ServiceError';
    this.status = status;
  }

  /** Whether asking again later can help. */
  get isPassing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export class Service {
  /**
   * @param {{server?: string, token?: () => (string | null)}} options where the service is
   *   (default: this page's own), and what to call for a bearer token at each request
   */
  constructor({ server = '', token = () => null } = {}) {
    this.server = server.replace(/\/$/, '');
    this.token = token;
  }

  /** The path of a dataset, and of what is below it. */
  static path(dataset, ...below) {
    return ['/v1/datasets', ...[dataset, ...below].map(encodeURIComponent)].join('/');
  }

  /**
   * @returns {Promise<Response>} an answer that is no refusal
   * @throws ServiceError; what `signal` aborts is thrown as it is
   */
  async fetch(path, { headers = {}, ...options } = {}) {
    const token = this.token();
    if (token) headers.Authorization = `Bearer ${token}`;
    let response;
    try {
      response = await fetch(this.server + path, { ...options, headers });
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw new ServiceError(0, 'The server does not answer.');
    }
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({}));
    throw new ServiceError(
      response.status, problem.detail ?? problem.title ?? `The server answers ${response.status}.`);
  }

  async json(path, options) {
    const response = await this.fetch(path, options);
    try {
      return await response.json();
    } catch (error) {
      if (options?.signal?.aborted) throw error;
      throw new ServiceError(0, 'The server\u2019s answer ended too soon.');
    }
  }
}
