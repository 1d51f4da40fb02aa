import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** What stands between a client and the API server, and can be told to misbehave. */
export interface FaultyProxy {
  /** `http://127.0.0.1:<port>`: give it to `cluster.kubeconfig(user, server)`. */
  readonly server: string;
  /**
   * Answers the next `times` requests that match with this status instead of passing them on. With `afterwards` they are passed
   * on first and the true answer is thrown away: the write happens and the client never hears of it.
   */
  answer(matching: Matching, status: number, options?: { times?: number; retryAfterSeconds?: number; afterwards?: boolean }): void;
  /** Delays every request that matches, milliseconds; 0 ends it. */
  delay(matching: Matching, ms: number): void;
  /** Holds back the answer to every request that matches, which the server has carried out at once, milliseconds; 0 ends it. */
  holdAnswers(matching: Matching, ms: number): void;
  /** Ends all watches now, as a load balancer does. */
  dropWatches(): void;
  /** Sends an `Expired` event to all watches and ends them, as after a compaction. */
  expireWatches(): void;
  /** Cuts every connection and accepts none until `resume`. */
  cut(): void;
  resume(): void;
  /** Requests passed on so far, `METHOD path`. */
  readonly passed: readonly string[];
  /** Requests answered wrongly and watches ended so far. */
  faults(): number;
  stop(): Promise<void>;
}

/** Which requests: by method and by a pattern of path and query. */
export interface Matching {
  readonly method?: string;
  readonly path?: RegExp;
}

interface Rule {
  readonly matching: Matching;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly afterwards: boolean;
  left: number;
}

const reasons: Readonly<Record<number, string>> = {
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/** Starts a proxy before an API server; it passes the client's token on. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const rules: Rule[] = [];
  const delays: { matching: Matching; ms: number }[] = [];
  const held: { matching: Matching; ms: number }[] = [];
  const watches = new Set<ServerResponse>();
  const sockets = new Set<Socket>();
  const passed: string[] = [];
  let isCut = false;
  let faults = 0;

  const server = createServer(async (asked, answer) => {
    if (isCut) {
      asked.destroy();
      return;
    }
    const wait = delays.find(({ matching }) => matches(matching, asked))?.ms ?? 0;
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const rule = rules.find((candidate) => candidate.left > 0 && matches(candidate.matching, asked));
    if (rule !== undefined) {
      rule.left -= 1;
      faults++;
    }
    if (rule !== undefined && !rule.afterwards) {
      asked.resume();
      asked.on('end', () => refuse(answer, rule));
      return;
    }
    pass(asked, answer, rule);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    if (isCut) socket.destroy();
  });

  function pass(asked: IncomingMessage, answer: ServerResponse, rule: Rule | undefined): void {
    passed.push(`${asked.method} ${asked.url}`);
    const url = new URL(asked.url ?? '/', target);
    const outgoing = request(url, { method: asked.method, headers: { ...asked.headers, host: url.host }, agent }, async (incoming) => {
      if (rule !== undefined) {
        incoming.resume();
        incoming.on('end', () => refuse(answer, rule));
        return;
      }
      const holdMs = held.find(({ matching }) => matches(matching, asked))?.ms ?? 0;
      if (holdMs > 0) await new Promise((resolve) => setTimeout(resolve, holdMs));
      answer.writeHead(incoming.statusCode ?? 502, incoming.headers);
      if (/[?&]watch=true/.test(asked.url ?? '')) {
        watches.add(answer);
        answer.flushHeaders();
      }
      incoming.pipe(answer);
      incoming.on('error', () => answer.destroy());
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => {
      watches.delete(answer);
      outgoing.destroy();
    });
    asked.pipe(outgoing);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    faults: () => faults,
    answer(matching, status, { times = 1, retryAfterSeconds, afterwards = false } = {}) {
      rules.push({ matching, status, left: times, retryAfterSeconds, afterwards });
    },
    delay(matching, ms) {
      delays.unshift({ matching, ms });
    },
    holdAnswers(matching, ms) {
      held.unshift({ matching, ms });
    },
    dropWatches() {
      faults += watches.size;
      for (const watch of watches) watch.destroy();
    },
    expireWatches() {
      const status = {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        code: 410,
        reason: 'Expired',
        message: 'too old resource version',
      };
      faults += watches.size;
      for (const watch of watches) watch.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
    },
    cut() {
      isCut = true;
      faults += sockets.size;
      for (const socket of sockets) socket.destroy();
    },
    resume() {
      isCut = false;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function matches({ method, path }: Matching, asked: IncomingMessage): boolean {
  return (method === undefined || method === asked.method) && (path === undefined || path.test(asked.url ?? ''));
}

function refuse(answer: ServerResponse, { status, retryAfterSeconds }: Rule): void {
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: status,
    reason: reasons[status] ?? '',
    message: 'refused by the faulty proxy',
  };
  answer.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  answer.end(JSON.stringify(body));
}
