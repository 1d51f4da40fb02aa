import * as http from 'node:http';
import * as https from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { KubernetesError } from './kubernetes-error.js';

/** One HTTP request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  /** Silence after which the connection is given up, milliseconds. */
  readonly timeoutMs?: number;
}

/** What was asked and how it went; `status` 0 when no answer came. */
export interface RequestReport {
  readonly method: ApiRequest['method'];
  readonly path: string;
  readonly status: number;
  /** Until the head of the answer. */
  readonly elapsedMs: number;
}

/** Sends requests with the credentials of a kubeconfig, over connections that are kept open. */
export interface Connection {
  /** The answer's body as JSON. Throws KubernetesError for every answer that is not 2xx, and for none. */
  send(request: ApiRequest): Promise<unknown>;
  /** The answer's body line by line, until the server or the signal ends it. */
  stream(request: ApiRequest, onLine: (line: string) => void): Promise<void>;
  close(): void;
}

const defaultTimeoutMs = 30_000;
/** Tokens of service accounts and exec plugins are replaced on disk well before they expire; asking again each minute is enough. */
const credentialsAgeMs = 60_000;
/** A line of a watch is one object; the API server stores none above 3 MiB. */
const mostLineBytes = 16 * 1024 * 1024;

type Credentials = https.RequestOptions;

/** A connection for a loaded kubeconfig. `onRequest` hears of every request, for metrics and logs. */
export function createConnection(config: KubeConfig, onRequest: (report: RequestReport) => void = () => {}): Connection {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new RangeError('the kubeconfig has no current cluster');
  const base = new URL(server);
  const prefix = base.pathname.replace(/\/$/, '');
  const secure = base.protocol === 'https:';
  let credentials: { readonly value: Credentials; readonly readAt: number } | undefined;
  let agent: http.Agent | undefined;
  let closed = false;

  async function readCredentials(refresh: boolean): Promise<Credentials> {
    if (!refresh && credentials !== undefined && performance.now() - credentials.readAt < credentialsAgeMs) return credentials.value;
    const value: Credentials = {};
    await config.applyToHTTPSOptions(value);
    const changed = credentials === undefined || !sameTls(credentials.value, value);
    credentials = { value, readAt: performance.now() };
    if (changed) {
      agent?.destroy();
      const proxied = config.getCurrentCluster()?.proxyUrl !== undefined;
      agent = proxied
        ? (value.agent as http.Agent)
        : secure
          ? new https.Agent({ ...tlsOf(value), keepAlive: true })
          : new http.Agent({ keepAlive: true });
    }
    return value;
  }

  async function open(request: ApiRequest, refresh = false): Promise<http.IncomingMessage> {
    const startedAt = performance.now();
    const report = (status: number) =>
      onRequest({ method: request.method, path: request.path, status, elapsedMs: performance.now() - startedAt });
    let answer: http.IncomingMessage;
    try {
      if (closed) throw new Error('the connection was closed');
      const { headers, auth } = await readCredentials(refresh);
      answer = await exchange(request, headers, auth);
    } catch (error) {
      report(0);
      throw unanswered(request, error);
    }
    report(answer.statusCode ?? 0);
    if (answer.statusCode === 401 && !refresh) {
      answer.resume();
      return open(request, true);
    }
    return answer;
  }

  function exchange(
    request: ApiRequest,
    headers: http.OutgoingHttpHeaders | readonly string[] | undefined,
    auth: string | null | undefined,
  ) {
    return new Promise<http.IncomingMessage>((resolve, reject) => {
      const body = request.body === undefined ? undefined : JSON.stringify(request.body);
      const options: https.RequestOptions = {
        method: request.method,
        hostname: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port,
        path: `${prefix}${request.path}${queryOf(request.query)}`,
        agent,
        timeout: request.timeoutMs ?? defaultTimeoutMs,
        signal: request.signal,
        headers: {
          ...(headers as http.OutgoingHttpHeaders),
          accept: request.accept ?? 'application/json',
          ...(body === undefined
            ? {}
            : { 'content-type': request.contentType ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
        ...(auth === undefined || auth === null ? {} : { auth }),
      };
      const outgoing = (secure ? https : http).request(options, resolve);
      outgoing.on('timeout', () => outgoing.destroy(new Error(`silent for ${options.timeout} ms`)));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  return {
    async send(request) {
      const answer = await open(request);
      const text = await readAll(request, answer);
      if (!isSuccess(answer)) throw refused(request, answer, text);
      return parse(request, text);
    },
    async stream(request, onLine) {
      const answer = await open(request);
      if (!isSuccess(answer)) throw refused(request, answer, await readAll(request, answer));
      await readLines(request, answer, onLine);
    },
    close() {
      closed = true;
      agent?.destroy();
    },
  };
}

const isSuccess = (answer: http.IncomingMessage) => (answer.statusCode ?? 0) >= 200 && (answer.statusCode ?? 0) < 300;

function tlsOf({ ca, cert, key, rejectUnauthorized, servername }: Credentials): https.AgentOptions {
  return Object.fromEntries(Object.entries({ ca, cert, key, rejectUnauthorized, servername }).filter(([, value]) => value !== undefined));
}

function sameTls(one: Credentials, other: Credentials): boolean {
  return JSON.stringify(tlsOf(one)) === JSON.stringify(tlsOf(other));
}

function queryOf(query: ApiRequest['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

const describe = (request: ApiRequest) => `${request.method} ${request.path}`;

function unanswered(request: ApiRequest, cause: unknown): KubernetesError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new KubernetesError(message, { status: 0, reason: '', request: describe(request) }, { cause });
}

async function readAll(request: ApiRequest, answer: http.IncomingMessage): Promise<string> {
  try {
    const pieces: Buffer[] = [];
    for await (const piece of answer) pieces.push(piece as Buffer);
    return Buffer.concat(pieces).toString('utf8');
  } catch (error) {
    throw unanswered(request, error);
  }
}

async function readLines(request: ApiRequest, answer: http.IncomingMessage, onLine: (line: string) => void): Promise<void> {
  let rest = '';
  answer.setEncoding('utf8');
  try {
    for await (const piece of answer) {
      const lines = (rest + (piece as string)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > mostLineBytes) throw new RangeError(`a line is longer than ${mostLineBytes} bytes`);
      for (const line of lines) if (line !== '') onLine(line);
    }
  } catch (error) {
    throw error instanceof KubernetesError ? error : unanswered(request, error);
  }
}

function parse(request: ApiRequest, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // /healthz and /readyz answer in words.
    if (request.accept === '*/*') return text;
    throw new KubernetesError('the answer is not JSON', { status: 0, reason: 'NotJson', request: describe(request) });
  }
}

interface Status {
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly retryAfterSeconds?: number; readonly causes?: KubernetesError['causes'] };
}

function refused(request: ApiRequest, answer: http.IncomingMessage, text: string): KubernetesError {
  const status = answer.statusCode ?? 0;
  const body = asStatus(text);
  const header = Number(answer.headers['retry-after']);
  return new KubernetesError(body.message ?? (text.trim().slice(0, 500) || http.STATUS_CODES[status] || 'refused'), {
    status,
    reason: body.reason ?? '',
    request: describe(request),
    retryAfterSeconds: Number.isFinite(header) ? header : body.details?.retryAfterSeconds,
    causes: body.details?.causes,
  });
}

function asStatus(text: string): Status {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Status) : {};
  } catch {
    return {};
  }
}
