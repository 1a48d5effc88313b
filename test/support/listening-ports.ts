import fs from 'node:fs';

/** Whether {@link listeningPorts} works here. */
export const KNOWS_LISTENING_PORTS = fs.existsSync('/proc/net/tcp');

/** TCP ports on which processes listen, and the address of each as `/proc` writes it. Linux only. */
export function listeningPorts(pids: readonly number[]): { readonly port: number; readonly loopback: boolean }[] {
  const sockets = new Set(pids.flatMap(socketsOf));
  return ['/proc/net/tcp', '/proc/net/tcp6'].filter((file) => fs.existsSync(file)).flatMap((file) => fs.readFileSync(file, 'utf8').trim().split('\n').slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTEN && sockets.has(inode))
    .map(([, local]) => {
      const [address, port] = local.split(':');
      return { port: parseInt(port, 16), loopback: LOOPBACK.test(address) };
    }));
}

/** Processes that another one has started, and theirs. Linux only. */
export function descendants(pid: number): number[] {
  const children = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((other) => parentOf(other) === pid);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

const LISTEN = '0A';
/** 127.0.0.1 and ::1, in words of the machine's byte order; also 127.0.0.1 as an address of IPv6. */
const LOOPBACK = /^(0100007F|00000000000000000000000001000000|0000000000000000FFFF00000100007F)$/;

function socketsOf(pid: number): string[] {
  return entries(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(fs.readlinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}

function entries(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

function parentOf(pid: number): number | undefined {
  try {
    // The name of the program, in brackets, may hold anything.
    return Number(fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')[1]);
  } catch {
    return undefined;
  }
}
