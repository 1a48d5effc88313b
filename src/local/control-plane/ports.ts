import net from 'node:net';

/**
 * Ports are below those of outgoing connections (32768 and up on Linux, 49152 and up on macOS). Otherwise a client could get our port while its
 * server restarts.
 */
const FIRST_PORT = 20_000;
const PORT_COUNT = 10_000;
const ATTEMPTS = 200;

/** Finds free TCP ports on 127.0.0.1, all different. @throws Error when there seem to be none */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let attempt = 0; attempt < ATTEMPTS + 2 * count && ports.size < count; attempt++) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    if (!ports.has(port) && await isPortFree(port)) {
      ports.add(port);
    }
  }
  if (ports.size < count) {
    throw new Error(`no ${count} free ports between ${FIRST_PORT} and ${FIRST_PORT + PORT_COUNT - 1} on 127.0.0.1`);
  }
  return [...ports];
}

/** @returns whether a port of 127.0.0.1 is free now */
export async function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
