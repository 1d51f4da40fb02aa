import { createServer, type Server } from 'node:http';

/** What the small server answers from. */
export interface HealthSource {
  /** Whether the process works at all: false makes the kubelet restart it. */
  isAlive(): boolean;
  /** Whether it follows the cluster. */
  isReady(): boolean;
  metrics(): Promise<string>;
}

/** Serves `/healthz`, `/readyz` and `/metrics` on a port; resolves when it listens. */
export async function serveHealth(port: number, source: HealthSource): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = (status: number, text: string, type = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'content-type': type });
      response.end(request.method === 'HEAD' ? undefined : text);
    };
    const path = request.url?.split('?')[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(405, 'only GET\n');
    else if (path === '/healthz') answer(source.isAlive() ? 200 : 500, source.isAlive() ? 'ok\n' : 'the loop stands still\n');
    else if (path === '/readyz') answer(source.isReady() ? 200 : 503, source.isReady() ? 'ok\n' : 'the cluster is not followed yet\n');
    else if (path === '/metrics') {
      source.metrics().then(
        (text) => answer(200, text, 'text/plain; version=0.0.4; charset=utf-8'),
        (error) => answer(500, `${error}\n`),
      );
    } else answer(404, 'not here\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  return server;
}
