/** One job on an idle operator: how long until its pods exist. */
import type { BenchPlane } from './bench-plane';
import { patient } from './burst';
import { percentile, rounded } from './statistics';
import { jobJson, jobOfPod, jobSpec, jobsPath, podsPath, type Size } from './workload';

/** Seconds from the request for a job, of jobs one after the other. */
export interface FirstPod {
  readonly jobs: number;
  readonly podsPerJob: number;
  readonly firstP50: number;
  readonly firstP99: number;
  readonly allP50: number;
  readonly allP99: number;
}

/** Rest before the next job, milliseconds: what the last one has left to do is not idleness. */
const REST_MS = 250;

/** Creates jobs one after the other, each when the one before runs. The first tenth is not counted: code that has never run is slow. */
export async function measureFirstPod(plane: BenchPlane, { jobs, pods }: Size): Promise<FirstPod> {
  const { session } = plane;
  const namespace = await plane.namespace();
  const created = new Map<string, number[]>();
  const waiting = new Map<string, () => void>();
  await session.watch(podsPath(namespace), { metadataOnly: true }, (type, { metadata: { name } }, at) => {
    if (type === 'ADDED') {
      created.set(jobOfPod(name), [...created.get(jobOfPod(name)) ?? [], at]);
    }
  });
  await session.watch(jobsPath(namespace), {}, (_type, { metadata: { name }, status }) => {
    if (status?.phase === 'Running') {
      waiting.get(name)?.();
    }
  });
  const spec = jobSpec(pods);
  const uncounted = Math.ceil(jobs / 10);
  const times: { readonly first: number; readonly all: number }[] = [];
  for (let index = 0; index < uncounted + jobs; index++) {
    const json = jobJson(namespace, index, spec);
    const { name } = (JSON.parse(json) as { metadata: { name: string } }).metadata;
    const runs = new Promise<void>((resolve) => { waiting.set(name, resolve); });
    const begun = performance.now();
    await session.create(jobsPath(namespace), json);
    await patient(`job ${name} to run`, runs);
    const seen = created.get(name)!.map((at) => (at - begun) / 1000);
    if (index >= uncounted) {
      times.push({ first: Math.min(...seen), all: Math.max(...seen) });
    }
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
  }
  await plane.clear(namespace);
  const of = (which: 'first' | 'all', share: number) => rounded(percentile(times.map((time) => time[which]), share));
  return { jobs, podsPerJob: pods, firstP50: of('first', 0.5), firstP99: of('first', 0.99), allP50: of('all', 0.5), allP99: of('all', 0.99) };
}
