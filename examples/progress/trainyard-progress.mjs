/**
 * Progress, metrics and checkpoints of a training program, reported to whoever runs the job: the Trainyard operator, `trainyard dev` or
 * `trainyard run`. Copy this file beside your program; it needs nothing but Node.js. Nothing here throws or rejects, and without a job around it
 * nothing happens.
 */
import { readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const env = process.env;
const INTERVAL_MS = 5_000; // between two reports of progress; more often would only be merged
const PAUSE_MS = 60_000; // without reports after one that failed
const TIMEOUT_MS = 5_000;
const TRIES = 3; // for a checkpoint, which should not be lost

/** Exit code of a run that saved its work because it was told to stop. */
export const TERMINATED = 143;

let nextReport = 0;
let retryAfterMs = 0; // that the last answer asked for
let warned = false;

/** Tells how far the training is, at most every few seconds unless `force`d. @returns whether it was accepted */
export async function report({ percent, metrics = {}, remainingSeconds, force = false }) {
  if (!isReporter() || (performance.now() < nextReport && !force)) {
    return false;
  }
  const sent = await send({
    trainerStatus: {
      lastUpdatedTime: new Date().toISOString(),
      ...(percent !== undefined && { progressPercentage: Math.max(0, Math.min(100, Math.trunc(percent))) }),
      ...(remainingSeconds !== undefined && { estimatedRemainingSeconds: Math.max(0, Math.trunc(remainingSeconds)) }),
      metrics: Object.entries(metrics).slice(0, 256).map(([name, value]) => ({ name: name.slice(0, 64), value: String(value).slice(0, 64) })),
    },
  });
  nextReport = performance.now() + (sent ? INTERVAL_MS : retryAfterMs > 0 ? Math.max(INTERVAL_MS, retryAfterMs) : PAUSE_MS);
  return sent;
}

/** Tells of a checkpoint that is complete; the next attempt finds it in RESUME_FROM. @returns whether it is remembered */
export async function checkpoint(path, step) {
  for (let tries = 0; isReporter() && tries < TRIES; tries++) {
    if (await send({ checkpoint: { path, ...(step !== undefined && { step }) } })) {
      return true;
    }
    if (retryAfterMs > 0 && tries + 1 < TRIES) {
      await sleep(retryAfterMs);
    }
  }
  return false;
}

/** Deletes all but the last of `paths` (oldest first). How many stay: what the job says (spec.checkpoint.keepLast), else `keep`, else all. */
export function prune(paths, keep = Infinity) {
  const kept = Number(env.CHECKPOINT_KEEP_LAST) || keep;
  for (const path of isReporter() ? paths.slice(0, Math.max(0, paths.length - kept)) : []) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch (error) {
      warn(`${path} could not be deleted: ${error.message}`);
    }
  }
}

/** Remembers SIGTERM, after which there is the job's grace period to save; look at `requested` after each step. */
export function stopSignal() {
  const stop = { requested: false };
  process.once('SIGTERM', () => { stop.requested = true; });
  return stop;
}

/** One process speaks for all: that of rank 0. */
function isReporter() {
  return (env.RANK ?? '0') === '0';
}

function send(body) {
  const url = env.TRAINYARD_PROGRESS_URL ?? env.KUBEFLOW_TRAINER_SERVER_URL;
  if (!url) {
    return Promise.resolve(false);
  }
  retryAfterMs = 0;
  return new Promise((resolve, reject) => {
    // Both files are read anew each time: they are replaced before they expire.
    const token = readFileSync(env.TRAINYARD_PROGRESS_TOKEN_FILE ?? env.KUBEFLOW_TRAINER_SERVER_TOKEN, 'utf8').trim();
    const authorities = env.TRAINYARD_PROGRESS_CA_FILE ?? env.KUBEFLOW_TRAINER_SERVER_CA_CERT;
    const headers = { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' };
    const options = { method: 'POST', headers, timeout: TIMEOUT_MS, agent: false, ...(authorities && { ca: readFileSync(authorities) }) };
    const request = (url.startsWith('https:') ? https : http).request(url, options, (response) => {
      const seconds = Number(response.headers['retry-after'] ?? 0);
      retryAfterMs = seconds > 0 ? Math.min(seconds * 1000, PAUSE_MS) : 0;
      response.resume();
      response.on('end', () => (response.statusCode === 200 ? resolve(true) : reject(new Error(`status ${response.statusCode}`))));
    });
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    request.on('error', reject);
    request.end(JSON.stringify(body));
  }).catch((error) => {
    if (retryAfterMs === 0) {
      warn(`progress could not be reported: ${error.message}`);
    }
    return false;
  });
}

function warn(message) {
  if (!warned) {
    warned = true;
    process.stderr.write(`trainyard-progress: ${message}\n`);
  }
}
